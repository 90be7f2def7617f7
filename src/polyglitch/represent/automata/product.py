"""Two automata read side by side, and how many texts both or either accept.

The exact limit of equation 4: how the words of two languages grow, not how many there are up to some length.

The number of words of length n grows like n^(k-1) r^n, where r is the largest growth rate of a strongly connected part
of the automaton and k how many such parts a path can pass. The limit of the ratio is the ratio of the two constants
in front, read off the eigenvectors of those parts and the discounted paths into and out of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import gcd
from typing import TypeAlias

from polyglitch.files.lazy_numpy import np, npt
from polyglitch.represent.automata.dfa import DEFAULT_LIMITS, AutomatonLimits, Dfa, TooLarge

Matrix: TypeAlias = "npt.NDArray[np.float64]"
CLOSE = 1e-9  # growth rates nearer than this are the same one


@dataclass(frozen=True)
class Product:
    """Two automata read side by side. `steps[state]` lists next states with their symbol counts."""

    steps: list[list[tuple[int, int]]]
    left: list[bool]
    right: list[bool]


@lru_cache(maxsize=8192)
def common(ones: tuple[int, ...], others: tuple[int, ...]) -> list[tuple[int, int, int]]:
    """The pairs of classes that share symbols, and how many."""
    return [
        (i, j, (x & y).bit_count())
        for i, x in enumerate(ones)
        for j, y in enumerate(others)
        if x & y
    ]


def shared_counts(a: Dfa, b: Dfa, limits: AutomatonLimits = DEFAULT_LIMITS) -> Iterator[int | None]:
    """For n = 0, 1, ...: how many texts of length n both accept; nothing as soon as it is known that there are none.

    Pairs of states are made as they are reached, and only where both still accept something.
    """
    shared, width = common(a.classes, b.classes), len(b.steps)
    rows: dict[int, list[tuple[int, int]]] = {}
    now = {} if a.dead == 0 or b.dead == 0 else {0: 1}
    met = False
    while True:
        number, known = 0, len(rows)
        following: dict[int, int] = {}
        for state, count in now.items():
            if (row := rows.get(state)) is None:
                row = rows[state] = pair_row(a, b, state, shared)
            if a.accepting[state // width] and b.accepting[state % width]:
                number += count
            for target, size in row:
                following[target] = following.get(target, 0) + count * size
        met = met or number > 0
        if not met and len(rows) == known:  # every pair that can be reached was looked at
            yield None
            return
        if len(rows) > limits.states:
            raise TooLarge(f"more than {limits.states} pairs of states")
        yield number
        now = following


def pair_row(
    a: Dfa, b: Dfa, state: int, shared: list[tuple[int, int, int]]
) -> list[tuple[int, int]]:
    """Where a pair of living states leads, by how many symbols; pairs are numbered by both their states."""
    width = len(b.steps)
    left, right = a.steps[state // width], b.steps[state % width]
    row: dict[int, int] = {}
    for i, j, size in shared:
        one, other = left[i], right[j]
        if one != a.dead and other != b.dead:
            target = one * width + other
            row[target] = row.get(target, 0) + size
    return list(row.items())


def product(a: Dfa, b: Dfa, limits: AutomatonLimits = DEFAULT_LIMITS) -> Product:
    """The reachable pairs of states of two automata over one alphabet."""
    shared = common(a.classes, b.classes)
    number = {(0, 0): 0}
    todo, steps = [(0, 0)], []
    for one, other in todo:  # grows while it is walked
        left, right = a.steps[one], b.steps[other]
        row: dict[int, int] = {}
        for i, j, size in shared:
            target = (left[i], right[j])
            index = number.get(target)
            if index is None:
                index = number[target] = len(todo)
                todo.append(target)
            row[index] = row.get(index, 0) + size
        steps.append(list(row.items()))
        if len(todo) > limits.states:
            raise TooLarge(f"more than {limits.states} pairs of states")
    return Product(steps, [a.accepting[i] for i, _ in todo], [b.accepting[j] for _, j in todo])


def counts(pair: Product) -> Iterator[tuple[int, int]]:
    """For n = 0, 1, ...: how many texts of length n both accept, and how many either accepts.

    It ends where no state is left, so only for a product without the states that lead nowhere.
    """
    now = {0: 1}
    while now:
        shared = total = 0
        for state, number in now.items():
            if pair.left[state]:
                total += number
                if pair.right[state]:
                    shared += number
            elif pair.right[state]:
                total += number
        yield shared, total
        following: dict[int, int] = {}
        for state, number in now.items():
            for target, size in pair.steps[state]:
                following[target] = following.get(target, 0) + number * size
        now = following


def components(steps: list[list[tuple[int, int]]], alive: list[int]) -> list[list[int]]:
    """The strongly connected parts in an order in which no path leads back (Tarjan, iterative)."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    held: set[int] = set()
    found: list[list[int]] = []
    for root in alive:
        if root in order:
            continue
        work = [(root, iter(steps[root]))]
        order[root] = low[root] = len(order)
        stack.append(root)
        held.add(root)
        while work:
            state, edges = work[-1]
            for target, _ in edges:
                if target not in order:
                    order[target] = low[target] = len(order)
                    stack.append(target)
                    held.add(target)
                    work.append((target, iter(steps[target])))
                    break
                if target in held:
                    low[state] = min(low[state], order[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[state])
                if low[state] == order[state]:
                    part = []
                    while True:
                        member = stack.pop()
                        held.discard(member)
                        part.append(member)
                        if member == state:
                            break
                    found.append(part)
    return found[::-1]


def period(matrix: Matrix) -> int:
    """The greatest common divisor of the lengths of the cycles of a connected part."""
    level, todo, found = {0: 0}, [0], 0
    for state in todo:
        for target in np.nonzero(matrix[state])[0]:
            place = int(target)
            if place in level:
                found = gcd(found, level[state] + 1 - level[place])
            else:
                level[place] = level[state] + 1
                todo.append(place)
    return abs(found) or 1


class WordGrowth:
    """The parts of a trimmed product that grow fastest, and the weight of paths through them."""

    def __init__(self, pair: Product) -> None:
        self.alive = sorted({0, *(to for row in pair.steps for to, _ in row)})
        place = {state: index for index, state in enumerate(self.alive)}
        size = len(self.alive)
        self.matrix: Matrix = np.zeros((size, size))
        for state in self.alive:
            for target, count in pair.steps[state]:
                self.matrix[place[state], place[target]] += count
        self.parts = [[place[s] for s in part] for part in components(pair.steps, self.alive)]
        self.rates = [self.rate(part) for part in self.parts]
        self.rate_of_all = max(self.rates)
        self.top = [rate > self.rate_of_all - CLOSE * (1 + rate) for rate in self.rates]

    def rate(self, part: list[int]) -> float:
        """The growth rate of one part: 0 for a state without a loop."""
        block = self.matrix[np.ix_(part, part)]
        return float(max(abs(np.linalg.eigvals(block)))) if block.any() else 0.0

    def oscillates(self) -> bool:
        """Whether a fastest part has a rhythm, so that the ratio may have no limit."""
        if self.rate_of_all <= 1 + CLOSE:
            return False  # sums even a rhythm out
        return any(
            period(self.matrix[np.ix_(part, part)]) > 1
            for part, top in zip(self.parts, self.top, strict=True)
            if top
        )

    def leading(self, accepting: list[bool]) -> tuple[int, float]:
        """How many fastest parts the best paths to acceptance pass, and their total weight."""
        size = len(self.alive)
        ends = np.array([float(accepting[state]) for state in self.alive])
        value: dict[int, dict[int, float]] = {
            state: {} for state in range(size)
        }  # passes -> weight
        for part, top in zip(reversed(self.parts), reversed(self.top), strict=True):
            self.settle(part, top, ends, value)
        best = max((k for k, weight in value[0].items() if weight > 0), default=-1)
        return best, value[0].get(best, 0.0)

    def settle(
        self, part: list[int], top: bool, ends: Matrix, value: dict[int, dict[int, float]]
    ) -> None:
        """The discounted weight of all ways from the states of one part to acceptance."""
        rate = self.rate_of_all
        inside = self.matrix[np.ix_(part, part)] / rate
        out: dict[int, Matrix] = {0: ends[part].copy()}
        members = set(part)
        for row, state in enumerate(part):
            for target in np.nonzero(self.matrix[state])[0]:
                if int(target) in members:
                    continue
                for passes, weight in value[int(target)].items():
                    column = out.setdefault(passes, np.zeros(len(part)))
                    column[row] += self.matrix[state, target] / rate * weight
        for passes, column in out.items():
            if not column.any():
                continue
            solved: Matrix
            if top:
                right, left = perron(inside), perron(inside.T)
                solved = right * float(left @ column) / float(left @ right)
            else:
                solved = np.linalg.solve(np.eye(len(part)) - inside, column).astype(np.float64)
            for row, state in enumerate(part):
                total = value[state].get(passes + top, 0.0) + float(solved[row])
                value[state][passes + top] = total


def perron(matrix: Matrix) -> Matrix:
    """The eigenvector of the largest eigenvalue of a connected part, positive."""
    rates, vectors = np.linalg.eig(matrix)
    found: Matrix = np.abs(np.real(vectors[:, int(np.argmax(np.real(rates)))]))
    return found


def limit(pair: Product) -> float | None:
    """The limit of shared words over all words; nothing where the ratio swings for ever."""
    growth = WordGrowth(pair)
    either = [a or b for a, b in zip(pair.left, pair.right, strict=True)]
    both = [a and b for a, b in zip(pair.left, pair.right, strict=True)]
    passes, total = growth.leading(either)
    shared_passes, shared = growth.leading(both)
    if shared_passes < passes:
        return 0.0
    if growth.oscillates():
        return None
    return min(1.0, shared / total)
