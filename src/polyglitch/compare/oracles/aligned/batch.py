"""Pairs judged together: the lexicon is learned from all of them, then each is scored and explained."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from polyglitch.compare.oracles.aligned.evidence import Context, Row, word_rows
from polyglitch.compare.oracles.aligned.explain import Suspect, explain, marked
from polyglitch.compare.oracles.aligned.hard_facts import Broken, broken_facts
from polyglitch.compare.oracles.aligned.links import (
    WEIGHTY,
    Linked,
    Pairing,
    Relation,
    link,
    pair_off,
)
from polyglitch.compare.oracles.aligned.model import Model, is_light, load_model, pair_row
from polyglitch.compare.oracles.aligned.resources import Resources
from polyglitch.compare.oracles.aligned.text import Sentence, frequencies
from polyglitch.protocols import Floats
from polyglitch.records import Span

FACT = (
    0.7  # what a broken fact adds by itself, so that it ranks above any wording; see docs/oracle.md
)
SHOWN = {  # of the features of a pair, as a report names them
    "worst": "likeliest word",
    "heavy": "changed words",
    "light": "changed little words",
}
SAME = 0.5  # different outputs were asked for: a score over it says that no word of weight changed


class Quad(NamedTuple):
    """Original and follow-up with what the system made of them."""

    source: str
    followup: str
    first: str
    second: str
    relation: Relation = "similar"


class Judgement(NamedTuple):
    """The chance of a violation, the threshold it is held against, and why."""

    score: float
    threshold: float
    reasons: tuple[str, ...] = ()
    spans: tuple[Span, ...] = ()
    details: dict[str, float] = {}  # noqa: RUF012 - a tuple's default is never changed

    @property
    def violated(self) -> bool:
        """Whether the score is past the threshold."""
        return self.score > self.threshold


class ReadPairs(NamedTuple):
    """A pair with its links and the features of its changed words."""

    quad: Quad
    linked: Linked
    pairing: Pairing
    words: list[list[tuple[int, Row]]]
    broken: list[Broken]


def read_pairs(quads: Sequence[Quad], resources: Resources) -> Iterable[ReadPairs]:
    """Link each pair with a lexicon learned from all, and say what speaks for and against each word."""
    sources = resources.read([t for q in quads for t in (q.source, q.followup)], resources.source)
    outputs = resources.read([t for q in quads for t in (q.first, q.second)], resources.target)
    sides = ((s, t) for q in quads for s, t in ((q.source, q.first), (q.followup, q.second)))
    lexicon = resources.lexicon([(sources[s], outputs[t]) for s, t in sides])
    context = Context(
        lexicon,
        resources.likeness,
        frequencies(list(outputs.values())),
        len(outputs),
        resources.target,
    )
    vectors = resources.in_context(changed_outputs(quads, outputs))
    for quad in quads:
        first, second = outputs[quad.first], outputs[quad.second]
        linked = link(sources[quad.source], sources[quad.followup], first, second, lexicon)
        pairing = pair_off(linked.first, linked.second, lexicon, context.likeness)
        rows = word_rows(linked, pairing, context, both(vectors, quad))
        broken = broken_facts(linked, resources.source, resources.target)
        yield ReadPairs(quad, linked, pairing, rows, broken)


def changed_outputs(quads: Sequence[Quad], outputs: dict[str, Sentence]) -> list[Sentence]:
    """The outputs that differ from their partner: only these need a closer look."""
    texts = dict.fromkeys(t for q in quads if q.first != q.second for t in (q.first, q.second))
    return [outputs[text] for text in texts]


def both(vectors: dict[str, Floats], quad: Quad) -> tuple[Floats, Floats] | None:
    """The vectors of both outputs, if they were computed."""
    if quad.first in vectors and quad.second in vectors:
        return vectors[quad.first], vectors[quad.second]
    return None


def judge_pairs(
    quads: Sequence[Quad], resources: Resources, threshold: float | None = None
) -> list[Judgement]:
    """A judgement for each pair, in order."""
    model = load_model()
    limit = model.threshold if threshold is None else threshold
    return [
        judge_different(read) if read.quad.relation == "different" else judge(read, model, limit)
        for read in read_pairs(quads, resources)
    ]


def judge(read: ReadPairs, model: Model, threshold: float) -> Judgement:
    """Score a pair whose outputs must say the same but for the edit."""
    chances = [[model.word_chance(row) for _, row in side] for side in read.words]
    score, row = score_pair(read, model, chances)
    score = with_facts(score, bool(read.broken))
    for fact in read.broken:  # where a fact is at stake, its word is the place to look at
        for index, (at, _) in enumerate(read.words[fact.output]):
            if at == fact.place:
                chances[fact.output][index] = max(chances[fact.output][index], FACT)
    details = {"chance": round(score, 4)} | {
        shown: round(row[name], 4) for name, shown in SHOWN.items()
    }
    if score <= threshold:
        return Judgement(score, threshold, details=details)
    by_place = [
        {at: chance for (at, _), chance in zip(*side, strict=True)}
        for side in zip(read.words, chances, strict=True)
    ]
    places = marked(read.linked, read.pairing, by_place, model.location)
    partners = (read.pairing.partner, read.pairing.turned().partner)
    suspects = [
        [
            Suspect(at, chance, partner.get(at, (None, 0.0))[0], at in chosen)
            for at, chance in side.items()
        ]
        for side, partner, chosen in zip(by_place, partners, places, strict=True)
    ]
    outputs = (read.linked.first.output, read.linked.second.output)
    reasons, spans = explain(outputs, suspects)
    return Judgement(score, threshold, reasons, spans, details)


def score_pair(read: ReadPairs, model: Model, chances: list[list[float]]) -> tuple[float, Row]:
    """The chance of a violation and the features it comes of; no changed word, no violation."""
    words = [
        [(chance, is_light(row)) for chance, (_, row) in zip(side_chances, side, strict=True)]
        for side_chances, side in zip(chances, read.words, strict=True)
    ]
    row = pair_row(words)
    return (model.pair.chance(row) if any(chances) else 0.0), row


def with_facts(score: float, broken: bool) -> float:
    """The chance that the words are at fault or the fact is, if one is broken."""
    return 1 - (1 - score) * (1 - FACT) if broken else score


def judge_different(read: ReadPairs) -> Judgement:
    """Score a pair whose outputs must differ: violated if no word that carries meaning did."""
    sides = (read.linked.first, read.linked.second)
    changed = sum(side.output.words[at].kind in WEIGHTY for side in sides for at in side.changed)
    score = 1 / (1 + changed)
    if score <= SAME:
        return Judgement(score, SAME)
    reason = "the outputs say the same though the inputs do not"
    whole = (Span(1, 0, len(read.quad.second), reason),) if read.quad.second else ()
    return Judgement(score, SAME, (reason,), whole)
