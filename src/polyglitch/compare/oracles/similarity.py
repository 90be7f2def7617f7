"""The similarity oracle of TransRepair, CAT, GRI and WALI: outputs stay alike but for the edit.

A replaced source word may change one short stretch of the translation. So each side is also tried
without one changed block, and the best score over all pairs of such variants counts: what is left
is the change nothing asked for.

TransRepair's four metrics have forms of their own, fast over all variants, and published thresholds.
Any other that `list metrics` shows is asked for each pair of variants as texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Literal

from msgspec.structs import replace
from rapidfuzz.distance import LCSseq, Levenshtein
from rapidfuzz.process import cdist

from polyglitch.compare.metrics import bleu
from polyglitch.compare.metrics.bleu import Frequencies, cosine
from polyglitch.compare.metrics.measure import Limit, find_metric, limit_of, thresholds_by_name
from polyglitch.compare.metrics.units import (
    DiffBlock,
    Units,
    blocks,
    cut,
    cut_characters,
    explain,
    published_blocks,
)
from polyglitch.compare.oracles.two_outputs import Judge
from polyglitch.errors import UsageError
from polyglitch.files.lazy_numpy import has_numpy, np, npt
from polyglitch.protocols import Oracle, Tools
from polyglitch.records import Outcome, Trial, Verdict, two_texts, undecided
from polyglitch.registry import choose_oracle, component, entry, named_oracle

Vote = Literal["any", "all"] | int
METRICS = ("lcs", "ed", "tfidf", "bleu")  # TransRepair's four

# As published for CAT, GRI and WALI: a score strictly below is a suspected bug.
THRESHOLDS = {"lcs": 0.963, "ed": 0.963, "tfidf": 0.999, "bleu": 0.906}
LONGEST_EXCUSED = 3  # units a block may have to be left out, as published
# Of the best value, for a similarity without a published threshold: about that of BLEU.
SHARE = 0.9
MOST_VARIANTS = 32  # a side; more blocks than that means unlike texts, and the product is quadratic


@component
def similar_enough(
    metrics: Sequence[str] = METRICS,
    thresholds: Mapping[str, float] = THRESHOLDS,
    vote: Vote = "any",
    faithful: bool = False,
    reverse: bool = False,
    language: str | None = None,
    weights: Sequence[float] = (),
    threshold: float | None = None,
) -> Judge:
    """Violated if enough metrics (`vote`: any, all, or a number) score below their thresholds.

    A metric whose threshold is not given is held to the published one, else to 0.9 of its best value, or, if it is
    a distance, to none at all. With `threshold`, instead, violated if the mean of the metrics is past it, weighted
    where `weights` has one for each: the combination that `calibrate` fits.

    Intended: words or characters by script; only a replaced block is excused, so that units which
    just vanish or appear are reported. `faithful`: characters, the alignment of GNU `wdiff`, any
    short block excused; `reverse` aligns the second output with the first, as CAT's published code
    does. `language` is that of the outputs.
    """
    limits = {name: limit(name, thresholds) for name in known(metrics)}
    known(thresholds)
    needed = votes_needed(vote, len(limits))
    shares = mean_weights(weights, len(limits), threshold)
    if threshold is not None and len({each.direction for each in limits.values()}) > 1:
        raise UsageError(
            f"similar_enough: threshold={threshold} is for the mean of {', '.join(limits)}, and some of them are "
            "similarities and some distances; give metrics of one direction"
        )
    measures = PUBLISHED if faithful else INTENDED

    def align(a: str, b: str) -> tuple[Units, Units, list[DiffBlock]]:
        if faithful:
            first, second = cut_characters(a), cut_characters(b)
            return first, second, published_blocks(first.units, second.units, reverse=reverse)
        first, second = cut(a, language), cut(b, language)
        return first, second, blocks(first.units, second.units)

    def judge(trial: Trial) -> Verdict:
        first, second, found = align(*two_texts(trial))
        if not found:
            scores = {name: each.best for name, each in limits.items()}
        else:
            one, other = excused(found, faithful)
            sides = (without_each(first.units, one), without_each(second.units, other))
            scores = {
                name: measures[name](*sides)
                if name in measures
                else best_score(
                    name, texts_without_each(first, one), texts_without_each(second, other)
                )
                for name in limits
            }
        if threshold is None:
            verdict = decide(trial, scores, limits, needed)
        else:
            direction = next(iter(limits.values())).direction
            verdict = decide_mean(trial, scores, shares, Limit(threshold, direction))
        if verdict.outcome == "violated":
            spans, reasons = explain(first, second, found)
            return replace(verdict, spans=spans, reasons=reasons)
        return verdict

    def judge_all(trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        return [undecided(trial) or judge(trial) for trial in trials]

    return judge_all


def excused(found: Sequence[DiffBlock], faithful: bool) -> tuple[list[Place], list[Place]]:
    """The places on each side that may be left out: those of short blocks that were replaced."""
    chosen = [block for block in found if faithful or block.kind == "replaced"]
    sides = (
        [(block.a_start, block.a_end) for block in chosen],
        [(block.b_start, block.b_end) for block in chosen],
    )
    most = None if faithful else MOST_VARIANTS - 1
    first, second = (
        [(start, end) for start, end in side if 0 < end - start <= LONGEST_EXCUSED][:most]
        for side in sides
    )
    return first, second


def without_each(units: list[str], places: Sequence[Place]) -> list[list[str]]:
    """The units, then the units without each place."""
    return [units, *(units[:start] + units[end:] for start, end in places)]


def texts_without_each(whole: Units, places: Sequence[Place]) -> list[str]:
    """The text, then the text without each place; single blanks between words."""
    cuts = [whole.place(start, end) for start, end in places]
    texts = [whole.text, *(whole.text[:start] + whole.text[end:] for start, end in cuts)]
    return [" ".join(text.split()) for text in texts]


def limit(name: str, thresholds: Mapping[str, float]) -> Limit:
    """What a metric is held to: as given, as published, or a share of its best."""
    if name in INTENDED:
        return Limit({**THRESHOLDS, **thresholds}[name])
    return limit_of(find_metric(name), thresholds.get(name), SHARE)


def best_score(name: str, a: Sequence[str], b: Sequence[str]) -> float:
    """The best that a registered metric gives to any pair of variants."""
    metric = find_metric(name)
    scores = metric.score(list(product(a, b)))
    return float(max(scores) if metric.direction == "similarity" else min(scores))


def decide(
    trial: Trial, scores: dict[str, float], limits: dict[str, Limit], needed: int
) -> Verdict:
    """Count the votes; the verdict shows the first metric that agrees with it."""
    against = [name for name in limits if limits[name].past(scores[name]) > 0]
    violated = len(against) >= needed
    shown = next(name for name in limits if (name in against) == violated)
    return Verdict(
        trial.case.id,
        "violated" if violated else "holds",
        score=scores[shown],
        threshold=limits[shown].threshold,
        direction=limits[shown].direction,
        details=scores,
    )


def decide_mean(
    trial: Trial, scores: dict[str, float], shares: Sequence[float], held_to: Limit
) -> Verdict:
    """Compare the weighted mean of the metrics with one threshold."""
    mean = sum(share * score for share, score in zip(shares, scores.values(), strict=True))
    outcome: Outcome = "violated" if held_to.past(mean) > 0 else "holds"
    return Verdict(trial.case.id, outcome, "", mean, held_to.threshold, held_to.direction, scores)


def mean_weights(weights: Sequence[float], metrics: int, threshold: float | None) -> list[float]:
    """The share of each metric in their mean; equal where none is given."""
    if not weights:
        return [1 / metrics] * metrics
    if threshold is None or len(weights) != metrics or min(weights) < 0 or not sum(weights):
        raise UsageError(
            f"similar_enough: weights={list(weights)} need a threshold, and one from 0 up for each "
            f"of the {metrics} metrics, not all 0"
        )
    return [weight / sum(weights) for weight in weights]


def known(names: Sequence[str] | Mapping[str, float]) -> list[str]:
    """The names as given, or an error if one is not a metric."""
    if not names:
        raise UsageError(f"similar_enough: metrics is empty; give some of {', '.join(INTENDED)}")
    for name in names:
        entry("metrics", name)
    return list(names)


def votes_needed(vote: Vote, metrics: int) -> int:
    """How many metrics must find fault."""
    needed = {"any": 1, "all": metrics}.get(vote, 0) if isinstance(vote, str) else vote
    if not 1 <= needed <= metrics:
        raise UsageError(
            f"similar_enough: vote={vote!r} is not possible; "
            f"give 'any', 'all' or a number from 1 to {metrics}, the number of metrics"
        )
    return needed


Place = tuple[int, int]  # units from and to
Variants = Sequence[list[str]]  # the whole text first, then the text without one block each
Best = Callable[[Variants, Variants], float]


def longer_lengths(a: Variants, b: Variants) -> npt.NDArray[np.int64]:
    """For each pair the length of the longer; 1 where both are empty, so that it can divide."""
    rows, columns = np.array([len(x) for x in a]), np.array([len(y) for y in b])
    longer: npt.NDArray[np.int64] = np.maximum(np.maximum.outer(rows, columns), 1)
    return longer


def best_lcs(a: Variants, b: Variants) -> float:
    """The highest LCS similarity."""
    # As a distance it is the longer length less the common one, and 0 for two empty lists, which
    # are alike.
    if not has_numpy():
        return max((n - LCSseq.distance(x, y)) / n for x, y, n in with_longer(a, b))
    longer = longer_lengths(a, b)
    return float(((longer - cdist(a, b, scorer=LCSseq.distance, dtype=np.int32)) / longer).max())


def best_ed(a: Variants, b: Variants) -> float:
    """The highest edit similarity."""
    if not has_numpy():
        return max(1 - Levenshtein.distance(x, y) / n for x, y, n in with_longer(a, b))
    distances = cdist(a, b, scorer=Levenshtein.distance, dtype=np.int32)
    return float((1 - distances / longer_lengths(a, b)).max())


def with_longer(a: Variants, b: Variants) -> Iterator[tuple[list[str], list[str], int]]:
    """All pairs with the same lengths, one by one."""
    return ((x, y, max(len(x), len(y), 1)) for x, y in product(a, b))


def best_bleu(a: Variants, b: Variants) -> float:
    """The highest smoothed BLEU on the units as they are."""
    first, second = [bleu.grams(x) for x in a], [bleu.grams(y) for y in b]
    return max(bleu.smoothed_bleu(x, y) for x, y in product(first, second))


def best_published_bleu(a: Variants, b: Variants) -> float:
    """The highest BLEU on units cut again by mteval's rules, rounded as published."""
    return bleu.single_precision(
        best_bleu([bleu.mteval(x) for x in a], [bleu.mteval(y) for y in b])
    )


