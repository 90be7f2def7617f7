"""Which words are worth trying in a slot, and which pass: likeness of meaning and the odds of the sentence together.

Words alike a word that can have its tag, by two sets of vectors: the model's own and spaCy's.

Likeness of words by the input embeddings of a language model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from polyglitch.languages.forms import differ_by_ending
from polyglitch.nlp.proposers.slot_words import (
    WordClasses,
    breaks_gender,
    goes_with_article,
    repeats,
)
from polyglitch.nlp.proposers.vectors import VectorProposer
from polyglitch.protocols import Candidate, Floats, Slot

RESCORED = 6  # candidates a slot that are scored with what follows: the costly step
# Log-probabilities against the original, read on 230 labelled swaps: below, the sentence reads badly.
LOWEST_LEFT, LOWEST_TAIL, LOWEST, HIGHEST = -3.5, -2.0, -3.0, 6.0
# Likeness and likelihood together: a tenth of a cosine makes up for one in log-probability. Of 200 swaps read, 86%
# were natural at .72, 91% at .90 and 93% at .95.
WEIGHT, LEAST = 0.1, 0.95
# What a sentence hardly ever gains any more: by the whole swap, and by what follows the word once so many tokens of it
# are scored. A word that would need more is dropped before the next, costlier step. Of 106 that passed when all was
# scored of all words (32 sentences of WMT17), 97% passed with hopes of 1.5 to 0.8; of 728 of those 98% pass these.
BEST_TOTAL = 2.0
STAGES = ((0, 1.2), (1, 1.0), (3, 0.8), (6, 0.6), (10, 0.0))
TAIL = STAGES[-1][0]


class ScoredCandidate(msgspec.Struct):
    """A word for a slot: how much likelier than the old one it is there, and so far what follows it."""

    word: str
    token: int
    likeness: float
    gain: float
    change: float = 0.0
    before: tuple[int, ...] = ()  # where the model has what was computed of the sentence up to here

    @property
    def score(self) -> float:
        """Likeness and likelihood together."""
        return self.likeness + WEIGHT * (self.gain + self.change)

    @property
    def fits(self) -> bool:
        """Whether the sentence is about as likely as before, and the word near enough for it."""
        likely = LOWEST <= self.gain + self.change <= HIGHEST and self.change >= LOWEST_TAIL
        return likely and self.score >= LEAST

    def may_fit(self, hope: float) -> bool:
        """Whether it could still fit if what is to come gained as much as that."""
        return self.score + WEIGHT * hope >= LEAST and self.change + hope >= LOWEST_TAIL


def promising(alike: Alike) -> bool:
    """Whether any of the words is near enough to fit some sentence."""
    return bool(alike.likeness) and alike.likeness[0] + WEIGHT * BEST_TOTAL >= LEAST


def choose(slot: Slot, alike: Alike, gains: Sequence[float]) -> list[ScoredCandidate]:
    """The best words of a slot by what is left of it: by how much likelier than the old word each is there."""
    found = [
        one
        for one in map(ScoredCandidate, alike.words, alike.tokens, alike.likeness, gains)
        if one.gain >= LOWEST_LEFT
        and one.may_fit(STAGES[0][1])
        and goes_with_article(slot, one.word)
        and not repeats(slot, one.word)
        and not breaks_gender(slot, one.word)
    ]
    return sorted(found, key=lambda one: (-one.score, one.token))[:RESCORED]


def ranked(hopeful: Sequence[ScoredCandidate]) -> list[Candidate]:
    """The words that fit once all was scored, the best first."""
    kept = [Candidate(one.word, round(one.score, 3)) for one in hopeful if one.fits]
    return sorted(kept, key=lambda one: (-one.score, one.word))


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
        embeddings: Floats,
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
                if not differ_by_ending(self._words[place], word)
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


# The directions in which all frequent words agree: without them, the neighbours of a word are of its meaning, with
# them they are frequent words (Mu, Viswanath: All-but-the-Top, ICLR 2018; read on news words).
COMMON_DIRECTIONS = 3


class TokenVectors:
    """Unit vectors of the tokens that are words, without what all words share."""

    def __init__(self, table: Floats, words: Iterable[int]) -> None:
        self._table = table
        ids = list(words)
        self._centre = table[ids].mean(0)
        rows = table[ids] - self._centre
        _, axes = np.linalg.eigh(rows.T @ rows)
        self._common = axes[:, -COMMON_DIRECTIONS:]
        self._words = self._units(ids)

    def likeness(self, tokens: Sequence[int]) -> Floats:
        """The cosine of each of some tokens with every word, in the order of the words."""
        found: Floats = self._units(list(tokens)) @ self._words.T
        return found

    def _units(self, ids: list[int]) -> Floats:
        moved: Floats = self._table[ids] - self._centre
        moved -= moved @ self._common @ self._common.T
        moved /= np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-12)
        return moved
