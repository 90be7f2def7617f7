"""Words alike a word that can have its tag, by two sets of vectors: the model's own and spaCy's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import numpy as np

from polyglitch.language.stems import same_stem
from polyglitch.language.token_vectors import TokenVectors
from polyglitch.language.vectors import VectorProposer
from polyglitch.language.word_classes import WordClasses

# Read on 230 labelled swaps of news sentences: below, the word is of another subject.
LEAST_NEAR, LEAST_SIMILAR = 0.15, 0.42


class Alike(msgspec.Struct, frozen=True):
    """Some words with their tokens and likeness, the sum of both cosines, the nearest first."""

    words: tuple[str, ...] = ()
    tokens: tuple[int, ...] = ()
    likeness: tuple[float, ...] = ()


class AlikeWords:
    """Looks words up among those that are one token of `vocabulary`; what was looked up is kept."""

    def __init__(
        self,
        vocabulary: dict[str, int],
        proposed: Iterable[str],
        embeddings: Any,
        vectors: VectorProposer,
        classes: WordClasses | None,
    ) -> None:
        self._vocabulary, self._vectors, self._classes = vocabulary, vectors, classes
        self._words = list(proposed)
        self._near = TokenVectors(embeddings, [vocabulary[word] for word in self._words])
        self._neighbours: dict[str, list[tuple[str, float]]] = {}
        self._fitting: dict[tuple[str, str], Alike] = {}

    def learn(self, words: Iterable[str]) -> None:
        """Look for the neighbours of all words at once; a word that is more than one token has none."""
        new = sorted(set(words) - self._neighbours.keys())
        self._neighbours |= {word: [] for word in new}
        known = [word for word in new if word in self._vocabulary and word in self._vectors]
        if not known:
            return
        near = self._near.likeness([self._vocabulary[word] for word in known])
        similar = self._vectors.likeness(known, self._words)
        both = np.where((near >= LEAST_NEAR) & (similar >= LEAST_SIMILAR), near + similar, 0.0)
        for word, row in zip(known, both, strict=True):
            self._neighbours[word] = [
                (self._words[place], float(row[place]))
                for place in np.argsort(-row, kind="stable")[: np.count_nonzero(row)]
                if not same_stem(self._words[place], word)
            ]

    def of(self, word: str, tag: str) -> Alike:
        """The neighbours of a learned word that can have a tag."""
        place = (word, tag)
        if place not in self._fitting:
            rows = [
                (other, self._vocabulary[other], likeness)
                for other, likeness in self._neighbours[word]
                if self._classes is None or self._classes.can_be(other, tag)
            ]
            self._fitting[place] = Alike(*zip(*rows, strict=True)) if rows else Alike()
        return self._fitting[place]
