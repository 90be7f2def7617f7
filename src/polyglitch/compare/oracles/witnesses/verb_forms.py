"""Verbs at the same place of both outputs, one of them in a form that does not belong there.

"o lobo deixou", "o lobo deixar"; "bombeiros puxaram", "bombeiros puxou"; "beba água e evitar o álcool"; "a babá saiu",
"a babá abandonada". What stands before them is the same, so that one of the two must be wrong: what the grammar witness
asks where no two words of one output clash (`grammar.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from polyglitch.compare.oracles.witnesses.agreement import genders
from polyglitch.compare.oracles.witnesses.changed_words import (
    ORDINALS,
    ChangedWord,
    Pair,
    Statement,
)
from polyglitch.languages import language as language_of
from polyglitch.records import Parse, Token

GRAMMAR = "grammar"  # the name of the witness
SUBJECTS = frozenset({"nsubj", "nsubj:pass"})
NUMBERS = ("singular", "plural")


class Same(NamedTuple):
    """A verb of each output at the same place, and what both have before it in its clause."""

    verbs: tuple[Token, Token]
    before: Sequence[Token]
    subject: Token


def other_form(pair: Pair, parses: dict[str, Parse], language: str) -> Statement | None:
    """A verb in another form than at the same place of the other output, where all words before it are the same.

    "o lobo deixou", "o lobo deixar"; "bombeiros puxaram", "bombeiros puxou".
    """
    tokens = [parses[text].tokens for text in pair.outputs]
    for block in dict.fromkeys(word.block for word in pair.words):
        some = [word for word in pair.words if word.block == block]
        if one := participle_there(pair, tokens, some, language):
            return one
        if [word.output for word in some] != [0, 1] or any(word.early for word in some):
            continue
        found = same_place(tokens, [word.start for word in some], language)
        if found and (one := infinitive_there(found, language) or number_there(found, language)):
            return one
    return None


def other_order(pair: Pair, parses: dict[str, Parse], language: str) -> Statement | None:
    """An order that goes on in another form than it began: "beba água e evitar o álcool", where the other has "evite".

    Either form gives an order, so that the first word of both outputs, which must be the same, tells which is at fault.
    """
    tokens = [parses[text].tokens for text in pair.outputs]
    if not all(ordering(some) for some in tokens) or tokens[0][0].text != tokens[1][0].text:
        return None
    for block in dict.fromkeys(word.block for word in pair.words):
        starts = [
            min((w.start for w in pair.words if (w.block, w.output) == (block, number)), default=0)
            for number in (0, 1)
        ]
        found = [joined_verb(some, start) for some, start in zip(tokens, starts, strict=True)]
        if found[0] is None or found[1] is None:
            continue
        verbs_there = found[0], found[1]
        bare = [is_infinitive(one, language) for one in verbs_there]
        if bare[0] != bare[1]:
            number = bare.index(not is_infinitive(tokens[0][0], language))
            same = Same(verbs_there, (), tokens[0][0])
            return said_of(same, number, "goes on in another form where the other translation has")
    return None


def ordering(tokens: Sequence[Token]) -> bool:
    """Whether a sentence may begin with an order: parsers take one for a noun or a name, but no verb stands behind."""
    if len(tokens) < 2 or tokens[1].pos in ("VERB", "AUX", "PUNCT"):
        return False
    return tokens[0].pos in ("VERB", "NOUN", "PROPN") and not tokens[0].text.endswith("s")


def joined_verb(tokens: Sequence[Token], start: int) -> Token | None:
    """The verb that begins there, right behind "and" or "or"."""
    return next(
        (
            token
            for before, token in pairwise(tokens)
            if token.start == start and token.pos == "VERB" and before.pos == "CCONJ"
        ),
        None,
    )


def is_infinitive(token: Token, language: str) -> bool:
    """Whether a verb is one by its ending."""
    return token.text.lower().endswith(language_of(language).concord.infinitives)


def same_place(
    tokens: Sequence[Sequence[Token]], starts: Sequence[int], language: str
) -> Same | None:
    """The verbs that begin there, if a subject stands before them and nothing that asks for another form."""
    places = [
        next((at for at, token in enumerate(some) if token.start == start), None)
        for some, start in zip(tokens, starts, strict=True)
    ]
    if places[0] is None or places[0] != places[1]:
        return None
    at = places[0]
    before = tokens[0][:at]
    same = [one.text.lower() for one in before] == [one.text.lower() for one in tokens[1][:at]]
    verbs_there = tokens[0][at], tokens[1][at]
    known = language_of(language).concord
    marks = [place for place, one in enumerate(before) if one.pos == "PUNCT"]
    clause = before[marks[-1] + 1 :] if marks else before
    asked = {one.text.lower() for one in (*before[:1], *clause)} & set(known.openers)
    subjects = [one for one in before if one.relation in SUBJECTS and one.head == at]
    heads = {token.pos for token in verbs_there} <= {"VERB", "AUX"}
    if not same or not heads or asked or len(subjects) != 1:
        return None
    return Same(verbs_there, clause, subjects[0])


def infinitive_there(found: Same, language: str) -> Statement | None:
    """An infinitive where the other output has a verb."""
    endings = language_of(language).concord.infinitives
    bare = [
        one.text.lower().endswith(endings) and one.lemma == one.text.lower() for one in found.verbs
    ]
    governed = any(one.pos in ("VERB", "AUX", "ADP") for one in found.before)
    number = int(bare[1])
    if (
        bare[0] == bare[1]
        or governed
        or verb_plural(found.verbs[1 - number].text.lower(), language) is None
    ):
        return None
    return said_of(found, number, "is an infinitive where the other translation has")


def participle_there(
    pair: Pair,
    tokens: Sequence[Sequence[Token]],
    words: Sequence[ChangedWord],
    language: str,
) -> Statement | None:
    """A participle where the other output has the verb of its clause: "a babá abandonada há uma hora"."""
    known = language_of(language).concord
    starts = [min((w.start for w in words if w.output == side), default=-1) for side in (0, 1)]
    places = [
        next((at for at, token in enumerate(some) if token.start == start), 0)
        for some, start in zip(tokens, starts, strict=True)
    ]
    before = {tokens[n][at - 1].text.lower() for n, at in enumerate(places)}
    # "esse vestido": behind a determiner stands a noun, whatever a parser says
    if 0 in places or len(before) > 1 or before & genders(language).determiners.keys():
        return None
    for number, at in enumerate(places):
        own, other = tokens[number][at], tokens[1 - number][places[1 - number]]
        bare = own.pos == "VERB" and own.text.lower().endswith(known.participles)
        if not bare or not tells(other, language):
            continue
        subjects = [
            one
            for one in tokens[1 - number]
            if one.relation in SUBJECTS and one.head == places[1 - number]
        ]
        helped = any(one.pos in ("VERB", "AUX") for one in tokens[number][max(0, at - 3) : at])
        if subjects and not helped and not verb_follows(tokens[number][at + 1 :], language):
            found = Same((tokens[0][places[0]], tokens[1][places[1]]), (), subjects[0])
            return said_of(found, number, "is a participle where the other translation has")
    return None


def tells(token: Token, language: str) -> bool:
    """Whether a word is a verb of the third person."""
    return token.pos in ("VERB", "AUX") and verb_plural(token.text.lower(), language) is not None


def verb_follows(tokens: Sequence[Token], language: str) -> bool:
    """Whether a clause goes on with a verb; "há dez minutos" tells a time."""
    ago = language_of(language).concord.ago
    clause = takewhile(lambda token: token.pos not in ("PUNCT", "CCONJ"), tokens)
    return any(tells(token, language) and token.text.lower() not in ago for token in clause)


def number_there(found: Same, language: str) -> Statement | None:
    """A verb that has not the number of its subject, where the other output's verb has."""
    known, low = language_of(language).concord, found.subject.text.lower()
    numbers = [verb_plural(one.text.lower(), language) for one in found.verbs]
    joined = any(one.pos == "CCONJ" for one in found.before)
    if None in numbers or numbers[0] == numbers[1] or joined or low in known.quantities:
        return None
    plural = low.endswith("s")
    number = numbers.index(not plural)
    return said_of(found, number, f"is {NUMBERS[not plural]} where the other translation has")


def said_of(found: Same, number: int, what: str) -> Statement:
    """The statement on the verb of one output."""
    token, other = found.verbs[number], found.verbs[1 - number]
    words = f"'{token.text}' {what} '{other.text}' (in the {ORDINALS[number]})"
    return Statement(GRAMMAR, 1.0, words, number, (token.start, token.end))


def verb_plural(low: str, language: str) -> bool | None:
    """The number of a verb of the third person by its ending."""
    known = language_of(language).concord
    low = low.partition("-")[0]  # "encontram-se"
    if low in known.singular_forms:
        return False
    if low.endswith(known.unnumbered):
        return None
    if low.endswith(known.plural_verbs):
        return True
    return False if low.endswith(known.singular_verbs) else None
