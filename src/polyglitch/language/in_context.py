"""The words of another proposer, ranked by how alike word and substitute are in the sentence: `in-context:NAME`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from polyglitch import registry
from polyglitch.language.contextual import Place, WordsInContext, open_words_in_context
from polyglitch.protocols import Candidate, Proposer, Slot

# CAT's .85 is for BERT-large and for the token beside the word. Read on 120 swaps by MiniLM, where unrelated words
# that fit have .1 to .25: above this, the substitute says nearly the same.
LEAST = 0.35
DEFAULT = "smollm"


class InContextProposer:
    """Fits `Proposer`; scores are cosines."""

    def __init__(self, base: Proposer, likeness: WordsInContext, least: float = LEAST) -> None:
        self._base, self._likeness, self._least = base, likeness, least
        self.signature = f"in-context({base.signature}+{likeness.signature}>={least})"

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` words for each slot, the most alike first."""
        found = self._base.propose(slots, top)
        pairs = [
            (place_of(slot), place_of(slot, one.word))
            for slot, some in zip(slots, found, strict=True)
            for one in some
        ]
        cosines = iter(self._likeness.likeness(pairs))
        ranked = []
        for some in found:
            scored = [Candidate(one.word, round(next(cosines), 4)) for one in some]
            near = [one for one in scored if one.score >= self._least]
            ranked.append(sorted(near, key=lambda one: (-one.score, one.word)))
        return ranked


def place_of(slot: Slot, word: str | None = None) -> Place:
    """The sentence with its own or another word in the slot, and where that word is."""
    token, text = slot.token, slot.parse.text
    new = token.text if word is None else word
    changed = text[: token.start] + new + text[token.end :]
    return changed, token.start, token.start + len(new)


@cache
def open_in_context(language: str, base: str = DEFAULT) -> InContextProposer:
    """The ranking of MiniLM over the proposer of a name."""
    name, _, argument = base.partition(":")
    factory = registry.load("proposers", name)
    opened = factory(language, argument) if argument else factory(language)
    return InContextProposer(opened, open_words_in_context(language))
