"""Minimal deterministic automata over symbol classes. Equal languages over one alphabet are equal automata.

What is left of a regex after one character (Brzozowski's derivative), for all characters at once.

A row says where each set of characters leads; sets are masks, and as negative numbers hold all bits above, a mask and
its complement cover every alphabet. `edge` says whether the place before the character is a word boundary: that is all
`\\b` needs to know, so that complement and intersection hold for boundaries too.

A small automaton as plain data, for people to look at: states, and moves named by their characters.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

from polyglitch.represent.regex.parse import BadRegex, parse
from polyglitch.represent.regex.tree import (
    ALL,
    ANY,
    EMPTY,
    NONE,
    WORD_MASK,
    Node,
    Row,
    bit_of,
    both,
    cat,
    chars,
    complement,
    either,
    repeat,
    write,
)

NOWHERE: Row = ((-1, NONE),)
STATES = 5_000  # a description people write needs tens; thousands mean it will not end well
SECONDS = 5.0
REMEMBERED = (
    16_384  # automata: all of the largest published set of descriptions, some 100 megabytes at most
)
SPACE = 1 << bit_of(" ")
State: TypeAlias = Node | tuple[Node, bool]  # with `True`: after a word character


def derivatives(node: Node, edge: bool) -> Row:
    """What must follow each character: sets that do not overlap and leave none out, and what is left after them."""
    if edge and node.boundary:
        found = node.row_at_edge
        if found is None:
            found = node.row_at_edge = _derivatives(node, True)
        return found
    found = node.row
    if found is None:
        found = node.row = _derivatives(node, False)
    return found


def _derivatives(node: Node, edge: bool) -> Row:
    kind, parts = node.kind, node.parts
    if kind == "chars":
        mask = ~node.mask if node.negated else node.mask
        return ((-1, EMPTY),) if mask == -1 else ((mask, EMPTY), (~mask, NONE))
    if kind == "cat" and parts:
        left, right = parts
        row = followed(derivatives(left, edge), right)
        return joined((row, derivatives(right, edge)), either) if left.empty(edge) else row
    if kind == "or":
        return joined([derivatives(part, edge) for part in parts], either)
    if kind == "and":
        return joined([derivatives(part, edge) for part in parts], both)
    if kind == "not":
        return tuple([(mask, complement(rest)) for mask, rest in derivatives(parts[0], edge)])
    if kind == "repeat":
        return _repeated(node, edge)
    return NOWHERE


def _repeated(node: Node, edge: bool) -> Row:
    inner = node.parts[0]
    if inner is ANY and node.low == 0 and node.high is None:
        return ((-1, ALL),)
    low, high = max(0, node.low - 1), None if node.high is None else node.high - 1
    rest = repeat(inner, low, high)
    row = followed(derivatives(inner, edge), rest)
    # A repetition that is empty only at boundaries may be passed over here and not elsewhere.
    if inner.boundary and rest is not node and inner.empty(edge):
        return joined((row, derivatives(rest, edge)), either)
    return row


def followed(row: Row, right: Node) -> Row:
    """A row with something after each of its ends."""
    found: dict[Node, int] = {}
    for mask, rest in row:
        target = cat(rest, right)
        found[target] = found.get(target, 0) | mask
    return tuple([(mask, target) for target, mask in found.items()])


def joined(rows: list[Row] | tuple[Row, ...], join: Callable[..., Node]) -> Row:
    """Rows read side by side: where each common set leads, as one regex."""
    common: list[tuple[int, tuple[Node, ...]]] = [(mask, (rest,)) for mask, rest in rows[0]]
    for row in rows[1:]:
        common = [
            (shared, (*rests, rest))
            for mask, rests in common
            for other, rest in row
            if (shared := mask & other)
        ]
    found: dict[Node, int] = {}
    for mask, rests in common:
        target = join(*rests)
        found[target] = found.get(target, 0) | mask
    return tuple([(mask, target) for target, mask in found.items()])


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


MOST_STATES = 16  # more are not read any more
LIMITS = AutomatonLimits(states=400, seconds=0.5)


def drawable(regex: str) -> dict[str, Any] | None:
    """The minimal automaton without the states that lead nowhere, or nothing where it is too large to read."""
    try:
        node = parse(regex)
        found = automaton(node, alphabet(node), LIMITS)
    except (TooLarge, BadRegex):
        return None
    live = leading_on(found)
    if 0 not in live or len(live) > MOST_STATES:
        return None
    place = {state: number for number, state in enumerate(sorted(live))}
    moves: dict[tuple[int, int], int] = {}
    for state in place:
        for mask, following in zip(found.classes, found.steps[state], strict=True):
            if following in place:
                way = place[state], place[following]
                moves[way] = moves.get(way, 0) | mask
    return {
        "states": len(place),
        "accepting": [number for state, number in place.items() if found.accepting[state]],
        "edges": [[here, there, write(chars(mask))] for (here, there), mask in moves.items()],
    }


def leading_on(dfa: Dfa) -> set[int]:
    """The states from which a text can still be accepted."""
    live = {state for state, accepting in enumerate(dfa.accepting) if accepting}
    while True:
        more = {
            state
            for state, steps in enumerate(dfa.steps)
            if state not in live and live & set(steps)
        }
        if not more:
            return live
        live |= more