def best_tfidf(a: Variants, b: Variants) -> float:
    """The highest TF-IDF cosine, the frequencies fitted on the two whole texts alone.

    So a verdict depends on its trial and nothing else: the same however trials are batched or a run
    is resumed. The table of frequencies behind the published figures was never released.
    """
    known = Frequencies((a[0], b[0]))
    first, second = [known.vector(x) for x in a], [known.vector(y) for y in b]
    return max(cosine(x, y) for x, y in product(first, second))


INTENDED: dict[str, Best] = {
    "lcs": best_lcs,
    "ed": best_ed,
    "tfidf": best_tfidf,
    "bleu": best_bleu,
}
PUBLISHED: dict[str, Best] = {**INTENDED, "bleu": best_published_bleu}


def by_similarity(
    name: str | None,
    metrics: tuple[str, ...] | None,
    vote: Vote | None,
    weights: tuple[float, ...],
    threshold: float | None,
    faithful: bool,
    reverse: bool = False,
    thresholds: tuple[float, ...] = (),
) -> tuple[str, Oracle]:
    """The oracle of a method that is published with four similarities, by name and made."""
    name = choose_oracle(
        name,
        metrics=metrics,
        vote=vote,
        weights=weights or None,
        thresholds=thresholds or None,
        threshold=threshold,
        faithful=faithful,
    )
    chosen = METRICS if metrics is None else metrics
    published = similar_enough(
        metrics=chosen,
        thresholds=THRESHOLDS | thresholds_by_name(chosen, thresholds),
        vote="all" if vote is None else vote,
        faithful=faithful,
        reverse=reverse,
        weights=weights,
        threshold=threshold,
    )
    return name, named_oracle(name, published)
