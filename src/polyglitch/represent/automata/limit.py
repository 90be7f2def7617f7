"""The exact limit of equation 4: how the words of two languages grow, not how many there are up to some length.

The number of words of length n grows like n^(k-1) r^n, where r is the largest growth rate of a strongly connected part
of the automaton and k how many such parts a path can pass. The limit of the ratio is the ratio of the two constants
in front, read off the eigenvectors of those parts and the discounted paths into and out of them.
"""

from __future__ import annotations

from math import gcd
from typing import TypeAlias

from polyglitch.files.lazy_numpy import np, npt
from polyglitch.represent.automata.product import Product

Matrix: TypeAlias = "npt.NDArray[np.float64]"
CLOSE = 1e-9  # growth rates nearer than this are the same one


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
