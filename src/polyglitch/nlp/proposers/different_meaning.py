"""Words that fit a slot and mean something else there: what PatInv puts in. `unlike:NAME`, of another proposer.

The neighbours of a word by any vectors are its synonyms and its opposites alike. WordNet knows the opposites; of the
rest, what the sentence makes as good as the old word is left out, by the same measure by which CAT lets it in.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from polyglitch import registry
from polyglitch.languages import language as language_of
from polyglitch.nlp.lexicons.wordnet import WordNet, dictionary_folder, open_wordnet
from polyglitch.nlp.models.downloads import data_folder
from polyglitch.nlp.proposers.in_context import (
    LikenessOfWords,
    MeaningProposer,
    open_meaning,
    open_words_in_context,
    place_of,
)
from polyglitch.protocols import Candidate, Proposer, Slot

DEFAULT = "smollm"


class DifferentMeaningProposer:
    """Fits `Proposer`; opposites first, then the words least like the old one."""

    def __init__(
        self,
        base: Proposer,
        likeness: LikenessOfWords | None,
        lexicon: WordNet | None,
    ) -> None:
        self._base, self._likeness, self._lexicon = base, likeness, lexicon
        self._most = likeness.limit if likeness else 0.0
        judges = [f"{likeness.signature}<{self._most}"] if likeness else []
        judges += [lexicon.signature] if lexicon else []
        self.signature = f"unlike({'+'.join([base.signature, *judges])})"

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` words for each slot; scores are 1 for opposites, else how unlike."""
        found = self._base.propose(slots, top)
        cosines = iter(self._cosines(slots, found))
        ranked = []
        for slot, some in zip(slots, found, strict=True):
            scored = [(one.word, self._unlike(slot, one.word, next(cosines))) for one in some]
            apart = [Candidate(word, round(score, 4)) for word, score in scored if score > 0]
            ranked.append(sorted(apart, key=lambda one: (-one.score, one.word)))
        return ranked

    def _cosines(
        self, slots: Sequence[Slot], found: Sequence[Sequence[Candidate]]
    ) -> list[float | None]:
        pairs = [
            (place_of(slot), place_of(slot, one.word))
            for slot, some in zip(slots, found, strict=True)
            for one in some
        ]
        return [*self._likeness.likeness(pairs)] if self._likeness else [None] * len(pairs)

    def _unlike(self, slot: Slot, word: str, cosine: float | None) -> float:
        """How different two words are, 0 if not enough."""
        old, pos = slot.token.text.lower(), slot.token.pos
        if self._lexicon is not None:
            if opposite(self._lexicon, old, word, pos):
                return 1.0
            if one_step(self._lexicon, old, word, pos):
                return 0.0
        if cosine is not None:
            return 1.0 - max(cosine, 0.0) if cosine < self._most else 0.0
        # Without a model that reads the sentence, words next to the same word are not trusted either.
        apart = self._lexicon is not None and not siblings(self._lexicon, old, word, pos)
        return 0.5 if apart else 0.0


def opposite(lexicon: WordNet, old: str, new: str, pos: str) -> bool:
    """Whether WordNet has one word as the opposite of the other."""
    bases = set(lexicon.bases(new, pos)) if lexicon.knows(pos) else set()
    return bool(bases & lexicon.antonyms(old, pos))


def one_step(lexicon: WordNet, old: str, new: str, pos: str) -> bool:
    """Whether one word is a synonym of the other, or wider, narrower or similar."""
    if not lexicon.knows(pos):
        return False
    return bool(
        {*lexicon.bases(new, pos), new} & lexicon.neighbours(old, pos)
        or {*lexicon.bases(old, pos), old} & lexicon.neighbours(new, pos)
    )


def siblings(lexicon: WordNet, old: str, new: str, pos: str) -> bool:
    """Whether two words are next to the same word, such as one wider than both; and so if one is unknown."""
    if not lexicon.knows(pos) or not lexicon.bases(new, pos):
        return True
    return bool(lexicon.neighbours(old, pos) & lexicon.neighbours(new, pos))


@cache
def open_unlike(language: str, base: str = DEFAULT) -> DifferentMeaningProposer | MeaningProposer:
    """The words of the proposer of a name that mean something else, by MiniLM, by WordNet, or by both."""
    lexicon = open_wordnet() if language_of(language).wordnet and dictionary_folder() else None
    name, _, argument = base.partition(":")
    if name == DEFAULT and (lexicon is not None or data_folder("minilm")):
        return open_meaning(language, argument, other=True)
    factory = registry.load("proposers", name)
    opened = factory(language, argument) if argument else factory(language)
    read = open_words_in_context(language) if data_folder("minilm") or lexicon is None else None
    return DifferentMeaningProposer(opened, read, lexicon)
