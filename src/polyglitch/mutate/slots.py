"""Which words of a sentence may be replaced. Each rule looks at one slot; `swap_words` asks them all.

A word that a fixed phrase, a name or a number holds in place has no natural substitute, and a mutant that reads badly
says nothing about the system under test.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from polyglitch.languages import language as language_of
from polyglitch.protocols import Parse, Slot, Token

SlotRule = Callable[[Slot], bool]
NAME_TAGS = frozenset(("NNP", "NNPS"))
GLUE = frozenset("-'’/@_–$%#&")
APOSTROPHES = frozenset("'’")
NOUN_PLACES = frozenset(
    ("nsubj", "nsubjpass", "dobj", "dative", "pobj", "iobj", "obj", "obl", "nsubj:pass")
)
COMPOUND = frozenset(("compound", "nmod", "flat", "fixed", "goeswith"))


def whole_word(slot: Slot) -> bool:
    """Whether the word stands alone: letters only, not glued to a hyphen or an apostrophe.

    An article that leans on it (l'hôtel) is a word of its own where the language elides; a new word must let it lean.
    """
    token, text = slot.token, slot.parse.text
    before = "" if leant_on(slot) else text[max(0, token.start - 1) : token.start]
    around = before + text[token.end : token.end + 1]
    # Some corpora set a blank before an apostrophe or a hyphen: "the party ' s leader".
    apart = text[token.end : token.end + 3] in (" ' ", " ’ ", " - ", " 's")
    parted = text[max(0, token.start - 3) : token.start] in (" - ", " ' ", " ’ ")
    return (
        len(token.text) > 1
        and token.text.isalpha()
        and not set(around) & GLUE
        and not (apart or parted)
    )


def leant_on(slot: Slot) -> bool:
    """Whether an article or the like leans on the word, in a language that tells before which sounds one does."""
    known, before = language_of(slot.parse.language), slot.token.start - 1
    leans = slot.parse.text[before : before + 1] in APOSTROPHES
    return leans and known.elides and bool(known.agreement.onsets)


def not_a_name(slot: Slot) -> bool:
    """Whether the word is no name, no part of one and no title before one."""
    token, tokens = slot.token, slot.parse.tokens
    if is_name(slot.parse, token) or token.pos == "PROPN":
        return False
    large = language_of(slot.parse.language).nouns_capitalised and token.pos == "NOUN"
    if slot.index and token.text[0].isupper() and not large:
        return False  # adjectives of nations, words of headings
    after = tokens[slot.index + 1 : slot.index + 2]
    return not (after and is_name(slot.parse, after[0]) and token.pos == "NOUN")


def is_name(parse: Parse, token: Token) -> bool:
    """Whether the tagger took a word for a name, by the finest tag it has."""
    return token.tag in NAME_TAGS or (parse.universal and token.pos == "PROPN")


def begins_with_name(parse: Parse) -> bool:
    """Whether the first word keeps its capital inside a sentence: a name, and none that taggers only take for one."""
    first = parse.tokens[0] if parse.tokens else None
    if first is None:
        return False
    known = language_of(parse.language)
    word = first.text.lower()
    if word in known.words("always_capital"):
        return True
    if first.pos != "PROPN":
        return False
    return word not in known.words("never_names") and word not in known.function_words


def not_a_measure(slot: Slot) -> bool:
    """Whether the word belongs to no measure: a number, the unit after it, what is said of both (six feet tall)."""
    tokens, token = slot.parse.tokens, slot.token
    words = language_of(slot.parse.language).words
    units = words("units")
    before = tokens[max(0, slot.index - 2) : slot.index]
    if before and is_number(before[-1]) and (token.text.lower() in units or in_figures(before[-1])):
        return False
    if len(before) == 2 and is_number(before[0]) and before[1].text.lower() in units:
        return False
    if token.pos != "NUM" and token.tag != "CD":
        return not before or before[-1].text.lower() not in words("large_numbers")
    after = tokens[slot.index + 1 : slot.index + 2]
    counted = bool(after) and (
        after[0].pos in ("NOUN", "ADJ") if slot.parse.universal else after[0].tag in ("NNS", "JJ")
    )
    counts = counted and after[0].text.lower() not in units
    return counts and token.text.isalpha()


def is_number(token: Token) -> bool:
    """Whether a word is a number, in figures or in letters."""
    return token.tag == "CD" or token.pos == "NUM" or in_figures(token)


def in_figures(token: Token) -> bool:
    """Whether a word has figures, or is a sign that stands before or after them."""
    return any(letter.isdigit() or letter in "$€£%" for letter in token.text)


def not_fixed(slot: Slot) -> bool:
    """Whether the word is one that other words do not replace: light nouns, quantities, auxiliaries."""
    token = slot.token
    known = language_of(slot.parse.language)
    # Where nobody listed them, the closed classes at least are known.
    held = known.words("never_replaced") or known.function_words
    return token.pos != "AUX" and token.lemma.lower() not in held and token.text.lower() not in held


def not_in_idiom(slot: Slot) -> bool:
    """Whether the word is outside all fixed phrases."""
    return slot.index not in idiom_words(slot.parse)


@lru_cache(maxsize=256)
def idiom_words(parse: Parse) -> frozenset[int]:
    """The places of the words that belong to a fixed phrase."""
    tokens = parse.tokens
    forms = [(token.text.lower(), token.lemma.lower()) for token in tokens]
    found: set[int] = set()
    known = language_of(parse.language).phrases("idioms")
    for start, (text, lemma) in enumerate(forms):
        for phrase in {*known.get(text, ()), *known.get(lemma, ())}:
            window = forms[start : start + len(phrase)]
            if len(window) == len(phrase) and all(
                word in form or word == "*" for word, form in zip(phrase, window, strict=True)
            ):
                found |= set(range(start, start + len(phrase)))
    return frozenset(found)


def not_in_compound(slot: Slot) -> bool:
    """Whether a noun neither modifies the next noun nor is modified by the one before."""
    tokens, token = slot.parse.tokens, slot.token
    if token.relation in COMPOUND and abs(token.head - slot.index) == 1:
        return False
    before = tokens[slot.index - 1] if slot.index else None
    after = tokens[slot.index + 1] if slot.index + 1 < len(tokens) else None
    if token.pos == "NOUN" and after is not None and after.pos == "NOUN":
        return False
    joined = before is not None and before.relation in COMPOUND and before.head == slot.index
    return not (token.pos == "NOUN" and joined and before is not None and before.pos == "NOUN")


def not_with_particle(slot: Slot) -> bool:
    """Whether a verb is whole in itself, without a particle such as `up` that belongs to it."""
    return not any(
        token.head == slot.index and token.relation in ("prt", "compound:prt")
        for token in slot.parse.tokens
    )


def not_for_a_noun(slot: Slot) -> bool:
    """Whether an adjective goes with a noun or a verb, and does not stand for one: "in the final"."""
    adjective = slot.token.tag.startswith("JJ") or (
        slot.parse.universal and slot.token.pos == "ADJ"
    )
    return not (adjective and slot.token.relation in NOUN_PLACES)


# In the order of their cost.
NATURAL: tuple[SlotRule, ...] = (
    whole_word,
    not_a_name,
    not_fixed,
    not_a_measure,
    not_for_a_noun,
    not_in_compound,
    not_with_particle,
    not_in_idiom,
)


def open_slots(
    parse: Parse,
    pos: tuple[str, ...],
    edges: bool,
    rules: tuple[SlotRule, ...] = NATURAL,
    compared: bool = True,
) -> list[int]:
    """Indices of the words that may be replaced: by universal part of speech and by all rules.

    `compared` says whether comparatives and superlatives too, where the language's own tags tell them.
    """
    places = range(len(parse.tokens)) if edges else range(1, len(parse.tokens) - 1)
    known = language_of(parse.language)
    return [
        place
        for place in places
        if known.is_part(parse.tokens[place].tag, parse.tokens[place].pos, pos, compared)
        and all(rule(Slot(parse, place)) for rule in rules)
    ]
