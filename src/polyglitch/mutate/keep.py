"""Which swaps read right. Each filter looks at the slot, the draft and how the draft was parsed."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from polyglitch.language.slot_words import breaks_gender, goes_with_article, repeats
from polyglitch.mutate.surface import Draft
from polyglitch.protocols import Parse, Slot, Token


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
    """Whether the new word is not in the sentence already, in any form."""
    return not repeats(swap.slot, swap.draft.edit.new)


def same_countability(swap: Swap) -> bool:
    """Whether a singular noun goes with its article."""
    return swap.token is None or goes_with_article(swap.slot, swap.token.text)


def same_gender(swap: Swap) -> bool:
    """Whether no daughter became a son in a sentence that goes on about her."""
    return not breaks_gender(swap.slot, swap.draft.edit.new)


# What every method asks of the new word in its sentence, and what most ask of the sentence.
IN_PLACE: tuple[Keep, ...] = (not_repeated, same_countability, same_gender)
NATURAL: tuple[Keep, ...] = (same_tag, same_tags, *IN_PLACE)
