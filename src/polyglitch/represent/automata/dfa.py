"""Minimal deterministic automata over symbol classes, and products of two of them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from polyglitch.represent.automata.derive import accepts_empty, derive
from polyglitch.represent.regex.tree import ALL, NONE, WORD_MASK, Node, bit_of

STATES = 5_000  # a description people write needs tens; thousands mean it will not end well
SECONDS = 5.0
SPACE = 1 << bit_of(" ")


class TooLarge(Exception):
    """An automaton that outgrew its limits; the message is the reason of an undecided verdict."""


@dataclass(frozen=True)
class AutomatonLimits:
    """How large an automaton may grow and how long it may take."""

    states: int = STATES
    seconds: float = SECONDS


DEFAULT_LIMITS = AutomatonLimits()


@dataclass(frozen=True)
class Dfa:
    """States are numbers, 0 the start. `steps[state][class]` is the next state; classes are masks."""

    classes: tuple[int, ...]
    steps: tuple[tuple[int, ...], ...]
    accepting: tuple[bool, ...]

    def accepts(self, text: str) -> bool:
        """Whether a text belongs to the language; characters outside the alphabet never do."""
        state = 0
        for char in text:
            bit = bit_of(char)
            for index, mask in enumerate(self.classes):
                if mask >> bit & 1:
                    state = self.steps[state][index]
                    break
            else:
                return False
        return self.accepting[state]


def alphabet(*nodes: Node) -> int:
    """Letters, digits, `_` and every literal of the regexes; a blank too where `\\b` needs one."""
    mask = WORD_MASK
    for node in nodes:
        for part in node.masks:
            mask |= part
        if node.boundary:
            mask |= SPACE
    return mask


def split(symbols: int, masks: frozenset[int]) -> tuple[int, ...]:
    """The symbols in classes that no mask tells apart."""
    classes = [symbols]
    for mask in masks:
        parts = []
        for piece in classes:
            inside = piece & mask
            if inside:
                parts.append(inside)
            if inside != piece:
                parts.append(piece ^ inside)
        classes = parts
    return tuple(classes)


def automaton(node: Node, symbols: int, limits: AutomatonLimits = DEFAULT_LIMITS) -> Dfa:
    """The minimal automaton of a regex over an alphabet, or `TooLarge`."""
    try:
        return _automaton(node, symbols, limits)
    except RecursionError:  # derivatives go as deep as the regex is long
        raise TooLarge("a regex too long to take apart") from None


@lru_cache(maxsize=8192)
def _automaton(node: Node, symbols: int, limits: AutomatonLimits) -> Dfa:
    masks = node.masks | {WORD_MASK} if node.boundary else node.masks
    classes = split(symbols, masks)
    bits = [(mask & -mask).bit_length() - 1 for mask in classes]
    words = [bool(mask & WORD_MASK) for mask in classes]
    number: dict[tuple[Node, bool], int] = {(node, False): 0}
    todo, steps, accepting = [(node, False)], [], []
    deadline = time.monotonic() + limits.seconds
    for state, last in todo:  # grows while it is walked
        row = []
        for bit, word in zip(bits, words, strict=True):
            rest = derive(state, bit, last != word)
            target = (rest, word and rest.boundary)
            index = number.setdefault(target, len(todo))
            if index == len(todo):
                todo.append(target)
            row.append(index)
        steps.append(row)
        accepting.append(accepts_empty(state, last))
        if len(todo) > limits.states:
            raise TooLarge(f"more than {limits.states} states")
        if len(todo) > 500 and time.monotonic() > deadline:
            raise TooLarge(f"more than {limits.seconds:g} seconds")
    return minimal(classes, steps, accepting)


def minimal(classes: tuple[int, ...], steps: list[list[int]], accepting: list[bool]) -> Dfa:
    """The same language with as few states and symbol classes as it has (Moore's refinement)."""
    block, count = [int(flag) for flag in accepting], len(set(accepting))
    while True:
        names: dict[tuple[int, ...], int] = {}
        fresh = [
            names.setdefault((block[state], *[block[to] for to in row]), len(names))
            for state, row in enumerate(steps)
        ]
        if len(names) in (count, len(steps)):  # nothing new was told apart, or all is
            break
        block, count = fresh, len(names)
    first: dict[int, int] = {}
    for state, name in enumerate(fresh):
        first.setdefault(name, state)  # numbered in order of discovery, so the start is 0
    rows = [tuple([fresh[to] for to in steps[state]]) for state in first.values()]
    merged: dict[tuple[int, ...], int] = {}
    for index, column in enumerate(zip(*rows, strict=True)):
        merged[column] = merged.get(column, 0) | classes[index]
    return Dfa(
        tuple(merged.values()),
        tuple(zip(*merged.keys(), strict=True)),
        tuple(accepting[state] for state in first.values()),
    )


@dataclass(frozen=True)
class Product:
    """Two automata read side by side. `steps[state]` lists next states with their symbol counts."""

    steps: list[list[tuple[int, int]]]
    left: list[bool]
    right: list[bool]


def product(a: Dfa, b: Dfa, limits: AutomatonLimits = DEFAULT_LIMITS) -> Product:
    """The reachable pairs of states of two automata over one alphabet."""
    shared = [
        (i, j, (x & y).bit_count())
        for i, x in enumerate(a.classes)
        for j, y in enumerate(b.classes)
        if x & y
    ]
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


def equivalent(a: Node, b: Node, limits: AutomatonLimits = DEFAULT_LIMITS) -> bool:
    """Whether two regexes accept the same texts."""
    if a is b:
        return True
    symbols = alphabet(a, b)
    one, other = automaton(a, symbols, limits), automaton(b, symbols, limits)
    if len(one.steps) != len(other.steps):
        return False
    pair = product(one, other, limits)
    return pair.left == pair.right


def is_empty(node: Node) -> bool:
    """Whether a regex accepts nothing."""
    return node is NONE or not any(automaton(node, alphabet(node)).accepting)


def is_everything(node: Node) -> bool:
    """Whether a regex accepts every text."""
    return node is ALL or all(automaton(node, alphabet(node)).accepting)
