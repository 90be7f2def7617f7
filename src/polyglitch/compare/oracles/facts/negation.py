"""Negations of a source and its translation, by closed lists: whole words, never beginnings of words.

A language may negate twice where another does once ("não ... nada", "никто не"), deny by a word ("failed to") or
negate idly ("not only"). So two counts are made of each text: negations that the other text must have, and
whatever could stand for one. Only what exceeds the other's larger count is a finding.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from polyglitch.compare.oracles.facts.lists import (
    FactFinding,
    FactWord,
    deniers,
    fact_lists,
    fact_words,
    phrase_places,
    without_titles,
)
from polyglitch.languages import language as language_of

WEIGHT = 0.9
COUNTED = 0.6  # both texts negate, one of them once more: that may be style
REACH = 9  # words between the two parts of a negation in two parts
CLAUSE_ENDS = frozenset(".;:!?")


class Negations(NamedTuple):
    """Places of words: plain negations, and all that may stand for one."""

    plain: list[int]
    broad: list[int]


def negation_findings(
    source: str, output: str, source_language: str, language: str
) -> list[FactFinding]:
    """A negation that only one of the two has."""
    known = [language_of(code) for code in (source_language, language)]
    if not all(each.negation.words and each.spaced for each in known):
        return []  # where nothing parts words a list of words tells nothing
    before, after = without_titles(
        fact_words(source, source_language), fact_words(output, language)
    )
    asked = read_negations(before, source_language, demanding=True)
    given = read_negations(after, language, demanding=False)
    if len(given.plain) > len(asked.broad):
        return added(before, asked, after, given)
    if len(asked.plain) > len(given.broad):
        reason = f"{named(before, asked.plain)} in the source, and the translation {has(after, given.broad)}"
        weight = COUNTED if given.broad else WEIGHT
        return [FactFinding("negation", reason, 0, len(output), weight)]
    return []


def added(
    before: tuple[FactWord, ...],
    asked: Negations,
    after: tuple[FactWord, ...],
    given: Negations,
) -> list[FactFinding]:
    """Every negation of the translation: which of several is too much cannot be told."""
    reason = (
        f"{named(after, given.plain)} in the translation, and the source {has(before, asked.broad)}"
    )
    weight = COUNTED if asked.broad else WEIGHT
    return [
        FactFinding("negation", reason, after[at].start, after[at].end, weight)
        for at in given.plain
    ]


def named(words: tuple[FactWord, ...], places: list[int]) -> str:
    """`'not' stands`, `'not' and 'never' stand`."""
    found = " and ".join(f"'{words[at].text}'" for at in places)
    return f"{found} {'stands' if len(places) == 1 else 'stand'}"


def has(words: tuple[FactWord, ...], places: list[int]) -> str:
    """What there is of negation in the other text."""
    if not places:
        return "has no negation"
    return f"has only '{words[places[0]].text}'" if len(places) == 1 else "has fewer of them"


def read_negations(words: tuple[FactWord, ...], code: str, demanding: bool) -> Negations:
    """The negations of a text; `demanding` ones are those that a translation must have, else those it may not add."""
    known, forms = language_of(code).negation, fact_lists(code).negation
    idioms = phrase_places(words, forms.phrases)
    idle = {at for place in idioms for at in place}
    paired = pairs(words, code)
    plain: list[int] = []
    echo: list[int] = []
    broad: list[int] = []
    for at, word in enumerate(words):
        if numbers_something(words, at):
            continue
        if forms.first and (word.low in forms.first or at in paired.values()):
            (plain if at in paired and at not in idle else broad).append(at)
        elif not negates(word.low, code):
            if denies(word.low, code) or (at in idle and word.low in known.all):
                broad.append(at)
        elif at in idle or (not demanding and word.low in deniers(code)):
            broad.append(at)
        elif forms.first and word.low in forms.second:
            if word.low in deniers(code):  # else it may be another word: "une personne"
                broad.append(at)
        else:
            (echo if word.low in known.echo or word.low in forms.echo else plain).append(at)
    if not plain and echo:
        plain = echo[:1]  # alone, "ninguém" is the negation itself
    # An idiom may deny without a negation of its own: "short of".
    silent = [place[0] for place in idioms if not any(negates(words[at].low, code) for at in place)]
    return Negations(plain, sorted({*plain, *echo, *broad, *silent}))


def pairs(words: tuple[FactWord, ...], code: str) -> dict[int, int]:
    """Negations in two parts: the place of the first with that of the second, which may stand before it."""
    forms = fact_lists(code).negation
    found: dict[int, int] = {}
    for at, word in enumerate(words):
        if word.low in forms.first:
            ahead, behind = clause(words, at, 1), clause(words, at, -1)
            second = [place for place in ahead if words[place].low in forms.second]
            second += [place for place in behind if words[place].low in forms.before]
            free = [place for place in second if place not in found.values()]
            if free:
                found[at] = free[0]
    return found


def clause(words: tuple[FactWord, ...], at: int, step: int) -> list[int]:
    """The places from a word to the end of its clause, or to its beginning."""
    found: list[int] = []
    place = at + step
    while 0 <= place < len(words) and len(found) < REACH and words[place].text not in CLAUSE_ENDS:
        found.append(place)
        place += step
    return found


def numbers_something(words: tuple[FactWord, ...], at: int) -> bool:
    """Whether a word is short for "number": No. 1."""
    after = [word.text for word in words[at + 1 : at + 3]]
    return len(after) == 2 and after[0] == "." and after[1][:1].isdigit()


def denies(low: str, code: str) -> bool:
    """Whether a word, or a part of a compound with hyphens, denies by what it means: non-fiction."""
    return any(part in deniers(code) for part in (low, *low.split("-")))


def negates(low: str, code: str) -> bool:
    """Whether a word is a negation, alone or in a contraction (don't)."""
    return low in negating_forms(code)


@cache
def negating_forms(code: str) -> frozenset[str]:
    """The words that negate, and the contractions that hold one."""
    known = language_of(code)
    words = frozenset(known.negation.words)
    short = (form for form, full in known.contractions.items() if words & set(full.split()))
    return words | frozenset(short)
