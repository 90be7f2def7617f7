"""Verbs in a form that their clause does not go with: rules of the grammar witness (`grammar.py`).

"os soldados acendeu", "nós provamos o doce e decidiu", "o hotel não tomar animais", "até que a luz pisca", "embora
era", "se o motor para aberto".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from polyglitch.compare.oracles.witnesses.agreement import adjective_gender, genders
from polyglitch.compare.oracles.witnesses.subjects import (
    Clash,
    alone,
    beside,
    determiner,
    finite,
    noun_form,
    noun_plural,
)
from polyglitch.compare.oracles.witnesses.verb_forms import NUMBERS, SUBJECTS, verb_plural
from polyglitch.languages import language as language_of
from polyglitch.nlp.lexicons.words import frequencies
from polyglitch.records import Token

VERBS = frozenset({"VERB", "AUX"})
LIGHT = frozenset({"ADV", "PRON", "PART"})  # may stand between a subject and its infinitive
OPENING = frozenset({"PUNCT", "CCONJ"})  # what a clause begins behind
BEFORE_NOUNS = frozenset({"DET", "ADP", "ADJ", "NUM"})
SHORTEST_TOLD = 4  # letters of a verb whose ending tells its mood
CLAUSE_REACH = 6  # words in which the verb of a clause is looked for
SHORTEST_STEM = 3  # letters of a verb before the ending that tells its conjugation
IN_USE, SEEN = 2.0, 1.0  # Zipf frequencies of an infinitive: there is such a verb; there may be one
NAMED = frozenset({"DET", "NOUN", "PROPN", "NUM"})  # behind a verb, what may be its subject
NO_CLAUSE = frozenset({"VERB", "AUX", "PUNCT", "CCONJ", "SCONJ"})  # ends the subject of a clause


def verbs(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """A verb that has not the number of its subject."""
    for at in range(len(tokens)):
        if tokens[at].relation not in SUBJECTS:
            continue
        plural, verb = subject_plural(tokens, at, language), finite(tokens, at)
        if plural is None or verb is None or not beside(tokens, at, verb, language):
            continue
        # "a perda não verão": a "não" too much makes a verb of a noun
        denied = tokens[verb - 1].text.lower() in language_of(language).negation.words
        noun = tokens[verb].text.lower() in language_of(language).words("plain_nouns")
        if (denied and (noun or not plural)) or names_thing(tokens, verb, language):
            continue
        number = verb_plural(tokens[verb].text.lower(), language)
        if number is not None and number != plural:
            words = (
                f"'{tokens[at].text}' is {NUMBERS[plural]}, and '{tokens[verb].text}' is "
                f"{NUMBERS[number]}"
            )
            yield Clash("verb", at, verb, words)


def subject_plural(tokens: Sequence[Token], at: int, language: str) -> bool | None:
    """Whether a subject is plural, where its words leave no doubt."""
    known, low = language_of(language).concord, tokens[at].text.lower()
    if low in known.subjects:
        return known.subjects[low] == "plural" if alone(tokens, at, at, language) else None
    form = noun_form(tokens, at, language)
    return form.plural if form else bare_plural(tokens, at, language)


def bare_plural(tokens: Sequence[Token], at: int, language: str) -> bool | None:
    """Whether a noun that a text begins with is plural, as its adjective is: "Informações sigilosas não inclui".

    "Campos faz" has none: that is a name.
    """
    low, known = tokens[at].text.lower(), language_of(language).concord
    described = [(one.pos, one.text.islower()) for one in tokens[at + 1 : at + 2]]
    begins = at == 0 and described == [("ADJ", True)] and low not in known.quantities
    sure = begins and noun_plural(low, language) and alone(tokens, at, at, language)
    return True if sure else None


def names_thing(tokens: Sequence[Token], verb: int, language: str) -> bool:
    """Whether a linking verb puts a noun beside its subject, whose number it may have: "o problema são as pessoas"."""
    linked = tokens[verb].text.lower() in genders(language).linking
    after = tokens[verb + 1].pos if verb + 1 < len(tokens) else ""
    return linked and after in ("DET", "NOUN", "PROPN", "NUM", "PRON")


def joined_persons(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """A verb in the third person, joined with one of the first: "nós provamos o doce e decidiu"."""
    known = language_of(language).concord
    for at in range(1, len(tokens) - 1):
        token, low, first = tokens[at], tokens[at].text.lower(), tokens[at].head
        if token.relation != "conj" or token.pos != "VERB" or tokens[at - 1].pos != "CCONJ":
            continue
        third = low.endswith(known.third_person) and low not in known.ownerless
        if not third or low in genders(language).linking or tokens[at + 1].pos in NAMED:
            continue
        subjects = [p for p, one in enumerate(tokens) if one.relation in SUBJECTS]
        speaker = next((place for place in subjects if tokens[place].head == first), None)
        if speaker is None or any(tokens[place].head == at for place in subjects):
            continue
        if speaker < first < at and tokens[speaker].text.lower() in known.speakers:
            words = f"'{token.text}' is no form that '{tokens[speaker].text}' goes with"
            yield Clash("person", speaker, at, words)


def infinitives(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """An infinitive with a subject of its own in a clause that nothing opens which would ask for one."""
    known = language_of(language).concord
    for at, token in enumerate(tokens):
        low = token.text.lower()
        if token.pos != "VERB" or not low.endswith(known.infinitives) or token.lemma != low:
            continue
        own = [place for place, one in enumerate(tokens) if one.head == at and place != at]
        subjects = [place for place in own if place < at and tokens[place].relation in SUBJECTS]
        helped = any(
            tokens[place].relation.startswith(("aux", "mark", "cop"))
            and not asks_subjunctive(tokens, place + 1, language)
            for place in own
        )
        if len(subjects) == 1 and not helped and opens(tokens, subjects[0], at, language):
            name = tokens[subjects[0]].text
            words = f"'{token.text}' is an infinitive, and its subject '{name}' needs a verb"
            yield Clash("infinitive", subjects[0], at, words)


def participles_alone(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """A participle right behind a pronoun that opens a clause: "nós rasgado o tapete"."""
    known = language_of(language).concord
    for at in range(len(tokens) - 1):
        first = at == 0 or tokens[at - 1].pos in OPENING
        if not first or tokens[at].text.lower() not in (*known.subjects, *known.speakers):
            continue
        low = tokens[at + 1].text.lower()
        if tokens[at + 1].pos == "VERB" and low.endswith(known.participles):
            words = f"'{low}' is a participle, and its subject '{tokens[at].text}' needs a verb"
            yield Clash("participle", at, at + 1, words)


def opens(tokens: Sequence[Token], subject: int, verb: int, language: str) -> bool:
    """Whether a subject opens a clause of its own, right before its verb."""
    known = language_of(language).concord
    named = tokens[subject].text.lower() in (*known.subjects, *known.speakers)
    start = subject if named else determiner(tokens, subject, language)
    if start is None or any(one.pos not in LIGHT for one in tokens[subject + 1 : verb]):
        return False
    if start > 0 and tokens[start - 1].text.lower() in known.statements:
        return True
    if named and asks_subjunctive(tokens, start - 1, language):
        return True
    first = start == 0 or tokens[start - 1].pos in OPENING
    return first and not any(one.text.lower() in known.openers for one in tokens[:subject])


def asks_subjunctive(tokens: Sequence[Token], at: int, language: str) -> bool:
    """Whether a word ends what asks for the present or past of the subjunctive: "até que"."""
    known = language_of(language).concord
    return (
        0 < at < len(tokens)
        and tokens[at].text.lower() in known.that
        and tokens[at - 1].text.lower() in known.purposes
    )


def indicatives(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """A verb that tells what is where the word that opens its clause asks for what may be: "embora parecia"."""
    known = language_of(language).concord
    for opener, token in enumerate(tokens):
        if token.text.lower() not in known.conceding:
            continue
        for at in range(opener + 1, min(len(tokens), opener + 1 + CLAUSE_REACH)):
            low = tokens[at].text.lower()
            if tokens[at].pos == "PUNCT" or low in genders(language).refers:
                break
            # Parsers take a verb in such a place for a noun: "a casa parecia"; "a família" has its determiner.
            named = tokens[at].text[0].isupper() or tokens[at - 1].pos in BEFORE_NOUNS
            told = len(low) >= SHORTEST_TOLD and low.endswith(known.telling)
            if not named and (told or low in known.telling_forms):
                words = f"'{tokens[at].text}' is no form that '{token.text}' goes with"
                yield Clash("mood", opener, at, words)
                break
            if tokens[at].pos in ("VERB", "AUX"):
                break


def presents(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """A verb that tells what is, behind words that ask for what shall be: "até que a luz pisca"."""
    for opener in range(1, len(tokens) - 1):
        if not asks_subjunctive(tokens, opener, language):
            continue
        for at in range(opener + 1, min(len(tokens), opener + 1 + CLAUSE_REACH)):
            token, low = tokens[at], tokens[at].text.lower()
            if token.pos == "PUNCT" or low in genders(language).refers:
                break
            # Parsers take a verb that ends its clause for an adjective.
            last = at + 1 == len(tokens) or tokens[at + 1].pos == "PUNCT"
            verb = token.pos in VERBS or (last and tokens[at - 1].pos == "NOUN")
            if verb and is_present(low, language):
                opening = f"{tokens[opener - 1].text} {tokens[opener].text}"
                words = f"'{token.text}' is no form that '{opening}' goes with"
                yield Clash("mood", opener - 1, at, words)
            if verb:
                break


@cache
def is_present(low: str, language: str) -> bool:
    """Whether a verb is in the present of the indicative and in no other: "pisca", as there is no "piscer"."""
    frequency, known = frequencies(language), language_of(language).concord
    ending = next((one for one in known.presents if low.endswith(one)), None)
    if frequency is None or ending is None:
        return False
    stem, own = low.removesuffix(ending), known.presents[ending]
    if stem.endswith(known.respelled):  # "sequem" is of "secar"
        return False
    others = set(known.infinitives) - set(own)
    return (
        len(stem) >= SHORTEST_STEM
        and any(frequency(stem + one) >= IN_USE for one in own)
        and not any(frequency(stem + one) >= SEEN for one in others)
    )


def verbless(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """A clause without a verb, whose place a preposition took: "se o motor para aberto" for "for aberto"."""
    known = language_of(language).concord
    for opener, token in enumerate(tokens):
        if token.text.lower() not in known.conditions:
            continue
        for at in range(opener + 1, min(len(tokens) - 1, opener + 1 + CLAUSE_REACH)):
            if tokens[at].text.lower() in known.mistaken:
                if told_state(tokens[at + 1], language):
                    words = f"'{tokens[at].text}' stands where '{token.text}' needs a verb"
                    yield Clash("verbless", opener, at, words)
                break
            if tokens[at].pos in NO_CLAUSE:
                break


def told_state(token: Token, language: str) -> bool:
    """Whether a word may only be what a verb tells of somebody: a participle, an adjective, "away"."""
    low, known = token.text.lower(), language_of(language).concord
    bare = token.pos == "VERB" and not low.endswith(known.infinitives)
    # Many nouns look like a feminine participle: "o mapa das trilhas para caminhadas".
    noun = token.pos == "NOUN" and adjective_gender(low, language) != 0
    said = token.pos == "ADJ" or (low.endswith(known.participles) and not noun)
    return bare or said or low in known.away
