"""What a verb says of its subject in another gender or number: rules of the grammar witness (`grammar.py`).

"as camas eram bons", "foram derrubado", "está limpa e secos", "será lavada por nós e guardados".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from polyglitch.compare.oracles.witnesses.agreement import forms_before, forms_of, genders
from polyglitch.compare.oracles.witnesses.noun_concord import (
    adjective_plural,
    compared_forms,
    gender_reason,
    has_all_forms,
    number_reason,
    said_gender,
    told_gender,
    unlike,
)
from polyglitch.compare.oracles.witnesses.subjects import (
    Clash,
    articles,
    beside,
    determiner,
    finite,
    noun_form,
)
from polyglitch.compare.oracles.witnesses.verb_forms import SUBJECTS, verb_plural
from polyglitch.languages import language as language_of
from polyglitch.records import Token

STATES = frozenset({"ADJ", "VERB"})  # what a linking verb may say of its subject
STATE_REACH = 2  # words after a linking verb in which its adjective is looked for: "é muito caro"
JOINING = frozenset({"CCONJ", "PUNCT", "ADV"})  # what stands between two adjectives that are joined
JOINED_REACH = 4  # words after an adjective in which the one joined with it is looked for
PHRASE = frozenset({"ADP", "DET", "NOUN", "PROPN", "NUM", "ADV"})  # may follow a participle
PHRASE_REACH = 8  # words after a participle in which the one joined with it is looked for


def states(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """What a linking verb says of its subject, in another gender or number than the subject's determiner."""
    persons = language_of(language).concord.persons
    for at in range(len(tokens)):
        verb = linking_verb(tokens, at, language) if tokens[at].relation in SUBJECTS else None
        if verb is None or not beside(tokens, at, verb, language):
            continue
        # "a chance de ele ficar preso": an infinitive has a subject of its own
        if tokens[verb].text.lower().endswith(language_of(language).concord.infinitives):
            continue
        singular = verb_plural(tokens[verb].text.lower(), language) is False
        form = noun_form(tokens, at, language, opens=singular)
        place = state_behind(tokens, verb, language)
        if form is None or place is None:
            continue
        if tokens[place].head not in (verb, tokens[at].head) and place != tokens[at].head:
            continue
        kind = "state" if links(tokens, verb, language) else "arrival"
        if not tokens[place].text.lower().endswith(persons):
            yield from compared_forms(tokens, at, place, form, kind, language)
        for other in range(place + 2, min(len(tokens), place + JOINED_REACH + 1)):
            joined = tokens[other].relation == "conj" and tokens[other].head == place
            if (
                joined
                and near(tokens, place, other)
                and said_gender(tokens[other], language) in (0, 1)
            ):
                yield from compared_forms(tokens, at, other, form, "joined state", language)


def linking_verb(tokens: Sequence[Token], subject: int, language: str) -> int | None:
    """The verb that says something of a subject, if it is a linking one."""
    own, too = finite(tokens, subject), language_of(language).concord.linking_too
    if own is not None and links(tokens, own, language):
        return own
    if own is not None and tokens[own].text.lower() in too:
        return own if own + 1 < len(tokens) and tokens[own + 1].pos == "ADJ" else None
    # A parser that takes the adjective for a verb loses the one that links.
    later = (at for at in range(subject + 1, len(tokens)) if tokens[at].pos in ("VERB", "AUX"))
    first = next(later, None)
    return first if first is not None and links(tokens, first, language) else None


