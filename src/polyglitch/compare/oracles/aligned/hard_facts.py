"""Facts that both sources state and only one output keeps: numbers and negation. They weigh more than any wording.

A rule, not a weight: translators seldom break them, so labelled pairs are too few to learn them from, and a reader
forgives them least.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import NamedTuple

from polyglitch.compare.oracles.aligned.links import NONE, Linked, Side
from polyglitch.compare.oracles.aligned.text import Sentence, Word, number_words
from polyglitch.languages import language as language_of

FIGURES = re.compile(r"\d[\d.,]*")
LEAST = 3  # "one" is an article, "two" is also "both" or "a pair"


class Broken(NamedTuple):
    """A fact that one output states and the other does not: which, whose word says it."""

    kind: str
    output: int
    place: int


def broken_facts(linked: Linked, source: str, target: str) -> list[Broken]:
    """The numbers and negations of one output that the other lacks though both sources have them or neither."""
    return broken_numbers(linked, target) + broken_negations(linked, source, target)


def value(word: Word) -> str:
    """A number as its digits, whatever the signs between them; empty if it is none or too small to tell."""
    found = FIGURES.match(word.key) if word.kind == "number" else None
    digits = re.sub(r"\D", "", found.group()) if found else ""
    return digits if digits and int(digits) >= LEAST else ""


def values(sentence: Sentence) -> Counter[str]:
    """How often each number stands in a sentence."""
    return Counter(found for word in sentence.words if (found := value(word)))


def broken_numbers(linked: Linked, target: str) -> list[Broken]:
    """Numbers that the sources state as often as each other and only one output has."""
    before = [values(side.source) for side, _ in linked.sides]
    found = []
    for number, (side, other) in enumerate(linked.sides):
        for at, word in enumerate(side.output.words):
            held = value(word)
            stated = held and before[0][held] == before[1][held] > 0
            if stated and not says(other.output, held, target):
                found.append(Broken("number", number, at))
    return found


def says(sentence: Sentence, held: str, language: str) -> bool:
    """Whether a sentence has a number in any form: in figures, as a word, or inside one where words are not spaced."""
    figures = {re.sub(r"\D", "", found) for found in FIGURES.findall(sentence.text)}
    if held in figures or values(sentence)[held]:
        return True
    named = [name for name, digits in number_words(language).items() if digits == held]
    return any(name in word.text.lower() for word in sentence.words for name in named)


def broken_negations(linked: Linked, source: str, target: str) -> list[Broken]:
    """Changed negations of the output that has more than the other's, however weak those are counted."""
    before = [negations(side.source, source, broad=True) for side, _ in linked.sides]
    if len(before[0]) != len(before[1]) or any(edits_negation(s, source) for s, _ in linked.sides):
        return []
    for number, (side, other) in enumerate(linked.sides):
        plain = negations(side.output, target, broad=False)
        if len(plain) > len(negations(other.output, target, broad=True)):
            changed = [at for at in plain if side.output_match[at] == NONE]
            return [Broken("negation", number, at) for at in changed]
    return []


def negations(sentence: Sentence, language: str, broad: bool) -> list[int]:
    """Where a sentence negates; broadly also by words that deny in themselves ("unlikely", "fail")."""
    return [
        at
        for at, word in enumerate(sentence.words)
        if (word.kind == "negation" and not echoes(word, language))
        or (broad and half_negates(word, language))
    ]


def echoes(word: Word, language: str) -> bool:
    """Whether a word may merely repeat a negation, as Portuguese "nenhum" after "não"."""
    echo = language_of(language).negation.echo
    return word.key in echo or word.text.lower() in echo


def half_negates(word: Word, language: str) -> bool:
    """Whether a word negates by what it means, as listed."""
    known = language_of(language).negation
    form = word.text.lower()
    if any(sign in form for sign in known.characters):
        return True
    return echoes(word, language) or bool({word.key, form} & weak_negations(language))


@cache
def weak_negations(language: str) -> frozenset[str]:
    """The words that deny in themselves, as listed."""
    known = language_of(language).negation
    return frozenset((*known.weak, *known.implied))


def edits_negation(side: Side, language: str) -> bool:
    """Whether the edit itself touches a negation, however weak."""
    return any(
        match == NONE and (word.kind == "negation" or half_negates(word, language))
        for word, match in zip(side.source.words, side.source_match, strict=True)
    )
