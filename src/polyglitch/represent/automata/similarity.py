"""How alike two regexes are: SemMT-R on their tokens, SemMT-D on their languages, SemMT-H on both.

Cao et al., TOSEM 2022, equations 1 to 5. The published tool enumerates words, loses the quantifiers of groups and stops
at the first decrease; here words are counted on the product of two minimal automata, with whole numbers.

The same similarity compiled, where somebody built it (`make native`). Without it nothing is lost but time.
"""

from __future__ import annotations

import re
import time
from fractions import Fraction
from functools import cache
from typing import Literal, Protocol

import msgspec
from rapidfuzz.distance import Levenshtein

from polyglitch.represent.automata.dfa import (
    DEFAULT_LIMITS,
    AutomatonLimits,
    Dfa,
    TooLarge,
    alphabet,
    automaton,
)
from polyglitch.represent.automata.product import Product, counts, product, shared_counts
from polyglitch.represent.regex.parse import names, parse
from polyglitch.represent.regex.tree import Node

CONVERGED = 0.001  # the paper's threshold on the change from one length to the next
LENGTHS = 2_000  # words this long say nothing new of a regex that people write
EXACT_STATES = 300  # eigenvalues of larger products take seconds
USUAL = ("paper", DEFAULT_LIMITS)
TOKEN = re.compile(r"<\w+>|\[\^?(?:\\.|[^\]\\])*(?:\]|\\?\Z)|\{[^}]*(?:\}|\Z)|\\.|\w+|.", re.DOTALL)


class Compiled(Protocol):
    """What native/automata.c offers."""

    def similarity(
        self, one: str, other: str, threshold: float
    ) -> tuple[float, int, bool] | None: ...

    def learn(self, name: str, value: str, is_class: bool) -> None: ...


@cache
def compiled() -> Compiled | None:
    """The compiled part, told the names that a regex may use; nothing where it was not built."""
    try:
        from polyglitch.represent.automata import _native
    except ImportError:
        return None
    for name, (kind, value) in names().items():
        _native.learn(name, value, kind == "class")
    return _native


def native_similarity(one: str, other: str, threshold: float) -> tuple[float, int, bool] | None:
    """Value, longest length counted and whether it is exact; nothing where Python has to do it.

    That is where it was not built, and for whatever is out of the ordinary: a mistake in a regex, letters beyond ASCII,
    thousands of states.
    """
    part = compiled()
    if part is None or not (one.isascii() and other.isascii()):
        return None
    return part.similarity(one, other, threshold)


class RegexSimilarity(msgspec.Struct, frozen=True):
    """A similarity from 0 to 1, or why it is undecided; `length` is the longest word counted."""

    value: float | None
    length: int = 0
    undecided: str = ""
    exact: bool = False


def regex_similarity(one: str, other: str) -> float:
    """SemMT-R: one minus the edit distance of the token sequences over the longer one.

    A class, a literal and a quantifier are one token each, as in the published data; an abstracted symbol in
    brackets such as `[Y]` is read character by character, as the paper's second running example counts it.
    """
    a, b = regex_tokens(one), regex_tokens(other)
    longer = max(len(a), len(b))
    return 1 - Levenshtein.distance(a, b) / longer if longer else 1.0


def regex_tokens(regex: str) -> list[str]:
    """Classes, literals, quantifiers and escapes as one token each, other characters by themselves."""
    found: list[str] = []
    for token in TOKEN.findall(regex.replace(" ", "")):
        symbol = len(token) == 3 and token.startswith("[")
        found += list(token) if symbol else [token]
    return found


def hybrid(regex_part: float, language_part: float, k: float = 0.5) -> float:
    """SemMT-H: `k` of SemMT-R and the rest of SemMT-D."""
    return k * regex_part + (1 - k) * language_part


