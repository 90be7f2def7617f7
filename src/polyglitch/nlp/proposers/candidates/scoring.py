"""How a word for a slot is judged: what is measured of it, and the learned models that make a probability of that.

`natural` is the probability that a reader takes the sentence with the word for one that a person might have written,
`alike` that it is so and says nearly the same. Both are logistic models, fitted by `python -m benchmarks.acceptance` on
swaps that were read (benchmarks/readings); their weights are data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import msgspec

from polyglitch.nlp.proposers.slot_words import breaks_gender, goes_with_article, repeats
from polyglitch.nlp.proposers.wordnet import RELATIONS
from polyglitch.protocols import Slot
from polyglitch.records import digest

WEIGHTS = "words.json"
# Log-odds beyond these say no more: a word of no chance, a sentence that drifts from its subject.
GAIN, CHANGE = (-9.0, 4.0), (-6.0, 3.0)
# What follows the word is scored in steps, after so many tokens; what a sentence hardly ever gains any more from
# there on: a word that would need more is dropped before the next, costlier step.
STAGES = ((0, 1.2), (1, 1.0), (3, 0.8), (6, 0.6), (10, 0.0))
TAIL = STAGES[-1][0]


class ScoredCandidate(msgspec.Struct):
    """A word for a slot, and what is known of it: beside the old word, in its place, and so far of what follows."""

    word: str
    tokens: tuple[int, ...]
    near: float  # cosine by the model's embeddings
    similar: float  # cosine by word vectors
    relation: str  # by WordNet, one of RELATIONS, or none
    same_field: bool  # whether WordNet has both in one field
    own: float  # log-odds of the old word, in its place
    gain: float  # log-odds of the word in its place against the old one's
    change: float = 0.0  # the same of what follows
    in_context: float | None = None  # cosine of both words in their sentences, once a model looked
    before: tuple[int, ...] = ()  # where the model has what was computed of the sentence up to here

    def features(self, slot: Slot) -> dict[str, float]:
        """What the learned models look at."""
        gain = clipped(self.gain, GAIN)
        return {
            "gain": gain,
            "gain up": max(gain, 0.0),
            **changed(self.change),
            "near": self.near,
            "similar": max(self.similar, 0.0),
            "no vector": float(self.similar < 0),
            **{f"wordnet {kind}": float(self.relation == kind) for kind in RELATIONS},
            "same field": float(self.same_field),
            "tokens": float(len(self.tokens) - 1),
            "own": clipped(self.own, (-12.0, 0.0)),
            "in context": self.in_context or 0.0,
            "adjective": float(slot.token.pos == "ADJ"),
            "verb": float(slot.token.pos == "VERB"),
            "adverb": float(slot.token.pos == "ADV"),
        }


def changed(value: float) -> dict[str, float]:
    """What is looked at of how likely the rest of the sentence became."""
    change = clipped(value, CHANGE)
    return {"change": change, "change up": max(change, 0.0)}


def clipped(value: float, between: tuple[float, float]) -> float:
    """The value, or the nearer end of a range that it is outside of."""
    return min(max(value, between[0]), between[1])


class Logistic(msgspec.Struct, frozen=True):
    """A logistic model: an intercept and a weight for each feature that it looks at."""

    intercept: float
    weights: dict[str, float]

    def __call__(self, features: dict[str, float]) -> float:
        """The probability."""
        total = self.intercept + sum(
            weight * features[name] for name, weight in self.weights.items()
        )
        return 1 / (1 + math.exp(-clipped(total, (-40.0, 40.0))))


@cache
def learned(name: str) -> Logistic:
    """The model of a name, from the data that ships."""
    text = files("polyglitch").joinpath("resources", "models", WEIGHTS).read_bytes()
    return msgspec.json.decode(text, type=dict[str, Logistic])[name]


class CandidateJudge:
    """The learned models for what is installed: with or without WordNet, with or without words in context."""

    def __init__(self, wordnet: bool, in_context: bool = False) -> None:
        without = "" if wordnet else " without wordnet"
        self._natural = learned(f"natural{without}")
        self._alike = learned(f"alike{without}{'' if in_context else ' without minilm'}")
        models = [msgspec.json.encode(one).decode() for one in (self._natural, self._alike)]
        self.signature = f"learned-{digest(models, 8)}"

    def natural(self, slot: Slot, one: ScoredCandidate, hope: float = 0.0) -> float:
        """The probability that a reader takes the word, at best if what is still to come gained as much as hoped."""
        features = one.features(slot)
        # More is not always better: what gets far likelier than it was has drifted from its subject.
        best = [
            change
            for change in (one.change + hope, 0.0)
            if one.change < change <= one.change + hope
        ]
        return max(self._natural(features | changed(change)) for change in (one.change, *best))

    def alike(self, slot: Slot, one: ScoredCandidate) -> float:
        """The probability that a reader takes the word and finds that the sentence says nearly the same."""
        return self._alike(one.features(slot))


def suits(slot: Slot, word: str) -> bool:
    """Whether nothing in the sentence speaks against a word, whatever a model says of it."""
    return (
        goes_with_article(slot, word) and not repeats(slot, word) and not breaks_gender(slot, word)
    )


def best_first(
    scored: Sequence[tuple[float, ScoredCandidate]], least: float
) -> list[tuple[float, ScoredCandidate]]:
    """Those that reach a probability, the highest first."""
    kept = [pair for pair in scored if pair[0] >= least]
    return sorted(kept, key=lambda pair: (-pair[0], pair[1].word))
