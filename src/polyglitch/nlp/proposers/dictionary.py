"""TransRepair's dictionary: words whose vectors are alike in two sets that were trained apart.

The published dictionary joins GloVe 200d with en_core_web_md at a cosine above .9 (.8 in the published code). Here the
second set is the input embeddings of a language model, freed of what all words share, whose cosines are lower.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from polyglitch.errors import Missing
from polyglitch.files.lazy_numpy import np
from polyglitch.languages import language as language_of
from polyglitch.languages import serving
from polyglitch.languages.record import differ_by_ending
from polyglitch.nlp.models.downloads import SMOLLM2
from polyglitch.nlp.models.smollm import open_smollm
from polyglitch.nlp.proposers.candidate_words import TokenVectors
from polyglitch.nlp.proposers.slot_words import WordClasses, word_classes
from polyglitch.nlp.proposers.vectors import VectorProposer, open_vectors
from polyglitch.records import Candidate, Slot

# Read on the pairs of the nouns and adjectives of the bundled sentences: below, words are of one subject (volcano,
# lava; airport, plane) rather than of one kind.
FIRST, SECOND, MEAN = 0.55, 0.35, 0.58


class DictionaryProposer:
    """Fits `Proposer`: the same words for a word wherever it stands, most similar first."""

    def __init__(
        self,
        vectors: VectorProposer,
        tokens: TokenVectors,
        ids: dict[str, int],
        classes: WordClasses | None,
        signature: str,
    ) -> None:
        self._vectors, self._tokens, self._ids = vectors, tokens, ids
        self._classes, self.signature = classes, signature
        self._words = list(ids)

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` similar words that can have the slot's tag."""
        return [
            [one for one in self._alike(slot.token.text.lower()) if self._fits(one, slot)][:top]
            for slot in slots
        ]

    def _fits(self, candidate: Candidate, slot: Slot) -> bool:
        return self._classes is None or self._classes.can_be(candidate.word, slot.token.tag)

    @cache  # noqa: B019 - the proposer lives as long as the process
    def _alike(self, word: str) -> tuple[Candidate, ...]:
        if word not in self._ids or word not in self._vectors:
            return ()
        first = self._vectors.likeness([word], self._words)[0]
        second = self._tokens.likeness([(self._ids[word],)])[0]
        both = np.minimum(first - FIRST, second - SECOND)
        best = np.argsort(-(first + second), kind="stable")
        return tuple(
            Candidate(self._words[i], round(float(first[i] + second[i]) / 2, 4))
            for i in best
            if both[i] >= 0
            and first[i] + second[i] >= 2 * MEAN
            and not differ_by_ending(self._words[i], word)
        )


@cache
def open_dictionary(language: str) -> DictionaryProposer:
    """The dictionary for English, from the vectors of spaCy and of SmolLM2."""
    if "dictionary" not in language_of(language).proposers:
        raise Missing(
            f"two sets of vectors for {language!r}",
            "the proposer 'dictionary'",
            serving("dictionary"),
        )
    tokenizer, weights = open_smollm()
    banned = language_of(language).words("never_proposed")
    ids = {
        piece[1:]: number
        for piece, number in sorted(tokenizer.vocabulary.items())
        if re.fullmatch(r"Ġ[a-z]{3,}", piece) and piece[1:] not in banned
    }
    vectors = open_vectors(language)
    tokens = TokenVectors(weights.words, [(number,) for number in ids.values()])
    signature = f"dictionary({vectors.signature}>={FIRST}+{SMOLLM2}>={SECOND},mean>={MEAN})"
    return DictionaryProposer(vectors, tokens, ids, word_classes(language), signature)
