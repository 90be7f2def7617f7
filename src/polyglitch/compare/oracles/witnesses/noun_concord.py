"""Nouns and the words around them in another gender or number: rules of the grammar witness (`grammar.py`).

"quatrocentas empregos", "meu alfaces", "a rua barulhento", "vinhos mais caro", "um secador de mãos silenciosos". What a
verb says of a noun stands in `states.py`, which asks here what the ending of an adjective tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from polyglitch.compare.oracles.witnesses.agreement import (
    GENDERS,
    STIFF,
    adjective_gender,
    genders,
)
from polyglitch.compare.oracles.witnesses.clause_verbs import is_present
from polyglitch.compare.oracles.witnesses.subjects import (
    COMMON,
    KNOWN,
    MUCH_RARER,
    Clash,
    Form,
    articles,
    determiner,
    noun_form,
    noun_gender,
    noun_plural,
)
from polyglitch.compare.oracles.witnesses.verb_forms import NUMBERS, SUBJECTS
from polyglitch.languages import language as language_of
from polyglitch.nlp.lexicons.words import frequencies
from polyglitch.records import Token

RARER_VERB = 1.0  # on the same scale: "data" is a date, though "datar" is a verb
BEFORE_BARE = frozenset(
    {"ADP", "NUM", "DET", "ADJ"}
)  # the noun behind them is none without a word before


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
    for at in range(len(tokens) - 1):
        place = adjective_of(tokens, at, language)
        if place is None:
            continue
        before = determiner(tokens, at, language)
        if before is None:
            yield from bare_numbers(tokens, at, place, language)
            yield from bare_genders(tokens, at, place, language)
            continue
        # "espécie do cerrado ameaçada": behind "de" an adjective may speak of the noun before
        if {one.text.lower() for one in tokens[max(0, before - 1) : before + 1]} & of:
            continue
        form = articles(language)[tokens[before].text.lower()]
        # "passou a semana gripado", "deixaram o jogo juntos": behind an object it may speak of the subject
        low = tokens[place].text.lower()
        alike = form.plural == low.endswith("s") and not low.endswith(participles)
        own = tokens[at].relation in SUBJECTS or alike
        if form.plural and shared(tokens, place):
            continue
        if own and form.plural == tokens[at].text.lower().endswith("s"):
            yield from compared_forms(tokens, at, place, form, "adjective", language)


def shared(tokens: Sequence[Token], at: int) -> bool:
    """Whether a singular adjective shares a plural with another: "os cursos primário e secundário"."""
    behind = [one.pos for one in tokens[at + 1 : at + 3]]
    joined = behind[:1] in (["CCONJ"], ["PUNCT"]) and behind[1:] in (["ADJ"], ["NOUN"])
    return joined and not tokens[at].text.lower().endswith("s")


def adjective_of(tokens: Sequence[Token], at: int, language: str) -> int | None:
    """The adjective right behind a noun, or behind a word that says how much: "cães mais mansos"."""
    known = language_of(language)
    # "O velho marinheiro esculpiu utensílios": a parser that is lost takes the verb for a noun
    if tokens[at].pos != "NOUN" or tokens[at].text.lower().endswith(known.concord.third_person):
        return None
    after = tokens[at + 1].text.lower()
    place = at + 1 + (after in known.comparison or after in known.words("degrees"))
    if place == len(tokens):
        return None
    token, low = tokens[place], tokens[at].text.lower()
    # "um brilho cinza fino": a colour behind its noun agrees with nothing, and nothing with it
    colour = at > 0 and tokens[at - 1].pos == "NOUN" and low in known.concord.invariable
    if colour or names_it(token.text.lower(), language):
        return None
    behind = tokens[place + 1].text.lower() if place + 1 < len(tokens) else ""
    if behind in known.concord.that and is_present(token.text.lower(), language):
        return None  # "O tradutor justifica que"
    taken = token.pos == "NOUN" and place == at + 1 and has_all_forms(token.text.lower(), language)
    # A parser that knows neither word takes the adjective for the noun: "uma palestra tedioso".
    turned = token.pos == "ADJ" and tokens[at].head == place and has_all_forms(token.text, language)
    return place if turned or (token.head == at and (token.pos == "ADJ" or taken)) else None


@cache
def names_it(low: str, language: str) -> bool:
    """Whether what a parser takes for an adjective is a noun: "a pasta lixo", as "lixa" is much rarer."""
    frequency = frequencies(language)
    if frequency is None or not low.endswith("o"):
        return False
    return frequency(low) - frequency(low[:-1] + "a") > MUCH_RARER


def bare_numbers(tokens: Sequence[Token], at: int, place: int, language: str) -> Iterator[Clash]:
    """A noun without a determiner and its adjective in another number: "vinhos mais caro"."""
    low, before = tokens[at].text.lower(), tokens[at - 1] if at else None
    # "meios de transporte rápidos", "insumos e energia necessários": it may speak of the noun before
    behind = not low.isalpha() or (before is not None and before.pos in BEFORE_BARE)
    behind = behind or (
        before is not None and before.text.lower() in genders(language).prepositions
    )
    if behind or shared(tokens, place) or low in language_of(language).concord.quantities:
        return
    plural, own = noun_plural(low, language), adjective_plural(tokens[place], language)
    # "tocam guitarra juntos": a plural may speak of those who do it
    if plural is not None and own is not None and plural > own:
        yield Clash("adjective", at, place, number_reason(tokens, at, place, plural))


def bare_genders(tokens: Sequence[Token], at: int, place: int, language: str) -> Iterator[Clash]:
    """A noun without a determiner and its adjective in another gender: "música barulhento", "data inválido"."""
    low, known = tokens[at].text.lower(), language_of(language).agreement
    before = tokens[at - 1] if at else None
    behind = before is not None and (
        before.pos in BEFORE_BARE or before.text.lower() in genders(language).prepositions
    )
    beside = place == at + 1 and not tokens[place].text.lower().endswith(
        language_of(language).concord.participles
    )
    doubtful = low in known.masculine_in_a or low.endswith(known.people_in_a)
    own, told = adjective_gender(low, language), said_gender(tokens[place], language)
    if behind or not beside or doubtful or not low.isalpha() or may_be_verb(low, language):
        return  # "procura médico": a parser takes the verb for a noun
    if own is None or told is None or own == told:
        return
    if (
        low.removesuffix("s") in known.feminine_in_o
        or low in language_of(language).concord.quantities
    ):
        return
    if low.endswith("s") == tokens[place].text.lower().endswith("s"):
        yield Clash("adjective", at, place, gender_reason(tokens, at, place, own))


def may_be_verb(low: str, language: str) -> bool:
    """Whether a singular noun has the letters of a verb whose infinitive is nearly as common."""
    frequency, known = frequencies(language), language_of(language).concord
    if frequency is None or low.endswith("s"):
        return frequency is None
    least = max(COMMON, frequency(low) - RARER_VERB)
    return any(frequency(low[:-1] + ending) >= least for ending in known.infinitives)


def double_nouns(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """An adjective behind a noun with "de" and another, of the form of neither: "um secador de mãos silenciosos"."""
    known = language_of(language).concord
    for at in range(2, len(tokens) - 1):
        place, first = adjective_of(tokens, at, language), at - 2
        if place is None or tokens[at - 1].text.lower() not in known.of[:1]:
            continue
        low, inner = tokens[place].text.lower(), tokens[at].text.lower()
        gender, form = said_gender(tokens[place], language), noun_form(tokens, first, language)
        if gender is None or form is None or low.endswith(known.participles):
            continue
        plural = low.endswith("s")
        fits = inner.endswith("s") == plural and noun_gender(inner, language) in (None, gender)
        if not fits:
            yield from compared_forms(tokens, first, place, form, "adjective", language)


def miscounted(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """A determiner and the noun behind it, one of them singular and the other plural: "meu alfaces"."""
    told, known = articles(language), language_of(language)
    closed = known.function_words  # "numa dessas"
    for at in range(1, len(tokens)):
        text = tokens[at].text
        plain = text.isalpha() and text.islower() and text not in closed
        if tokens[at].pos != "NOUN" or not plain:
            continue
        described = at > 1 and tokens[at - 1].pos == "ADJ" and tokens[at - 1].head == at
        place = at - 1 - described
        before, between = tokens[place].text.lower(), tokens[at - 1].text.lower()
        if before not in told or before in known.concord.misread:
            continue
        relates = between in known.agreement.relatives  # "os quais trabalho"
        dashed = at + 1 < len(tokens) and tokens[at + 1].text.startswith("-")
        added = before in known.numbers and place > 0 and tokens[place - 1].pos == "CCONJ"
        if relates or dashed or added:  # "vinte e um reais"
            continue
        plural = noun_plural(text, language)
        if plural is not None and plural != told[before].plural:
            yield Clash("count", at, place, number_reason(tokens, at, place, plural))


def said_gender(token: Token, language: str) -> int | None:
    """The gender of an adjective or a participle, where its ending tells."""
    low = token.text.lower()
    stated = token.pos == "ADJ" or (
        token.pos == "VERB" and low.endswith(language_of(language).concord.participles)
    )
    taken = token.pos == "NOUN" and has_all_forms(low, language)
    return told_gender(low, language) if stated or taken else None


def adjective_plural(token: Token, language: str) -> bool | None:
    """Whether an adjective or a participle is plural, where its ending tells."""
    low, known = token.text.lower(), language_of(language).concord
    if said_gender(token, language) is not None:
        return low.endswith("s")
    stiff = low.endswith(STIFF) or low in known.invariable
    if token.pos != "ADJ" or stiff or not low.isalpha():
        return None
    if low.endswith(tuple(known.plural_adjectives)):
        return True
    return False if low.endswith(tuple(known.plural_adjectives.values())) else None


def unlike(tokens: Sequence[Token], first: int, at: int, language: str) -> Iterator[Clash]:
    """The clash of two words that are said of one noun, if their endings tell of one."""
    both = tokens[first], tokens[at]
    plurals = [adjective_plural(one, language) for one in both]
    told = [said_gender(one, language) for one in both]
    if None not in plurals and plurals[0] != plurals[1]:
        words = number_reason(tokens, first, at, bool(plurals[0]))
        yield Clash("joined state", first, at, words)
    elif None not in told and told[0] != told[1]:
        yield Clash("joined state", first, at, gender_reason(tokens, first, at, told[0] or 0))


def number_reason(tokens: Sequence[Token], noun: int, at: int, plural: bool) -> str:
    """The reason in words."""
    return (
        f"'{tokens[noun].text}' is {NUMBERS[plural]}, and '{tokens[at].text}' is "
        f"{NUMBERS[not plural]}"
    )


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
        yield Clash(kind, noun, at, number_reason(tokens, noun, at, form.plural))


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
