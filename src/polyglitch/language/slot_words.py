"""Which words cannot stand in a slot whatever a model says of them: told from the sentence and lists alone."""

from __future__ import annotations

from polyglitch.language.stems import same_stem
from polyglitch.protocols import Slot
from polyglitch.word_lists import words

ONE_OF = frozenset(("a", "an", "another", "each", "every", "one", "either", "neither"))
INFLECTED = frozenset(("NOUN", "VERB", "ADJ", "ADV"))
DETERMINES = frozenset(("det", "poss", "nummod", "predet", "det:poss", "nmod:poss"))


def repeats(slot: Slot, word: str) -> bool:
    """Whether a word is in the rest of the sentence already, in any form."""
    new = word.lower()
    return any(
        new in (token.lemma.lower(), token.text.lower())
        or (token.pos in INFLECTED and same_stem(new, token.text.lower()))
        for place, token in enumerate(slot.parse.tokens)
        if place != slot.index
    )


def breaks_gender(slot: Slot, word: str) -> bool:
    """Whether a word for a woman becomes one for a man, or the other way, and the sentence goes on about "her"."""
    old, new = slot.token.text.lower(), word.lower()
    rest = {
        token.text.lower() for place, token in enumerate(slot.parse.tokens) if place != slot.index
    }
    return any(
        old in words(own) and new in words(other) and bool(rest & words(own))
        for own, other in (("female", "male"), ("male", "female"))
    )


def goes_with_article(slot: Slot, word: str) -> bool:
    """Whether a singular noun suits its article: none after "a" that has no plural, none bare that has one."""
    if slot.token.tag != "NN":
        return True
    mass = words("mass_nouns")
    new, determiners = word.lower(), determined_by(slot)
    if determiners & ONE_OF:
        return new not in mass or slot.token.text.lower() in mass
    return bool(determiners) or new in mass


def determined_by(slot: Slot) -> set[str]:
    """The articles, possessives and numbers before a noun, or before the noun it is coordinated with."""
    tokens, place = slot.parse.tokens, slot.index
    while True:
        found = {t.text.lower() for t in tokens if t.head == place and t.relation in DETERMINES}
        token = tokens[place]
        if found or token.relation != "conj" or token.head == place:
            return found
        place = token.head