def linked_numbers(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """A linking verb and what it says, one of them singular and the other plural: "foram derrubado"."""
    known = language_of(language)
    for verb in range(len(tokens) - 1):
        low = tokens[verb].text.lower()
        if low not in genders(language).linking or tokens[verb].pos not in ("VERB", "AUX"):
            continue
        plural, place = verb_plural(low, language), state_behind(tokens, verb, language)
        if plural is None or place is None or clause_follows(tokens, place, language):
            continue
        # "estão não quarto": a "não" too much makes an adjective of a noun
        denied = any(one.text.lower() in known.negation.words for one in tokens[verb:place])
        own = adjective_plural(tokens[place], language) if tokens[place].pos in STATES else None
        if own is not None and own != plural and not denied:
            yield Clash("linked", verb, place, number_reason(tokens, verb, place, plural))


def joined_states(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """Two adjectives that are joined and said of one noun in two forms: "lugares quentes e húmido"."""
    for at, token in enumerate(tokens):
        first = token.head
        if token.relation != "conj" or not near(tokens, first, at):
            continue
        fixed = first > 0 and tokens[first - 1].pos == "ADP"  # "feita por escrito e assinada"
        # "nos cães adormecidos e não piano": a "não" too much makes an adjective of a noun
        denied = tokens[at - 1].text.lower() in language_of(language).negation.words
        if fixed or denied or said_before(tokens, first, at, language):
            continue
        if {tokens[first].pos, token.pos} <= STATES:
            yield from unlike(tokens, first, at, language)


def said_before(tokens: Sequence[Token], first: int, at: int, language: str) -> bool:
    """Whether a word goes on with what a verb said before: "será mantido em uma conta separada e devolvido"."""
    own = said_gender(tokens[at], language), tokens[at].text.lower().endswith("s")
    behind = (
        state_behind(tokens, verb, language)
        for verb in range(first)
        if links(tokens, verb, language)
    )
    return any(
        place is not None
        and place < first
        and own == (said_gender(tokens[place], language), tokens[place].text.lower().endswith("s"))
        for place in behind
    )


def joined_participles(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """Two participles behind one verb, in two forms: "será lavada por nós e guardados"."""
    endings = language_of(language).concord.participles
    for verb in range(len(tokens)):
        first = state_behind(tokens, verb, language) if links(tokens, verb, language) else None
        at = joined_behind(tokens, first) if first is not None else None
        if first is None or at is None:
            continue
        if all(tokens[place].text.lower().endswith(endings) for place in (first, at)):
            yield from unlike(tokens, first, at, language)


def joined_subjects(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """What is said of two nouns in the feminine, though one is masculine: "o nome e a idade serão publicadas"."""
    told = articles(language)
    for at in range(len(tokens)):
        verb = linking_verb(tokens, at, language) if tokens[at].relation in SUBJECTS else None
        place = state_behind(tokens, verb, language) if verb is not None else None
        if verb is None or place is None or not verb_plural(tokens[verb].text.lower(), language):
            continue
        others = (
            other
            for other in range(at + 1, verb)
            if tokens[other].head == at and tokens[other].relation == "conj"
        )
        both = at, next(others, at)
        own = [determiner(tokens, noun, language) for noun in both]
        forms = [told[tokens[before].text.lower()] for before in own if before is not None]
        mixed = [form.gender for form in forms] in ([0, 0], [0, 1], [1, 0])
        if both[1] != at and mixed and said_gender(tokens[place], language) == 1:
            noun = both[forms[0].gender or 0]
            yield Clash("state", noun, place, gender_reason(tokens, noun, place, 0))


def trailing_states(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """What is said at the end of a clause, of the form of nothing before it: "foram levados para a rua cansado"."""
    endings = language_of(language).concord.participles
    for verb in range(len(tokens)):
        first = state_behind(tokens, verb, language) if links(tokens, verb, language) else None
        if first is None or not tokens[first].text.lower().endswith(endings):
            continue
        phrase = tuple(takewhile(lambda one: one.pos in PHRASE, tokens[first + 1 :]))
        at = first + 1 + len(phrase)
        if not phrase or at + 1 >= len(tokens) or tokens[at + 1].pos != "PUNCT":
            continue
        gender = said_gender(tokens[at], language) if tokens[at].pos == "ADJ" else None
        form = (gender, tokens[at].text.lower().endswith("s"))
        owned = form in forms_before(tokens, at, genders(language))
        if gender is None or owned or determiner(tokens, at - 1, language) is None:
            continue
        yield from unlike(tokens, first, at, language)


def joined_behind(tokens: Sequence[Token], first: int) -> int | None:
    """The word that "and" joins with another, past what has no adjective or verb of its own."""
    for at in range(first + 1, min(len(tokens) - 2, first + 1 + PHRASE_REACH)):
        if tokens[at].pos == "CCONJ":
            return at + 1 + (tokens[at + 1].pos == "ADV")
        if tokens[at].pos not in PHRASE:
            return None
    return None


def near(tokens: Sequence[Token], first: int, at: int) -> bool:
    """Whether nothing but a conjunction and adverbs stand between two words."""
    between = [one.pos for one in tokens[first + 1 : at]]
    return "CCONJ" in between and between[-1] != "PUNCT" and JOINING.issuperset(between)


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


def phrase_states(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """A masculine participle in a phrase without a verb and without a masculine noun: "a busca pela nave perdido"."""
    known, concord = genders(language), language_of(language).concord
    said = [at for at, one in enumerate(tokens) if one.text.lower().endswith(concord.participles)]
    spoken = [at for at, one in enumerate(tokens) if one.pos in ("VERB", "AUX", "PRON")]
    for place in said:
        low, before = tokens[place].text.lower(), tokens[place - 1] if place else None
        if before is None or before.pos != "NOUN" or set(spoken) - {place}:
            continue
        plural = low.endswith("s")
        own = forms_of(tokens, place - 1, known) == {(1, plural)}
        fits = (0, plural) in forms_before(tokens, place, known)
        if own and not fits and told_gender(low, language) == 0:
            yield Clash("unowned", place - 1, place, gender_reason(tokens, place - 1, place, 1))


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
