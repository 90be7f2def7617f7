"""Which swaps read right. Each filter looks at the slot, the draft and how the draft was parsed."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from polyglitch.language.stems import same_stem
from polyglitch.mutate.surface import Draft
from polyglitch.protocols import Parse, Slot, Token
from polyglitch.word_lists import words


class Swap(msgspec.Struct, frozen=True):
    """A word put in: where it was put, the sentence it made, and that sentence parsed."""

    slot: Slot
    draft: Draft
    parse: Parse

    @property
    def token(self) -> Token | None:
        """The new word as the parser saw it, if it saw one word there."""
        return next((t for t in self.parse.tokens if t.start == self.draft.start), None)


Keep = Callable[[Swap], bool]
ONE_OF = frozenset(("a", "an", "another", "each", "every", "one", "either", "neither"))
INFLECTED = frozenset(("NOUN", "VERB", "ADJ", "ADV"))
DETERMINES = frozenset(("det", "poss", "nummod", "predet", "det:poss", "nmod:poss"))


def same_tag(swap: Swap) -> bool:
    """Whether the new word was read as the same part of speech as the old one."""
    return swap.token is not None and swap.token.tag == swap.slot.token.tag


def same_tags(swap: Swap) -> bool:
    """Whether every word of the sentence was read as before: the new word misleads nobody."""
    old, new = swap.slot.parse.tokens, swap.parse.tokens
    return [token.tag for token in old] == [token.tag for token in new]


def same_skeleton(swap: Swap) -> bool:
    """Whether tags, heads and relations are all as before."""
    old, new = swap.slot.parse.tokens, swap.parse.tokens
    return [(t.tag, t.head, t.relation) for t in old] == [(t.tag, t.head, t.relation) for t in new]


def not_repeated(swap: Swap) -> bool:
    """Whether the new word is not in the sentence already, in any form: mutants come without lemmas."""
    new = swap.draft.edit.new.lower()
    return not any(
        new in (token.lemma.lower(), token.text.lower())
        or (token.pos in INFLECTED and same_stem(new, token.text.lower()))
        for place, token in enumerate(swap.slot.parse.tokens)
        if place != swap.slot.index
    )


def same_countability(swap: Swap) -> bool:
    """Whether a singular noun goes with its article: none after "a" that has no plural, none bare that has one."""
    slot, new = swap.slot, swap.token
    if new is None or slot.token.tag != "NN":
        return True
    mass = words("mass_nouns")
    determiners = determined_by(slot)
    if determiners & ONE_OF:
        return new.text.lower() not in mass or slot.token.text.lower() in mass
    return bool(determiners) or new.text.lower() in mass


def determined_by(slot: Slot) -> set[str]:
    """The articles, possessives and numbers before a noun, or before the noun it is coordinated with."""
    tokens, place = slot.parse.tokens, slot.index
    while True:
        found = {t.text.lower() for t in tokens if t.head == place and t.relation in DETERMINES}
        token = tokens[place]
        if found or token.relation != "conj" or token.head == place:
            return found
        place = token.head


# What every method asks of its mutants.
NATURAL: tuple[Keep, ...] = (same_tag, same_tags, not_repeated, same_countability)
