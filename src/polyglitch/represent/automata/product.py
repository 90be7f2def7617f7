"""Two automata read side by side, and how many texts both or either accept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from polyglitch.represent.automata.dfa import DEFAULT_LIMITS, AutomatonLimits, Dfa, TooLarge


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
