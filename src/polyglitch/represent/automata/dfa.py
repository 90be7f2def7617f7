"""Minimal deterministic automata over symbol classes. Equal languages over one alphabet are equal automata."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

from polyglitch.represent.automata.derive import derivatives
from polyglitch.represent.regex.tree import ALL, NONE, WORD_MASK, Node, bit_of

STATES = 5_000  # a description people write needs tens; thousands mean it will not end well
SECONDS = 5.0
REMEMBERED = (
    16_384  # automata: all of the largest published set of descriptions, some 100 megabytes at most
)
SPACE = 1 << bit_of(" ")
State: TypeAlias = Node | tuple[Node, bool]  # with `True`: after a word character


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

    @cached_property
    def dead(self) -> int:
        """The state from which nothing is accepted, of which a minimal automaton has one at most; -1 for none."""
        for state, row in enumerate(self.steps):
            if not self.accepting[state] and all(to == state for to in row):
                return state
        return -1

    @cached_property
    def words(self) -> WordCounts:
        """How many texts of each length it accepts, counted once for all pairs it is part of."""
        return WordCounts(self)

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


class WordCounts:
    """How many texts of each length an automaton accepts, as far as somebody asked."""

    def __init__(self, dfa: Dfa) -> None:
        sizes = [mask.bit_count() for mask in dfa.classes]
        self.accepting = dfa.accepting
        self.steps: list[list[tuple[int, int]]] = []
        for steps in dfa.steps:
            row: dict[int, int] = {}
            for target, size in zip(steps, sizes, strict=True):
                if target != dfa.dead:
                    row[target] = row.get(target, 0) + size
            self.steps.append(list(row.items()))
        self.now = {} if dfa.dead == 0 else {0: 1}
        self.found: list[int] = []

    def of_length(self, length: int) -> int | None:
        """How many texts of a length; nothing where there is neither one of that length nor a longer one."""
        while len(self.found) <= length:
            if not self.now:
                return None
            number = 0
            following: dict[int, int] = {}
            for state, count in self.now.items():
                if self.accepting[state]:
                    number += count
                for target, size in self.steps[state]:
                    following[target] = following.get(target, 0) + count * size
            self.found.append(number)
            self.now = following
        return self.found[length]


def alphabet(*nodes: Node) -> int:
    """Letters, digits, `_` and every literal of the regexes; a blank too where `\\b` needs one."""
    mask = WORD_MASK
    for node in nodes:
        mask |= node.letters
        if node.boundary:
            mask |= SPACE
    return mask


@lru_cache(maxsize=8192)
def split(symbols: int, masks: frozenset[int]) -> tuple[int, ...]:
    """The symbols in classes that no mask tells apart, by their first symbols."""
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
    return tuple(sorted(classes, key=lambda piece: piece & -piece))


def automaton(node: Node, symbols: int, limits: AutomatonLimits = DEFAULT_LIMITS) -> Dfa:
    """The minimal automaton of a regex over an alphabet, or `TooLarge`."""
    try:
        return _automaton(node, symbols, limits)
    except RecursionError:  # derivatives go as deep as the regex is long
        raise TooLarge("a regex too long to take apart") from None


@lru_cache(maxsize=REMEMBERED)
def _automaton(node: Node, symbols: int, limits: AutomatonLimits) -> Dfa:
    masks = node.masks | {WORD_MASK} if node.boundary else node.masks
    classes = split(symbols, masks)
    inside: dict[int, list[int]] = {}  # the classes of a set of characters
    number: dict[State, int] = {node: 0}
    todo: list[State] = [node]
    steps: list[list[int]] = []
    accepting: list[bool] = []
    deadline = time.monotonic() + limits.seconds
    for state in todo:  # grows while it is walked
        targets: list[State] = [NONE] * len(classes)
        for mask, rest in moves(state):
            if (places := inside.get(mask)) is None:
                places = inside[mask] = [i for i, piece in enumerate(classes) if piece & mask]
            for place in places:
                targets[place] = rest
        row = []
        for target in targets:
            place = number.setdefault(target, len(todo))
            if place == len(todo):
                todo.append(target)
            row.append(place)
        steps.append(row)
        accepting.append(state.empty_inside if isinstance(state, Node) else state[0].empty_at_edge)
        if len(todo) > limits.states:
            raise TooLarge(f"more than {limits.states} states")
        if len(todo) > 500 and time.monotonic() > deadline:
            raise TooLarge(f"more than {limits.seconds:g} seconds")
    return minimal(classes, steps, accepting)


def moves(state: State) -> Iterable[tuple[int, State]]:
    """Where each set of characters leads; where a boundary still counts, a word character before is kept in mind."""
    if isinstance(state, Node) and not state.boundary:
        return derivatives(state, False)
    node, last = (state, False) if isinstance(state, Node) else state
    inside: list[tuple[int, State]] = [
        (mask & WORD_MASK, (rest, True) if rest.boundary else rest)
        for mask, rest in derivatives(node, not last)
    ]
    return inside + [(mask & ~WORD_MASK, rest) for mask, rest in derivatives(node, last)]


def minimal(classes: tuple[int, ...], steps: list[list[int]], accepting: list[bool]) -> Dfa:
    """The same language with as few states and symbol classes as it has (Moore's refinement)."""
    block = distances(steps, accepting)
    count = len(set(block))
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


def distances(steps: list[list[int]], accepting: list[bool]) -> list[int]:
    """How far each state is from acceptance, -1 for never: states that differ in it accept different texts.

    Refinement that starts from it tells the states of a long literal apart at once instead of one a round.
    """
    into: list[list[int]] = [[] for _ in steps]
    for state, row in enumerate(steps):
        for target in row:
            into[target].append(state)
    found = [0 if flag else -1 for flag in accepting]
    todo = [state for state, flag in enumerate(accepting) if flag]
    for state in todo:  # grows while it is walked
        for before in into[state]:
            if found[before] < 0:
                found[before] = found[state] + 1
                todo.append(before)
    return found


def equivalent(a: Node, b: Node, limits: AutomatonLimits = DEFAULT_LIMITS) -> bool:
    """Whether two regexes accept the same texts."""
    if a is b:
        return True
    symbols = alphabet(a, b)
    return automaton(a, symbols, limits) == automaton(b, symbols, limits)


def is_empty(node: Node) -> bool:
    """Whether a regex accepts nothing."""
    return node is NONE or not any(automaton(node, alphabet(node)).accepting)


def is_everything(node: Node) -> bool:
    """Whether a regex accepts every text."""
    return node is ALL or all(automaton(node, alphabet(node)).accepting)