def language_similarity(
    one: str | Node,
    other: str | Node,
    threshold: float = CONVERGED,
    mode: Literal["paper", "exact"] = "paper",
    limits: AutomatonLimits = DEFAULT_LIMITS,
) -> RegexSimilarity:
    """SemMT-D: the Jaccard similarity of the languages, as the limit over longer and longer words.

    Texts go through the compiled part where it was built; trees always go this way, which is the reference for it.
    """
    if isinstance(one, str) and isinstance(other, str) and (mode, limits) == USUAL:
        quick = native_similarity(one, other, threshold)
        if quick is not None:
            value, length, exact = quick
            return RegexSimilarity(value, length, exact=exact)
    a = parse(one) if isinstance(one, str) else one
    b = parse(other) if isinstance(other, str) else other
    if a is b:
        return RegexSimilarity(1.0, exact=True)
    symbols = alphabet(a, b)
    try:
        left, right = automaton(a, symbols, limits), automaton(b, symbols, limits)
        if left == right:  # minimal and numbered in one way: equal languages are equal automata
            return RegexSimilarity(1.0, exact=True)
        if mode == "paper":
            return converge(left, right, threshold, limits)
        pair = product(left, right, limits)
    except TooLarge as error:
        return RegexSimilarity(None, undecided=f"undecided: {error}")
    if not any(x and y for x, y in zip(pair.left, pair.right, strict=True)):
        return RegexSimilarity(0.0, exact=True)
    trimmed = trim(pair)
    if is_finite(trimmed):
        return converge(left, right, threshold, limits)
    return exact_limit(trimmed)


def exact_limit(trimmed: Product) -> RegexSimilarity:
    """The limit itself, by how fast both languages grow."""
    from polyglitch.represent.automata.product import limit

    if len(trimmed.steps) > EXACT_STATES:
        return RegexSimilarity(
            None, undecided=f"undecided: more than {EXACT_STATES} pairs of states"
        )
    found = limit(trimmed)
    if found is None:
        return RegexSimilarity(None, undecided="undecided: the ratio swings and has no limit")
    return RegexSimilarity(found, exact=True)


def is_finite(trimmed: Product) -> bool:
    """Whether a product without dead states accepts finitely many words: then it has no cycle."""
    lengths = zip(range(len(trimmed.steps) + 1), counts(trimmed), strict=False)
    return sum(1 for _ in lengths) <= len(trimmed.steps)


def converge(left: Dfa, right: Dfa, threshold: float, limits: AutomatonLimits) -> RegexSimilarity:
    """Count words until a length that adds some changes the ratio by less than the threshold.

    How many texts either accepts is the sum of both less what they share, so that only the states from which both still
    accept something are walked in pairs.
    """
    deadline = time.monotonic() + limits.seconds
    ones, others = left.words, right.words
    shared = total = 0
    before = -1.0
    for length, more in enumerate(shared_counts(left, right, limits)):
        if more is None:
            return RegexSimilarity(0.0, exact=True)
        one, other = ones.of_length(length), others.of_length(length)
        if one is None and other is None:  # no longer words: all counted
            return RegexSimilarity(float(Fraction(shared, total)), length - 1, exact=True)
        all_more = (one or 0) + (other or 0) - more
        shared, total = shared + more, total + all_more
        if all_more:
            ratio = shared / total
            if shared and abs(ratio - before) < threshold:
                return RegexSimilarity(ratio, length)
            before = ratio
        if length > LENGTHS or (length % 50 == 49 and time.monotonic() > deadline):
            break
    return RegexSimilarity(None, length, f"undecided: no limit up to length {length}")


def trim(pair: Product) -> Product:
    """The product without the states from which no word is accepted by either."""
    into: list[list[int]] = [[] for _ in pair.steps]
    for state, row in enumerate(pair.steps):
        for target, _ in row:
            into[target].append(state)
    alive = {s for s, flags in enumerate(zip(pair.left, pair.right, strict=True)) if any(flags)}
    todo = list(alive)
    while todo:
        for state in into[todo.pop()]:
            if state not in alive:
                alive.add(state)
                todo.append(state)
    steps = [[(to, size) for to, size in row if to in alive] for row in pair.steps]
    live = [row if state in alive else [] for state, row in enumerate(steps)]
    return Product(live, pair.left, pair.right)
