"""The oracle of SemMT: a sentence and its back-translation mean the same in quantifiers and logic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from polyglitch.compare.metrics.limits import Limit, find_metric, limit_of
from polyglitch.compare.oracles.trip_at_fault import By, CrossReference, TripPlace
from polyglitch.component import component
from polyglitch.errors import UsageError
from polyglitch.protocols import Comparison, Tools
from polyglitch.records import Trial, Verdict
from polyglitch.represent.abstraction.relations import Side
from polyglitch.represent.automata.drawn import drawable
from polyglitch.represent.meaning import TwoMeanings, meanings

# At 0.79 the labelled round trips of the paper's RQ2 give the best F (0.69), see docs/methods/semmt.md.
THRESHOLD = 0.79


@component
def same_meaning(
    metrics: tuple[str, ...],
    thresholds: tuple[float, ...],
    weights: tuple[float, ...] = (),
    k: float = 0.5,
    vague: Side = "over",
    cross: str = "",
    cross_back: str = "",
    locate: By = "meaning",
) -> Comparison:
    """Violated if a similarity of the input and its back-translation is at or below its threshold, a distance above."""
    if not metrics:
        raise UsageError("semmt: metrics is empty; `list metrics` shows those there are")
    if weights and len(weights) != len(metrics):
        raise UsageError(f"semmt: {len(metrics)} metrics need as many weights, not {len(weights)}")
    if not weights and len(thresholds) != len(metrics):
        raise UsageError(
            f"semmt: {len(metrics)} metrics need as many thresholds, not {len(thresholds)}"
        )
    if cross and not cross_back:
        raise UsageError(f"semmt: cross={cross!r} alone tells nothing; name cross_back as well")
    limits = [
        limit_of(find_metric(name), threshold, THRESHOLD)
        for name, threshold in zip(
            metrics, thresholds[:1] * len(metrics) if weights else thresholds, strict=True
        )
    ]
    if weights and len({limit.direction for limit in limits}) > 1:
        raise UsageError(
            f"semmt: weights={list(weights)} need metrics of one direction, and of {', '.join(metrics)} some are "
            "similarities and some distances"
        )
    trips = CrossReference(cross, cross_back, locate)

    def judge_all(trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        verdicts = [judge(trial) for trial in trials]
        wrong = [n for n, verdict in enumerate(verdicts) if verdict.outcome == "violated"]
        if trips and wrong:
            places = trips.find([trials[n] for n in wrong], tools, vague)
            for n, place in zip(wrong, places, strict=True):
                verdicts[n] = placed(verdicts[n], place)
        return verdicts

    def judge(trial: Trial) -> Verdict:
        if trial.failure:
            return Verdict(trial.case.id, "undecided", trial.failure)
        text, back = trial.case.inputs[0].text, trial.chains[0][-1].text
        found = meanings(text, back, vague)
        if found.kind == "nothing":
            return Verdict(trial.case.id, "undecided", "no quantifier or logical relation")
        scores = [value_of(name, text, back, found, k) for name in metrics]
        score, limit = decide(scores, limits, weights)
        details = dict(zip(metrics, scores, strict=True)) | {"semmt-d": found.d}
        violated = at_fault(score, limit)
        return Verdict(
            trial.case.id,
            "violated" if violated else "holds",
            score=score,
            threshold=limit.threshold,
            direction=limit.direction,
            details=details,
            reasons=explain(found) if violated else (),
            drawn=drawn(found) if violated else {},
        )

    return judge_all


def placed(verdict: Verdict, place: TripPlace) -> Verdict:
    """A violation that says which trip is at fault."""
    return msgspec.structs.replace(
        verdict,
        details=verdict.details | place.details,
        reasons=(*verdict.reasons, place.reason),
    )


def value_of(name: str, text: str, back: str, found: TwoMeanings, k: float) -> float:
    """A metric of the two sentences; SemMT's own from what is known of them already."""
    own = {"semmt-r": found.r, "semmt-r-plain": found.plain_r, "semmt-d": found.d}
    if name == "semmt-h":
        return found.h(k)
    return own[name] if name in own else float(find_metric(name).score([(text, back)])[0])


def at_fault(score: float, limit: Limit) -> bool:
    """Whether a similarity is at or below its threshold, as published, or a distance above."""
    past = limit.past(score)
    return past > 0 or (past == 0 and limit.direction == "below")


def decide(
    scores: Sequence[float], limits: Sequence[Limit], weights: Sequence[float]
) -> tuple[float, Limit]:
    """The weighted mean, or the score that is furthest past its threshold; one at fault before one that is not."""
    if weights:
        mean = sum(w * s for w, s in zip(weights, scores, strict=True)) / sum(weights)
        return mean, limits[0]
    return max(
        zip(scores, limits, strict=True), key=lambda pair: (at_fault(*pair), pair[1].past(pair[0]))
    )


def drawn(found: TwoMeanings) -> dict[str, Any]:
    """The two regexes and, where they are small enough to read, their automata."""
    machines = [drawable(regex) for regex in (found.one, found.other) if regex]
    return {
        "regexes": {"sentence": found.one, "came back as": found.other},
        "automata": [machine for machine in machines if machine],
    }


def explain(found: TwoMeanings) -> tuple[str, ...]:
    """What became of the meaning, for people."""
    regexes = f"{found.one or 'nothing'} became {found.other or 'nothing'}"
    undecided = (found.undecided,) if found.undecided else ()
    return (*found.differences, regexes, *undecided)
