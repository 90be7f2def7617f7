"""Sentences as the aligned oracle reads them: words with a key to compare by and a kind that says what weighs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import zip_longest
from typing import Literal, NamedTuple

from polyglitch.compare.metrics.units import cut, han
from polyglitch.languages import language as language_of
from polyglitch.protocols import Parse

Kind = Literal["content", "function", "mark", "number", "name", "negation"]

CONTENT = frozenset({"NOUN", "VERB", "ADJ", "ADV", "X", "INTJ"})
SHORT = 3  # letters; without tags, words up to this length count as function words
CURRENCIES = frozenset({"US", "R", "A", "C", "HK", "NT", "NZ", "U.S."})  # dollars and reais
NUMBER = re.compile(r"[\d０-９]")


class Word(NamedTuple):
    """A word with its place in the text, the form it is compared by, and what kind of word it is."""

    text: str
    start: int
    end: int
    key: str
    kind: Kind
    pos: str
    head: int


class Sentence(NamedTuple):
    """A text and its words."""

    text: str
    words: tuple[Word, ...]
    parsed: bool = False  # whether heads mean anything

    @property
    def keys(self) -> list[str]:
        """What the words are compared by."""
        return [word.key for word in self.words]


@cache
def negations_of(language: str) -> frozenset[str]:
    """The words that negate in a language; none for a language without a list."""
    return frozenset(language_of(language).negation.all)


@cache
def number_words(language: str) -> dict[str, str]:
    """Numbers written as words, with their digits, up to the largest that the weights were learned with."""
    known = language_of(language)
    return {
        name: str(value)
        for name, value in known.numbers.items()
        if 0 < value <= known.largest_number_compared and name not in known.articles
    }


def read_parse(parse: Parse, language: str) -> Sentence:
    """A sentence from a parser's words."""
    words = tuple(
        word_of(token.text, token.start, token.end, token.lemma, token.pos, token.head, language)
        for token in parse.tokens
    )
    parsed = any(token.head != index for index, token in enumerate(parse.tokens))
    return Sentence(parse.text, with_currency(words), parsed)


def read_plain(text: str, language: str) -> Sentence:
    """A sentence without a parser: words by script, and a guess at which are function words."""
    units = cut(text, language)
    words = []
    for index, (unit, place) in enumerate(zip(units.units, units.spans, strict=True)):
        pos = guess(unit, index, language)
        lemma = agreeing(unit, pos, language)
        words.append(word_of(unit, *place, lemma, pos, index, language))
    return Sentence(text, tuple(words))


def with_currency(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The letters of "US $" as the mark they are part of, not as a name."""
    return tuple(
        word._replace(kind="mark", key=following.text)
        if following and following.text == "$" and word.text in CURRENCIES
        else word
        for word, following in zip_longest(words, words[1:])
    )


def guess(unit: str, index: int, language: str) -> str:
    """A part of speech from the looks of a word."""
    if not any(character.isalnum() for character in unit):
        return "PUNCT"
    if index and unit[:1].isupper() and not language_of(language).nouns_capitalised:
        return "PROPN"
    if unit.lower() in language_of(language).function_words:
        return "ADP"
    return "NOUN" if han().search(unit) or len(unit) > SHORT else "ADP"


def agreeing(unit: str, pos: str, language: str) -> str:
    """A word of unknown class as if it agreed with another: most that differ in such an ending alone do."""
    parts = language_of(language).agreement.parts
    return agreed(unit.lower(), parts[0], language) if parts and pos == "NOUN" else unit


def word_of(
    text: str, start: int, end: int, lemma: str, pos: str, head: int, language: str
) -> Word:
    """A word with its key and kind."""
    key = (lemma or text).lower().replace("\u2019", "'")
    if len(key) > 2 and "." in key and key.replace(".", "").isalpha():
        key = key.replace(".", "")  # U.S. and US are one
    key = number_words(language).get(key, agreed(key, pos, language))
    return Word(text, start, end, key, kind_of(text, key, pos, language), pos, head)


def agreed(key: str, pos: str, language: str) -> str:
    """The key without gender and number where words agree, and without an article taken up by a preposition.

    Those changes follow from the edit: a word is not another for agreeing with another noun.
    """
    known = language_of(language)
    if key in known.counts_as:
        return known.counts_as[key]
    if pos not in known.agreement.parts or len(key) <= SHORT or not key.isalpha():
        return key
    stem = key.removesuffix("s")
    return stem[:-1] + known.agreement.masculine.get(stem[-1:], stem[-1:])


def kind_of(text: str, key: str, pos: str, language: str) -> Kind:
    """What kind of word it is, hard facts first."""
    if text.lower() in negations_of(language) or key in negations_of(language):
        return "negation"
    if NUMBER.search(key):
        return "number"
    if pos in ("PUNCT", "SYM") or not any(character.isalnum() for character in text):
        return "mark"
    if pos == "PROPN" or (text.isascii() and not language_of(language).spaced):
        return "name"
    return "content" if pos in CONTENT else "function"


def frequencies(sentences: Sequence[Sentence]) -> dict[str, int]:
    """In how many distinct sentences each key stands."""
    counts: dict[str, int] = {}
    for text in {sentence.text: sentence for sentence in sentences}.values():
        for key in set(text.keys):
            counts[key] = counts.get(key, 0) + 1
    return counts
