"""How a word for a slot is judged: what is measured of it, and the learned models that make a probability of that.

`natural` is the probability that a reader takes the sentence with the word for one that a person might have written,
`alike` that it is so and says nearly the same. Both are logistic models, fitted by `python -m benchmarks.acceptance` on
swaps that were read (benchmarks/readings); their weights are data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from operator import mul

import msgspec

from polyglitch.nlp.lexicons.near_words import LISTED, OF_A_KIND
from polyglitch.nlp.models.downloads import word_weights
from polyglitch.nlp.proposers.slot_words import breaks_gender, goes_with_article, repeats, same_word
from polyglitch.nlp.proposers.wordnet import RELATIONS
from polyglitch.records import Slot, digest

# Log-odds beyond these say no more: a word of no chance, a sentence that drifts from its subject.
GAIN, CHANGE, WORST, LIKELY = (-9.0, 4.0), (-6.0, 0.0), (-6.0, 0.0), (-16.0, 0.0)
# What follows the word is scored in steps, after so many tokens; between them words are dropped that fell too low, for
# what follows hardly ever makes a word better. Four tokens tell of most words; what they let pass is told from eight
# ("I bought this car in March and the lid refuses to close"), and no better from all.
STAGES = (0, 1, 4, 8)
# Where words are only asked to be natural, a model that is fitted for it tells from one token which are worth more.
# All eight then tell of these anew: who is likely by one token often is so by chance alone.
SOON = (0, 1)
PROMISING = 0.915  # what is asked of a word by one token
# Before the last step a word below or above these keeps what it has: of 2,417 words of 512 sentences of news the last
# four tokens brought none of them across what methods ask for.
DOUBTFUL, SURE = 0.9, 0.97
# The probability of being natural that methods ask for by default: some two and a half cases a sentence.
ASKED_FOR = 0.93

# What is left of a doubt about a word that is written down for the old one: of those that were read and doubted most
# (below .7 and .5), three of four were natural and four of five said nearly the same.
STRANGE, UNLIKE = 0.8, 0.5


# What says less of an adjective than of a noun: one that is likely there and near in meaning may still be odd.
FOR_ADJECTIVES = ("gain", "change", "near", "similar", "own", "likely", "worst", "state")

# What is measured of a place and its sentence, whatever the word. Readers stumble over one swap of seven in recipes and
# leaflets, which say exactly what to do, and over one of twenty in what tells of the past.
OF_SENTENCE = ("order", "past", "figures", "length", "named")
RELATIONS_OF_PLACE = ("nsubj", "dobj", "pobj", "amod", "conj", "compound")
AROUND = (*OF_SENTENCE, *(f"is {one}" for one in RELATIONS_OF_PLACE), "plural", "first")
NAMED = ("NN", "NNS", "JJ")
LONG = 30  # words, from which a sentence is as long as any
# What is measured of a word, in its order.
PLAIN = (
    *("gain", "gain up", "change", "near", "similar", "no vector"),
    *(f"wordnet {kind}" for kind in RELATIONS),
    *(LISTED, OF_A_KIND, "wordnet senses", "wordnet senses listed", "same field", "tokens"),
    *("own", "likely", "worst", "in context", "state", "adjective", "verb", "adverb"),
    *AROUND,
)


class ScoredCandidate(msgspec.Struct):
    """A word for a slot, and what is known of it: beside the old word, in its place, and so far of what follows."""

    word: str
    tokens: tuple[int, ...]
    near: float  # cosine by the model's embeddings
    similar: float  # cosine by word vectors
    relation: str  # by WordNet, one of RELATIONS, or none
    listed: str  # whether it is written down for the old word, as what
    same_field: bool  # whether WordNet has both in one field
    own: float  # log-odds of the old word, in its place
    gain: float  # log-odds of the word in its place against the old one's
    change: float = 0.0  # the same of what follows
    worst: float = 0.0  # the same of the one token that follows and suffers most
    state: float | None = None  # cosine of the model's states at both words, in a middle layer
    in_context: float | None = None  # cosine of both words in their sentences, once a model looked
    before: tuple[int, ...] = ()  # where the model has what was computed of the sentence up to here
    senses: int = 0  # meanings of the old word by WordNet
    followed: int = 0  # tokens after the word that were scored
    around: tuple[float, ...] = (0.0,) * len(AROUND)  # of the place and its sentence

    def features(self, slot: Slot) -> dict[str, float]:
        """What the learned models look at."""
        plain = dict(zip(PLAIN, self.measures(slot), strict=True))
        return plain | {
            f"adjective {name}": plain["adjective"] * plain[name] for name in FOR_ADJECTIVES
        }

    def measures(self, slot: Slot) -> list[float]:
        """The same but for what says less of an adjective, in the order of their names."""
        gain, part, relation = clipped(self.gain, GAIN), slot.token.pos, self.relation
        senses = math.log1p(self.senses)
        return [
            gain,
            max(gain, 0.0),
            clipped(self.change, CHANGE),
            self.near,
            max(self.similar, 0.0),
            float(self.similar < 0),
            *(float(relation == kind) for kind in RELATIONS),
            float(self.listed == LISTED),
            float(self.listed == OF_A_KIND),
            # A word of many meanings is often written down for another one: a bank has branches, and no boughs.
            senses,
            senses * (self.listed == LISTED),
            float(self.same_field),
            float(len(self.tokens) - 1),
            clipped(self.own, (-12.0, 0.0)),
            clipped(self.own + self.gain, LIKELY),
            # "a noisy cat that barks": the rest of the sentence may well make up for the one word that tells.
            clipped(self.worst, WORST),
            self.in_context or 0.0,
            self.state or 0.0,
            float(part == "ADJ"),
            float(part == "VERB"),
            float(part == "ADV"),
            *self.around,
        ]


def measures_around(slot: Slot) -> tuple[float, ...]:
    """What is known of a place and its sentence, in the order of their names."""
    tokens, own = slot.parse.tokens, slot.token
    subjects = {one.head for one in tokens if one.relation.startswith("nsubj")}
    helped = {one.head for one in tokens if one.relation == "aux"}
    order = any(
        one.tag == "VB" and one.relation == "ROOT" and place not in subjects | helped
        for place, one in enumerate(tokens)
    )
    return (
        float(order),
        float(any(one.tag == "VBD" for one in tokens)),
        float(any(one.tag == "CD" for one in tokens)),
        min(len(tokens), LONG) / LONG,
        sum(one.tag in NAMED for one in tokens) / len(tokens),
        *(float(own.relation == one) for one in RELATIONS_OF_PLACE),
        float(own.tag == "NNS"),
        slot.index / len(tokens),
    )


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
        return probability(total)


def probability(log_odds: float) -> float:
    """What log-odds come to."""
    return 1 / (1 + math.exp(-clipped(log_odds, (-40.0, 40.0))))


class CandidateModel:
    """A learned model of candidates: it says what `Logistic` says of their features, without making these by name."""

    def __init__(self, model: Logistic) -> None:
        said = model.weights
        if unknown := said.keys() - {*PLAIN, *(f"adjective {name}" for name in FOR_ADJECTIVES)}:
            raise KeyError(*sorted(unknown))
        self._intercept = model.intercept
        self._usual = [said.get(name, 0.0) for name in PLAIN]
        self._for_adjectives = [
            weight + said.get(f"adjective {name}", 0.0)
            for name, weight in zip(PLAIN, self._usual, strict=True)
        ]

    def __call__(self, slot: Slot, one: ScoredCandidate) -> float:
        """The probability."""
        weights = self._for_adjectives if slot.token.pos == "ADJ" else self._usual
        return probability(self._intercept + sum(map(mul, weights, one.measures(slot))))


@cache
def learned(known_as: str) -> dict[str, Logistic]:
    """What was learned of the words of a language model, from the data that ships."""
    return msgspec.json.decode(word_weights(known_as), type=dict[str, Logistic])


class CandidateJudge:
    """The learned models for what is installed: with or without WordNet, with or without words in context.

    `soon` has others for words that are scored with one token of what follows so far, made for being natural only.
    """

    def __init__(
        self, known_as: str, wordnet: bool, in_context: bool = False, soon: bool = False
    ) -> None:
        self._known_as = known_as
        without = "" if wordnet else " without wordnet"
        heard = "" if in_context else " without minilm"
        names = {True: f"{without}{heard}", False: f" at first{without}"}
        fast = {True: f" soon{without}", False: f" left{without}"}
        self._used: list[Logistic] = []
        self._natural = self._models("natural", names)
        self._alike = self._models("alike", names)
        self._soon = self._models("natural", fast) if soon else {}
        # Where words are chosen by one token first, that model has heard of listed words that none had chosen.
        self._strange = 1.0 if soon else STRANGE
        told = [msgspec.json.encode(one).decode() for one in self._used]
        self.signature = f"learned-{digest(told, 8)}"

    def _models(self, kind: str, names: dict[bool, str]) -> dict[bool, CandidateModel]:
        """The models of a kind, by whether the model has passed over the word."""
        used = {known: learned(self._known_as)[f"{kind}{name}"] for known, name in names.items()}
        self._used += used.values()
        return {known: CandidateModel(one) for known, one in used.items()}

    def natural(self, slot: Slot, one: ScoredCandidate) -> float:
        """The probability that a reader takes the word, by what has been scored of it so far."""
        models = self._soon if self._soon and one.followed <= SOON[-1] else self._natural
        return heard(one, models[one.state is not None](slot, one), self._strange)

    def alike(self, slot: Slot, one: ScoredCandidate) -> float:
        """The probability that a reader takes the word and finds that the sentence says nearly the same."""
        return heard(one, self._alike[one.state is not None](slot, one), UNLIKE)


def heard(one: ScoredCandidate, probability: float, doubt: float) -> float:
    """The probability, nearer to one where the word is written down."""
    return 1 - (1 - probability) * doubt if one.listed == LISTED else probability


def suits(slot: Slot, word: str) -> bool:
    """Whether nothing in the sentence speaks against a word, whatever a model says of it."""
    return (
        goes_with_article(slot, word)
        and not same_word(slot, word)
        and not repeats(slot, word)
        and not breaks_gender(slot, word)
    )


def best_first(
    scored: Sequence[tuple[float, ScoredCandidate]], least: float
) -> list[tuple[float, ScoredCandidate]]:
    """Those that reach a probability, the highest first."""
    kept = [pair for pair in scored if pair[0] >= least]
    return sorted(kept, key=lambda pair: (-pair[0], pair[1].word))
