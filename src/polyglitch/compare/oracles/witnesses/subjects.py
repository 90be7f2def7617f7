"""What the words around a noun tell of it: its gender and number, and which verb is its own.

Determiners, closed lists and endings tell the form (`[agreement]` and `[concord]` in languages/*/language.toml), the
language's parser the verb. Nothing is told wherever the words leave a doubt. Read by the rules of the grammar witness
(`grammar.py`, `noun_concord.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from polyglitch.compare.oracles.witnesses.agreement import NOUN_REACH, adjective_gender, genders
from polyglitch.languages import language as language_of
from polyglitch.nlp.lexicons.words import frequencies
from polyglitch.records import Token

NAMING = frozenset({"NOUN", "PROPN", "PRON"})  # what "and" may join with a noun
KNOWN = 1.5  # on the scale of Zipf frequencies: once in thirty million words
MUCH_RARER = 1.5  # on the same scale: the other number of a noun is no rarer than that
COMMON = 2.5  # a noun that is seen in both numbers: once in three million words
SHORTEST_NOUN = 4  # letters of a noun whose ending tells its number


class Form(NamedTuple):
    """What is known of a noun: its gender (nothing where only its number is told) and whether it is plural."""

    gender: int | None
    plural: bool


class Clash(NamedTuple):
    """Two words that do not go together: their places among the tokens, the second at fault, and why."""

    kind: str
    first: int
    second: int
    reason: str


@cache
def articles(language: str) -> dict[str, Form]:
    """What the words before a noun tell of it: articles, possessives, numbers."""
    known = language_of(language)
    pairs = {
        **known.agreement.determiners,
        **known.concord.determiners,
        **known.concord.counting,
    }
    told = [(word, gender) for both in pairs.items() for gender, word in enumerate(both)]
    plural = frozenset(known.concord.counting) | frozenset(known.concord.counting.values())
    return {word: Form(gender, word.endswith("s") or word in plural) for word, gender in told}


def determiner(tokens: Sequence[Token], at: int, language: str) -> int | None:
    """Where the word stands that tells of a noun; nothing where a preposition or another noun is between."""
    told = articles(language)
    for place in range(at - 1, max(-1, at - 1 - NOUN_REACH), -1):
        low = tokens[place].text.lower()
        if low in told:
            # "a preço fixo": a preposition that has the form of an article
            ending = noun_gender(tokens[at].text.lower(), language)
            return place if ending in (None, told[low].gender) else None
        # "a cada ano": what stands before such a determiner is none
        if tokens[place].pos not in ("ADJ", "NUM", "DET") or low in genders(language).genderless:
            break
    return None


def noun_gender(low: str, language: str) -> int | None:
    """The gender that a noun's ending tells almost without exception."""
    known = language_of(language)
    if low.endswith(known.concord.feminine_endings):
        return None if low in known.concord.masculine_nouns else 1
    if low in known.concord.feminine_nouns:
        return 1
    bare = low.removesuffix("s")
    masculine = adjective_gender(low, language) == 0 and bare not in known.agreement.feminine_in_o
    return 0 if masculine and not bare.endswith(known.concord.either_endings) else None


@cache
def noun_plural(low: str, language: str) -> bool | None:
    """Whether a noun is plural, where the lists have its other number as well: "lápis" has none."""
    frequency, known = frequencies(language), language_of(language).concord
    if frequency is None or low in known.either_number or len(low) < SHORTEST_NOUN:
        return None
    own = frequency(low)
    for plural, singular in known.plurals.items():
        other = low.removesuffix(plural) + singular
        if low.endswith(plural) and frequency(other) >= max(KNOWN, own - MUCH_RARER):
            return True
    if low.endswith("s") or own < COMMON:
        return None
    for plural, singular in known.plurals.items():
        other = low.removesuffix(singular) + plural
        if low.endswith(singular) and frequency(other) >= max(KNOWN, own - MUCH_RARER):
            return False
    return None


def noun_form(tokens: Sequence[Token], at: int, language: str, opens: bool = False) -> Form | None:
    """Gender and number of a noun that may be a subject: behind no preposition, joined with nothing, no quantity.

    Where its verb is singular it `opens` a clause of its own behind "and": "ela riu, e sua mãe está".
    """
    low = tokens[at].text.lower()
    place = determiner(tokens, at, language)
    if place is None or tokens[at].pos != "NOUN" or low in language_of(language).concord.quantities:
        return None
    form = articles(language)[tokens[place].text.lower()]
    opens = opens and not form.plural and place > 1 and tokens[place - 2].pos not in NAMING
    sure = form.plural == low.endswith("s") and alone(tokens, at, place, language, opens)
    return form if sure else None


def alone(tokens: Sequence[Token], at: int, start: int, language: str, opens: bool = False) -> bool:
    """Whether the words from `start` to a noun follow no preposition, and no other noun is joined with it."""
    told, known = articles(language), genders(language)
    while start > 0 and (tokens[start - 1].text.lower() in told or tokens[start - 1].pos == "DET"):
        start -= 1  # "em vários outros países"; "a este prazo" begins with a preposition
    start += start < at and tokens[start].text.lower() == "a" and tokens[start + 1].pos == "DET"
    before = tokens[start - 1] if start else None
    behind = before is not None and (
        before.pos == "ADP"
        or (before.pos == "CCONJ" and not opens)
        or before.text.lower() in known.prepositions
    )
    contracted = any(
        one.text.lower() in known.prepositions - {"a"} for one in tokens[max(0, start - 1) : at]
    )
    joined = any(token.head == at and token.relation in ("conj", "appos") for token in tokens)
    # "Quem maltrata os animais demonstra": the clause is the subject
    whole = any(
        one.text.lower() in language_of(language).concord.clause_subjects for one in tokens[:start]
    )
    return not (behind or contracted or joined or whole)


def finite(tokens: Sequence[Token], subject: int) -> int | None:
    """The verb that has the number of a subject: the first auxiliary of its head, else the head."""
    head = tokens[subject].head
    helping = [
        at
        for at, token in enumerate(tokens)
        if token.head == head and token.relation.startswith(("aux", "cop")) and at != head
    ]
    verb = min(helping, default=head)
    return verb if verb > subject and tokens[verb].pos in ("VERB", "AUX") else None


def beside(tokens: Sequence[Token], subject: int, verb: int, language: str) -> bool:
    """Whether nothing between a subject and its verb makes their tie doubtful."""
    refers, between = genders(language).refers, tokens[subject + 1 : verb]
    doubtful = any(
        token.pos in ("VERB", "AUX", "PUNCT", "CCONJ", "SCONJ") or token.text.lower() in refers
        for token in between
    )
    # "a maneira como os movimentos são": another noun with a determiner and no preposition
    rival = any(
        token.pos in ("DET", "NUM") and tokens[subject + at].pos != "ADP"
        for at, token in enumerate(between)
    )
    return not doubtful and not rival
