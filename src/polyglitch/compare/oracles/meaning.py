"""The oracle of SemMT: a sentence and its back-translation mean the same in quantifiers and logic; and which trip went
wrong, there or back, by cross reference to other translators (SemMT, 5.4).

By meaning, the default: another translator brings the same intermediate text back. Where the meaning is whole again our
way back was at fault, where it is lost again our way there. By agreement, as the paper does it: the translation that is
less like those of other translators than is usual is at fault; it stands in where meaning does not tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from polyglitch.compare.metrics.catalogue import leven
from polyglitch.compare.metrics.measure import Limit, find_metric, limit_of
from polyglitch.errors import UsageError
from polyglitch.protocols import Comparison, System, Tools
from polyglitch.records import Input, Trial, Verdict, digest
from polyglitch.registry import component
from polyglitch.represent.abstraction.relations import Side
from polyglitch.represent.automata.dfa import drawable
from polyglitch.represent.meaning import TwoMeanings, meanings
from polyglitch.tools import open_system

By = Literal["meaning", "agreement"]
TIMEOUT = 60.0
KEPT = "cross reference"  # where the store keeps what other translators said
USUAL = (0.50, 0.64)  # alike are correct translations, there and back (LEVEN, the paper's table 6)
SUREST = 0.9  # read on 21 faults of real translators, 18 were placed rightly
CLEAR = 0.2  # of the way from the middle to an end: below, meaning does not tell


@dataclass
class TripPlace:
    """The trip at fault, why, and with how much confidence (0.5 is a toss-up)."""

    trip: Literal["forward", "backward", ""]  # nothing where it cannot be told
    confidence: float
    details: dict[str, float]

    @property
    def reason(self) -> str:
        """For people."""
        if not self.trip:
            return (
                "which trip is at fault cannot be told: other translators gave no answer to compare"
            )
        return f"probably the {self.trip} trip (confidence {self.confidence:.2f})"


@dataclass
class CrossReference:
    """The other translators, by URI and comma, opened when first needed."""

    there: str
    back: str
    by: By = "meaning"
    _open: dict[str, System] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.back)

    def find(self, trials: Sequence[Trial], tools: Tools, vague: Side) -> list[TripPlace]:
        """The trip at fault of each violated round trip."""
        asked = [trial.case.inputs[0] for trial in trials]
        forward = [trial.chains[0][0].text for trial in trials]
        theirs = self._ask(self.there, asked, tools)
        again = self._ask(self.back, [Input(text) for text in forward], tools)
        places = []
        for trial, there, back in zip(trials, theirs, again, strict=True):
            by_meaning = place_by_meaning(trial, back, vague) if self.by == "meaning" else None
            places.append(by_meaning or place_by_agreement(trial, there, back))
        return places

    def _ask(self, uris: str, items: Sequence[Input], tools: Tools) -> list[list[str]]:
        """What other translators make of each text; failures are left out, answers kept in the store."""
        found: list[list[str]] = [[] for _ in items]
        for uri in filter(None, uris.split(",")):
            if uri not in self._open:
                self._open[uri] = open_system(uri, TIMEOUT)
            system = self._open[uri]
            keys = [digest([system.signature, item.text, item.language]) for item in items]
            known = tools.remember(KEPT, keys)
            new = {key: item for key, item in zip(keys, items, strict=True) if key not in known}
            todo = list(new.items())
            for start in range(0, len(todo), system.batch_size):
                some = todo[start : start + system.batch_size]
                outputs = system.ask([item for _, item in some])
                fresh = {
                    key: out.text for (key, _), out in zip(some, outputs, strict=True) if out.ok
                }
                tools.keep(KEPT, fresh)
                known |= fresh
            for key, texts in zip(keys, found, strict=True):
                texts += [known[key]] if key in known else []
        return found


def place_by_meaning(trial: Trial, others: Sequence[str], vague: Side) -> TripPlace | None:
    """Where others bring the meaning back whole the fault is on our way back; nothing where they are torn."""
    text, ours = trial.case.inputs[0].text, trial.chains[0][-1].text
    if not others:
        return None
    kept = sum(meanings(text, other, vague).r for other in others) / len(others)
    low = min(meanings(text, ours, vague).r, 0.9)  # what a lost meaning scores here
    lead = max(-1.0, (kept - low) / (1 - low) * 2 - 1)  # 1: theirs is whole, -1: as bad as ours
    if abs(lead) < CLEAR:
        return None
    confidence = round(min(SUREST, 0.5 + abs(lead) / 2), 3)
    details = {"meaning-elsewhere": kept, "trip-confidence": confidence}
    return TripPlace("backward" if lead > 0 else "forward", confidence, details)


def place_by_agreement(trial: Trial, there: Sequence[str], back: Sequence[str]) -> TripPlace:
    """The trip whose translation falls further below what is usual."""
    if not there or not back:
        return TripPlace("", 0.5, {})
    forward, backward = trial.chains[0][0].text, trial.chains[0][-1].text
    alike_there, alike_back = agreement(forward, there), agreement(backward, back)
    lead = (USUAL[0] - alike_there) - (USUAL[1] - alike_back)
    confidence = min(SUREST, 0.5 + abs(lead))
    details = {
        "agreement-there": alike_there,
        "agreement-back": alike_back,
        "trip-confidence": confidence,
    }
    return TripPlace("forward" if lead >= 0 else "backward", confidence, details)


def agreement(text: str, others: Sequence[str]) -> float:
    """The mean similarity of a translation to those of others."""
    return sum(leven.score([(text, other) for other in others])) / len(others)


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
