"""What the facts oracle reads: the lists of a language (`languages/*/facts.toml`), and a text as words in places."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

import msgspec
from rapidfuzz.distance import LCSseq

from polyglitch.compare.metrics.units import cut
from polyglitch.languages import language as language_of

FILE = "facts.toml"
TITLE = 3  # words that both texts have in a row, half of them with a capital, make a title
SHORTEST = 4  # letters of a word that is listed by its lemma and read in all its forms
RECENT = (
    4096  # texts that are kept as words: the mutants of a sentence are read one after the other
)
STRAIGHT = str.maketrans("\u2019\u02bc", "''")


class FactFinding(NamedTuple):
    """A fact that a translation does not keep: its kind, a sentence that says so, and where it shows."""

    kind: str
    reason: str
    start: int
    end: int
    weight: float


class NegationForms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Beside `[negation]` of language.toml: what negates by two words, and what excuses a negation elsewhere."""

    first: tuple[str, ...] = ()  # of a negation in two parts: ne ... pas
    second: tuple[str, ...] = ()
    before: tuple[str, ...] = ()  # second parts that may stand before the first: personne ne
    echo: tuple[str, ...] = ()  # that may merely go on with a negation: neither ... nor
    phrases: tuple[str, ...] = ()  # with a negation that another language need not have: "not only"
    forms: tuple[str, ...] = ()  # that deny, as they are written
    loose: tuple[str, ...] = ()  # of the weak ones, those that deny too seldom to excuse anything


class FactLists(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a language writes its facts; all empty for a language without lists."""

    joiners: tuple[str, ...] = ()  # inside numbers: and
    vague: tuple[str, ...] = ()  # numbers that are none: hundreds, dozens
    halves: tuple[str, ...] = ()  # after a magnitude: a million and a half
    months: tuple[tuple[str, ...], ...] = ()
    doubtful_months: tuple[str, ...] = ()  # that are also other words: may, march
    before_months: tuple[str, ...] = ()  # a doubtful one is a month after these
    weekdays: tuple[tuple[str, ...], ...] = ()
    joined_days: tuple[str, ...] = ()  # written together with a weekday: Montagabend
    afternoon: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()  # letters that its own words do not have; $ is the end of a word
    loans: tuple[str, ...] = ()  # words that have them all the same
    doubled: tuple[str, ...] = ()  # words that may well stand twice in a row
    negation: NegationForms = NegationForms()
    inflect: dict[str, tuple[str, ...]] = {}  # endings of the forms, by the ending of the lemma
    ordinals: dict[str, int] = {}
    hundreds: dict[str, int] = {}  # number words beyond those of language.toml
    magnitudes: dict[str, int] = {}  # short forms: mn, Mrd.
    units: dict[str, tuple[str, ...]] = {}  # the words and signs of each unit, by its usual sign

    @property
    def written(self) -> bool:
        """Whether more is known than words that may stand twice."""
        return self != FactLists(doubled=self.doubled)


@cache
def fact_lists(code: str) -> FactLists:
    """The lists of a language, or empty ones."""
    known = language_of(code)
    if known.file(FILE) is None:
        return FactLists()
    return msgspec.convert(known.table(FILE, "the facts oracle"), FactLists)


@cache
def deniers(code: str) -> frozenset[str]:
    """Words that deny by what they mean, in all their forms."""
    lists, known = fact_lists(code), language_of(code).negation
    found = {*known.implied, *lists.negation.forms}
    for lemma in {*known.weak, *known.implied, *known.more} - set(lists.negation.loose):
        found |= inflected(lemma, lists.inflect)
    return frozenset(found - set(lists.negation.loose))


def inflected(lemma: str, endings: dict[str, tuple[str, ...]]) -> set[str]:
    """The forms of a word by the longest ending that has a list: whole words, so that no other word begins alike."""
    for ending in sorted(endings, key=len, reverse=True):
        if len(lemma) >= SHORTEST and lemma.endswith(ending):
            stem = lemma.removesuffix(ending)
            return {lemma, *(stem + other for other in endings[ending])}
    return {lemma}


class FactWord(NamedTuple):
    """A word or sign as it is written, in lower case, and its place."""

    text: str
    low: str
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        """Whether there is a letter or a figure in it."""
        return self.text.isalnum() or any(character.isalnum() for character in self.text)


@lru_cache(RECENT)
def fact_words(text: str, code: str) -> tuple[FactWord, ...]:
    """A text as words and signs."""
    units = cut(text, code)
    return tuple(
        FactWord(unit, unit.lower().translate(STRAIGHT), *place)
        for unit, place in zip(units.units, units.spans, strict=True)
    )


def kept_titles(
    one: tuple[FactWord, ...], other: tuple[FactWord, ...]
) -> tuple[set[int], set[int]]:
    """Places of titles and long names that both texts have: "On a Wing and a Prayer" is not translated, nor read."""
    here: set[int] = set()
    there: set[int] = set()
    for code in LCSseq.opcodes([word.low for word in one], [word.low for word in other]):
        run = one[code.src_start : code.src_end]
        capitals = sum(word.text[:1].isupper() for word in run)
        if code.tag == "equal" and len(run) >= TITLE and 2 * capitals >= len(run):
            here |= set(range(code.src_start, code.src_end))
            there |= set(range(code.dest_start, code.dest_end))
    return here, there


def without_titles(
    one: tuple[FactWord, ...], other: tuple[FactWord, ...]
) -> tuple[tuple[FactWord, ...], tuple[FactWord, ...]]:
    """Two texts without the titles that both have."""
    here, there = kept_titles(one, other)
    return (
        tuple(word for at, word in enumerate(one) if at not in here),
        tuple(word for at, word in enumerate(other) if at not in there),
    )


@cache
def by_first_word(phrases: tuple[str, ...]) -> dict[str, list[list[str]]]:
    """Phrases as lists of words, by the word that they begin with: most words of a text begin none."""
    found: dict[str, list[list[str]]] = {}
    for phrase in phrases:
        parts = phrase.split()
        found.setdefault(parts[0], []).append(parts)
    return found


def phrase_places(words: tuple[FactWord, ...], phrases: tuple[str, ...]) -> list[range]:
    """Where phrases of one or more words stand."""
    known = by_first_word(phrases)
    return [
        range(at, at + len(parts))
        for at, word in enumerate(words)
        for parts in known.get(word.low, ())
        if [one.low for one in words[at : at + len(parts)]] == parts
    ]
