"""Nouns and what is said of them in another gender or number: rules of the grammar witness (`grammar.py`).

"as camas eram bons", "a rua barulhento", "quatrocentas empregos".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from polyglitch.compare.oracles.witnesses.agreement import (
    GENDERS,
    adjective_gender,
    forms_before,
    forms_of,
    genders,
)
from polyglitch.compare.oracles.witnesses.subjects import (
    Clash,
    Form,
    articles,
    beside,
    determiner,
    finite,
    noun_form,
    noun_gender,
)
from polyglitch.compare.oracles.witnesses.verb_forms import NUMBERS, SUBJECTS
from polyglitch.languages import language as language_of
from polyglitch.nlp.lexicons.words import frequencies
from polyglitch.records import Token

STATES = frozenset({"ADJ", "VERB"})  # what a linking verb may say of its subject
KNOWN = 1.5  # on the scale of Zipf frequencies: once in thirty million words
STATE_REACH = 2  # words after a linking verb in which its adjective is looked for: "é muito caro"


def counted(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """A determiner or number and the noun right behind it, whose ending is of the other gender."""
    told, known = articles(language), language_of(language)
    for at in range(1, len(tokens)):
        before, low = tokens[at - 1].text.lower(), tokens[at].text.lower()
        form = None if before in known.concord.uncertain else told.get(before)
        if form is None or tokens[at].pos != "NOUN" or not low.isalpha():
            continue
        gender = noun_gender(low, language)
        if gender is not None and gender != form.gender:
            # "as" and "à" may be a pronoun or a preposition: only a plural noun tells that they are articles.
            loose = before in known.agreement.proclitics
            if not loose or (form.plural and low.endswith("s")):
                yield Clash("article", at, at - 1, gender_reason(tokens, at, at - 1, gender))


def adjectives(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """An adjective right behind its noun, in another gender or number than the noun's determiner."""
    known = language_of(language).concord
    participles, of = known.participles, frozenset(known.of)
    for at in range(1, len(tokens) - 1):
        after = tokens[at + 1]
        taken = after.pos == "NOUN" and has_all_forms(after.text.lower(), language)
        if tokens[at].pos != "NOUN" or after.head != at or not (after.pos == "ADJ" or taken):
            continue
        place = determiner(tokens, at, language)
        # "espécie do cerrado ameaçada": behind "de" an adjective may speak of the noun before
        if (
            place is None
            or {one.text.lower() for one in tokens[max(0, place - 1) : place + 1]} & of
        ):
            continue
        form = articles(language)[tokens[place].text.lower()]
        # "passou a semana gripado", "deixaram o jogo juntos": behind an object it may speak of the subject
        low = after.text.lower()
        alike = form.plural == low.endswith("s") and not low.endswith(participles)
        own = tokens[at].relation in SUBJECTS or alike
        if own and form.plural == tokens[at].text.lower().endswith("s"):
            yield from compared_forms(tokens, at, at + 1, form, "adjective", language)


