"""The agreement witness: the edit put a noun of the other gender, and a word that agreed with the first did not follow.

No parser is asked: the determiner before the changed noun tells its gender, closed lists tell the pronouns and the
verbs that link a noun with what is said of it (`[agreement]` in languages/*/language.toml).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

from polyglitch.compare.metrics.units import Units, cut
from polyglitch.compare.oracles.witnesses.changed_words import Pair, changed_pair
from polyglitch.compare.oracles.witnesses.statement import Statement
from polyglitch.languages import language as language_of
from polyglitch.languages import two_letters
from polyglitch.protocols import Tools
from polyglitch.records import Trial

GENDERS = ("masculine", "feminine")
ENDINGS = {"o": 0, "os": 0, "a": 1, "as": 1}
REACH = (
    4  # words after a linking verb that may still tell its subject's state: "is steep and slippery"
)
SHORTEST = 4  # letters of a word whose ending tells a gender
STIFF = ("mente", "ndo")  # endings of adverbs and gerunds, which agree with nothing
PLAIN, DOUBTFUL = (
    1.0,
    0.5,
)  # the noun is the only one it can speak of; there is another noun of its gender


class AgreementWitness:
    """Looks at what follows a noun whose gender changed with the edit."""

    name = "agreement"
    signature = "agreement(1)"

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """The first word that kept the gender of the other output's noun."""
        source, target = (two_letters(code) or "" for code in tools.languages)
        if not genders(target).determiners:
            return [None] * len(trials)
        return [
            disagreeing(pair, source, target)
            if trial.case.relation == "similar" and (pair := changed_pair(trial, target))
            else None
            for trial in trials
        ]


class Genders(NamedTuple):
    """The gender of determiners and pronouns, and the verbs that link."""

    determiners: dict[str, int]
    pronouns: dict[str, int]
    linking: frozenset[str]


@cache
def genders(language: str) -> Genders:
    """What the language's lists say; empty for a language without them."""
    known = language_of(language).agreement
    tables = [
        dict.fromkeys(table, 0) | dict.fromkeys(table.values(), 1)
        for table in (known.determiners, known.pronouns)
    ]
    return Genders(tables[0], tables[1], frozenset(known.linking))


class Noun(NamedTuple):
    """A noun behind a determiner: its place, its gender, and whether it opens a clause as a subject does."""

    at: int
    gender: int
    leads: bool


def disagreeing(pair: Pair, source: str, language: str) -> Statement | None:
    """What is to be said of the first word that does not agree, where exactly one noun changed its gender."""
    known, told = genders(language), genders(source).pronouns
    if any(unit.lower() in told for text in pair.inputs for unit in cut(text, source).units):
        return None  # "the boy ... as she had been taught": the gender is the source's own
    sides = [cut(text, language) for text in pair.outputs]
    changed = [{word.start for word in pair.words if word.output == number} for number in (0, 1)]
    nouns = [
        changed_nouns(side, places, known) for side, places in zip(sides, changed, strict=True)
    ]
    turned = [(a, b) for a, b in product(*nouns) if a.gender != b.gender]
    if len(turned) != 1 or len(nouns[0]) != 1 or len(nouns[1]) != 1:
        return None
    for number, noun in enumerate(turned[0]):
        found = first_disagreeing(sides[number], noun, changed[number], language)
        if found is not None:
            return said(sides[number], noun, *found, number)
    return None


def changed_nouns(side: Units, changed: set[int], known: Genders) -> list[Noun]:
    """The changed words behind a determiner that tells their gender."""
    low = [unit.lower() for unit in side.units]
    return [
        Noun(at, known.determiners[low[at - 1]], at == 1 or not low[at - 2].isalpha())
        for at in range(1, len(low))
        if side.spans[at][0] in changed
        and low[at - 1] in known.determiners
        and low[at] not in known.determiners
    ]


def first_disagreeing(
    side: Units, noun: Noun, changed: set[int], language: str
) -> tuple[int, float] | None:
    """The first shared word after the noun that has the other gender and may speak of it, and how surely it does."""
    known = genders(language)
    units = [unit.lower() for unit in side.units]
    before = {known.determiners[low] for low in units[: noun.at - 1] if low in known.determiners}
    # Genders of the nouns after it, which a pronoun may stand for as well.
    between: set[int] = set()
    linked = 0
    for at in range(noun.at + 1, len(side.units)):
        low = side.units[at].lower()
        linked = max(0, linked - 1)
        if low in known.linking:
            linked = REACH
        elif low in language_of(language).numbers and low not in known.determiners:
            linked = (
                0  # "was delivered two weeks later": what follows is counted, not told of the noun
            )
        elif low in known.determiners and not leans(side, at):
            between.add(known.determiners[low])
            linked = 0
        else:
            gender = pronoun_gender(side, at, known)
            if gender is None and linked and noun.leads and not between:
                gender = adjective_gender(low, language)
            if gender is not None:
                sure = DOUBTFUL if gender in between | before else PLAIN
                shared = side.spans[at][0] not in changed
                return (at, sure) if shared and gender != noun.gender else None
    return None


def leans(side: Units, at: int) -> bool:
    """Whether a word leans on the verb before it by a hyphen."""
    return at > 1 and side.units[at - 1] == "-"


def pronoun_gender(side: Units, at: int, known: Genders) -> int | None:
    """The gender of a pronoun, alone or leaning on a verb; nothing for other words."""
    low = side.units[at].lower()
    if leans(side, at):
        return known.pronouns.get("-" + low)
    if "-" in low:
        return known.pronouns.get("-" + low.rpartition("-")[2])
    return known.pronouns.get(low)


def adjective_gender(low: str, language: str) -> int | None:
    """The gender that the ending of a word tells; nothing for adverbs, short words and those of the closed classes."""
    if len(low) < SHORTEST or low.endswith(STIFF) or low in language_of(language).function_words:
        return None
    return ENDINGS.get(low[-2:] if low.endswith("s") else low[-1:])


def said(side: Units, noun: Noun, at: int, sure: float, number: int) -> Statement:
    """The statement on one word."""
    ordinal = ("first", "second")[number]
    words = (
        f"'{side.units[noun.at]}' is {GENDERS[noun.gender]}, and '{side.units[at]}' is "
        f"{GENDERS[1 - noun.gender]} (in the {ordinal})"
    )
    return Statement(AgreementWitness.name, sure, words, number, side.spans[at])
