"""Words of a lexicon that take no side, whatever stands beside them: for languages without counts of neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from polyglitch.errors import UsageError
from polyglitch.language.lexicon import CLASSES, open_lexicon
from polyglitch.protocols import Candidate, Slot

PENN = {"JJ": "adjective", "NN": "noun", "RB": "adverb"}


class NeutralProposer:
    """The neutral words of the class that a slot's tag asks for, in the order of the list."""

    def __init__(self, language: str) -> None:
        self._lexicon = open_lexicon(language, ("bundled",))
        self.signature = f"neutral:{language}"

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` words for each slot that its sentence does not have yet."""
        return [self._fitting(slot)[:top] for slot in slots]

    def _fitting(self, slot: Slot) -> list[Candidate]:
        tag = slot.token.tag
        word_class = PENN.get(tag) or CLASSES.get(tag.partition("+")[0], "")
        try:
            words = self._lexicon.words("neutral", word_class)
        except UsageError:  # no list of such words
            return []
        taken = {token.text.lower() for token in slot.parse.tokens}
        return [Candidate(word, 0.0) for word in words if word not in taken]


@cache
def open_neutral(language: str) -> NeutralProposer:
    """The proposer of a language that has a bundled lexicon."""
    return NeutralProposer(language)