def states(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """What a linking verb says of its subject, in another gender or number than the subject's determiner."""
    for at in range(len(tokens)):
        if tokens[at].relation not in SUBJECTS:
            continue
        form, verb = noun_form(tokens, at, language), finite(tokens, at)
        if form is None or verb is None or not beside(tokens, at, verb, language):
            continue
        if not links(tokens, verb, language):
            continue
        place = state_behind(tokens, verb, language)
        if place is not None and (
            tokens[place].head in (verb, tokens[at].head) or place == tokens[at].head
        ):
            yield from compared_forms(tokens, at, place, form, "state", language)


def unowned_states(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """A masculine participle where no noun before it is masculine: "a jaqueta que eu pedi chegou rasgado".

    Farther from its noun than `states` looks, so only where nothing else before it may be meant.
    """
    known, concord = genders(language), language_of(language).concord
    others = {*concord.subjects, *concord.clause_subjects, *known.neuters, *known.genderless}
    for verb in range(1, len(tokens)):
        linked = links(tokens, verb, language) or tokens[verb].text.lower() in concord.linking_too
        place = state_behind(tokens, verb, language) if linked else None
        low = tokens[place].text.lower() if place is not None else ""
        if place is None or not low.endswith(concord.participles):
            continue
        spoken = tokens[verb - 1].text.lower() in concord.speakers
        if told_gender(low, language) != 0 or spoken or clause_follows(tokens, place, language):
            continue
        plural, before = low.endswith("s"), forms_before(tokens, verb, known)
        if (0, plural) in before or any(one.text.lower() in others for one in tokens[:verb]):
            continue
        nouns = [at for at in range(verb) if tokens[at].pos == "NOUN"]
        own = [at for at in nouns if forms_of(tokens, at, known) == {(1, plural)}]
        if own:
            yield Clash("unowned", own[-1], place, gender_reason(tokens, own[-1], place, 1))


def clause_follows(tokens: Sequence[Token], state: int, language: str) -> bool:
    """Whether what is said may be said of what follows: "é claro que", "é proibido fumar", "foi dado o sinal"."""
    if state + 1 == len(tokens):
        return False
    after = tokens[state + 1]
    low, infinitives = after.text.lower(), language_of(language).concord.infinitives
    return (
        low in genders(language).refers
        or after.pos in ("DET", "NOUN", "PROPN", "NUM")
        or (after.pos in ("VERB", "AUX") and low.endswith(infinitives))
    )


def links(tokens: Sequence[Token], at: int, language: str) -> bool:
    """Whether a verb tells the state of its subject: by itself, or with a pronoun that leads back to it."""
    low, known = tokens[at].text.lower(), language_of(language).concord
    if low in genders(language).linking:
        return True
    led_back = at > 0 and tokens[at - 1].text.lower() in known.reflexives
    return led_back and low in known.reflexive_linking


def state_behind(tokens: Sequence[Token], verb: int, language: str) -> int | None:
    """The adjective or participle behind a linking verb, past adverbs and other linking verbs."""
    linking = genders(language).linking
    for place in range(verb + 1, min(len(tokens), verb + 1 + STATE_REACH)):
        token = tokens[place]
        if token.text.lower() in linking or token.pos == "ADV":
            continue
        taken = token.pos == "NOUN" and has_all_forms(token.text.lower(), language)
        return place if token.pos in STATES or taken else None
    return None


@cache
def has_all_forms(low: str, language: str) -> bool:
    """Whether a word that a parser takes for a noun has the four forms of an adjective: "fofo", "fofa", "fofos".

    So has a noun beside its verb ("motivo", "motiva", "motivas"): where there is such a verb, nobody knows.
    """
    frequency, known = frequencies(language), language_of(language)
    if frequency is None or told_gender(low, language) is None:
        return False
    stem = low.removesuffix("s")[:-1]
    verb = any(frequency(stem + ending) >= KNOWN for ending in known.concord.infinitives)
    return not verb and all(frequency(stem + ending) >= KNOWN for ending in known.agreement.forms)


def compared_forms(
    tokens: Sequence[Token], noun: int, at: int, form: Form, kind: str, language: str
) -> Iterator[Clash]:
    """The clash of a noun and a word that is said of it, if its ending tells of one."""
    low = tokens[at].text.lower()
    # "custa caro" agrees with nothing, "é caro" does
    held = kind == "state" and low in language_of(language).concord.adverbs_too
    gender = adjective_gender(low, language) if held else told_gender(low, language)
    if gender is None:
        return
    if gender != form.gender and form.gender is not None:
        yield Clash(kind, noun, at, gender_reason(tokens, noun, at, form.gender))
    elif low.endswith("s") != form.plural:
        words = (
            f"'{tokens[noun].text}' is {NUMBERS[form.plural]}, and '{tokens[at].text}' is "
            f"{NUMBERS[low.endswith('s')]}"
        )
        yield Clash(kind, noun, at, words)


def told_gender(low: str, language: str) -> int | None:
    """The gender of an adjective or participle: by "o" always, by "a" where its ending has a masculine beside it."""
    known = language_of(language).concord
    if low in known.masculine_forms:
        return 0
    if low in known.invariable or low in language_of(language).numbers or not low.isalpha():
        return None
    gender = adjective_gender(low, language)
    if gender == 1 and not low.removesuffix("s").endswith(known.feminine_adjectives):
        return None
    return gender


def gender_reason(tokens: Sequence[Token], noun: int, at: int, gender: int) -> str:
    """The reason in words."""
    return (
        f"'{tokens[noun].text}' is {GENDERS[gender]}, and '{tokens[at].text}' is "
        f"{GENDERS[1 - gender]}"
    )
