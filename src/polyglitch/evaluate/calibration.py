"""Where to draw the line: the best threshold for a goal, chosen from labels, or several scores made into one, with
figures of sentences not used to choose it.

A score here is a similarity unless said otherwise: at or below the threshold a pair is reported. Bugs are labelled
True. Everything is exact: every score that occurs is tried, not a grid.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from polyglitch.errors import UsageError
from polyglitch.files.lazy_numpy import np
from polyglitch.results.tables import Interval, wilson

Target = Literal["f", "precision", "recall", "accuracy"]
ROUNDS = 2_000
RATE = 0.5
PULL = 1e-3  # keeps weights finite where a score separates the labels perfectly


class Cut(msgspec.Struct, frozen=True):
    """A threshold with what it catches."""

    threshold: float
    reported: int
    true: int
    precision: float
    recall: float
    f: float
    accuracy: float


def sweep(
    scores: Sequence[float], bugs: Sequence[bool], direction: Literal["below", "above"] = "below"
) -> list[Cut]:
    """Every threshold that makes a difference, the strictest first."""
    if len(scores) != len(bugs) or not any(bugs) or all(bugs):
        raise UsageError(
            f"thresholds need as many labels as scores, of both kinds; "
            f"there are {len(scores)} scores and {sum(bugs)} bugs among {len(bugs)} labels"
        )
    sign = 1 if direction == "below" else -1
    order = sorted(range(len(scores)), key=lambda index: sign * scores[index])
    cuts, true, positives = [], 0, sum(bugs)
    for rank, index in enumerate(order, 1):
        true += bugs[index]
        if rank < len(order) and scores[order[rank]] == scores[index]:
            continue
        correct = true + (len(bugs) - positives) - (rank - true)
        cuts.append(
            Cut(
                scores[index],
                rank,
                true,
                true / rank,
                true / positives,
                2 * true / (rank + positives),
                correct / len(bugs),
            )
        )
    return cuts


def choose(
    scores: Sequence[float],
    bugs: Sequence[bool],
    target: Target = "f",
    at_least: float | None = None,
    direction: Literal["below", "above"] = "below",
) -> Cut:
    """The best threshold for a target; with `at_least`, the most reports that still reach it.

    For recall the other way round: the fewest reports that reach it.
    """
    cuts = sweep(scores, bugs, direction)
    if at_least is None:
        return max(cuts, key=lambda cut: (getattr(cut, target), cut.precision))
    good = [cut for cut in cuts if getattr(cut, target) >= at_least]
    if not good:
        best = max(getattr(cut, target) for cut in cuts)
        raise UsageError(f"no threshold reaches {target} {at_least}; the best reaches {best:.3f}")
    return good[0] if target == "recall" else good[-1]


def area(
    scores: Sequence[float], bugs: Sequence[bool], direction: Literal["below", "above"] = "below"
) -> float:
    """The area under the ROC curve: how often a bug scores worse than a correct one."""
    sign = -1 if direction == "below" else 1
    found = sorted((sign * score, bug) for score, bug in zip(scores, bugs, strict=True))
    wins, below, start = 0.0, 0, 0
    while start < len(found):
        end = start
        while end < len(found) and found[end][0] == found[start][0]:
            end += 1
        bad = sum(bug for _, bug in found[start:end])
        fine = end - start - bad
        wins += bad * (below + fine / 2)
        below += fine
        start = end
    return wins / (sum(bugs) * (len(bugs) - sum(bugs)))


def either(columns: Sequence[Sequence[float]], thresholds: Sequence[float]) -> list[bool]:
    """Whether any of several similarities is at or below its threshold, pair by pair."""
    return [
        any(score <= limit for score, limit in zip(row, thresholds, strict=True))
        for row in zip(*columns, strict=True)
    ]


def fit_weights(columns: Sequence[Sequence[float]], bugs: Sequence[bool]) -> tuple[float, ...]:
    """Weights, all from 0 and summing to 1, whose weighted similarity tells bugs best (logistic)."""
    rows = 1 - np.array(columns, dtype=float).T
    labels = np.array(bugs, dtype=float)
    weights, bias = np.zeros(rows.shape[1]), 0.0
    for _ in range(ROUNDS):
        chance = 1 / (1 + np.exp(-(rows @ weights + bias)))
        error = labels - chance
        weights = np.maximum(0.0, weights + RATE * (rows.T @ error / len(rows) - PULL * weights))
        bias += RATE * float(error.mean())
    total = weights.sum()
    even = np.full(len(weights), 1 / len(weights))
    return tuple(float(weight) for weight in (weights / total if total else even))


def weighted(columns: Sequence[Sequence[float]], weights: Sequence[float]) -> list[float]:
    """The weighted mean of several similarities, pair by pair."""
    total = sum(weights)
    return [
        sum(weight * score for weight, score in zip(weights, row, strict=True)) / total
        for row in zip(*columns, strict=True)
    ]


Direction = Literal["below", "above"]
GOAL = re.compile(r"\A\s*(precision|recall|f|accuracy)\s*(?:>=\s*(0?\.\d+|1(?:\.0+)?|0|\d+%))?\s*")
FOLDS = 5
# Held-out figures waver: so near a goal counts as reaching it.
NEAR = 0.02
# A combination must be better by so much: several scores are harder to explain than one.
WORTH = 0.02


class Goal(msgspec.Struct, frozen=True):
    """What a threshold is chosen for."""

    target: Target = "f"
    at_least: float | None = None


class Sample(msgspec.Struct, frozen=True):
    """Labelled sentences: one column a score, whether each is a bug, and which belong together."""

    columns: dict[str, list[float]]
    bugs: list[bool]
    groups: list[str]
    direction: Direction = "below"
    left_out: dict[str, int] = {}  # rows that say neither, by what they say


class HeldOut(msgspec.Struct, frozen=True):
    """How choices made on some sentences did on the others."""

    reported: int
    true: int
    bugs: int
    precision: float
    precision_interval: Interval
    recall: float
    recall_interval: Interval
    f: float
    accuracy: float


class ThresholdCandidate(msgspec.Struct, frozen=True):
    """A score, or several with their weights, with the threshold chosen on all labels."""

    metrics: tuple[str, ...]
    weights: tuple[float, ...]
    threshold: float  # between the last reported score and the first that is not
    cut: Cut
    area: float
    held_out: HeldOut
    reached: bool  # whether some threshold reaches the goal

    @property
    def name(self) -> str:
        """For people."""
        if len(self.metrics) == 1:
            return self.metrics[0]
        pairs = zip(self.metrics, self.weights, strict=True)
        return " + ".join(f"{weight:.2f} {name}" for name, weight in pairs)


def read_goal(text: str) -> Goal:
    """`f`, `accuracy`, `precision>=.8`, `recall>=90%`."""
    found = GOAL.fullmatch(text)
    if not found or (found[2] is None and found[1] in ("precision", "recall")):
        raise UsageError(
            f"--goal {text!r}: write f, accuracy, 'precision>=.8' or 'recall>=.9'; "
            "precision or recall alone would report one sentence or all"
        )
    value = found[2]
    least = None if value is None else float(value.rstrip("%")) / (100 if "%" in value else 1)
    return Goal(found[1], least)  # type: ignore[arg-type]


def calibrate(
    sample: Sample, goal: Goal, seed: int = 0, combine: bool = True
) -> tuple[list[ThresholdCandidate], ThresholdCandidate]:
    """Every score by itself and, for similarities, all together; and the one to take."""
    names = list(sample.columns)
    sets: list[tuple[str, ...]] = [(name,) for name in names]
    if combine and len(names) > 1 and sample.direction == "below":
        sets.append(tuple(names))
    found = [candidate(sample, metrics, goal, seed) for metrics in sets]
    singles = [one for one in found if len(one.metrics) == 1]
    best = max(singles, key=lambda one: worth(one, goal))
    joined = next((one for one in found if len(one.metrics) > 1), None)
    if joined and clearly_better(worth(joined, goal), worth(best, goal)):
        best = joined
    return found, best


def worth(one: ThresholdCandidate, goal: Goal) -> tuple[float, float]:
    """How good a candidate is on held-out sentences: whether it reaches the goal, then what the goal leaves free."""
    held = one.held_out
    value: float = getattr(held, goal.target)
    if goal.at_least is None:
        return value, one.area
    other = held.precision if goal.target == "recall" else held.recall
    return (1.0 if value >= goal.at_least - NEAR else value), other


def clearly_better(ours: tuple[float, float], theirs: tuple[float, float]) -> bool:
    """Better by more than a trifle in the first figure, or in the second where the first is the same."""
    return ours[0] > theirs[0] + WORTH or (ours[0] == theirs[0] and ours[1] > theirs[1] + WORTH)


def candidate(
    sample: Sample, metrics: tuple[str, ...], goal: Goal, seed: int
) -> ThresholdCandidate:
    """A threshold chosen on all labels, and how such choices do on held-out sentences."""
    columns = [sample.columns[name] for name in metrics]
    weights = fit(columns, sample.bugs)
    scores = weighted(columns, weights) if len(columns) > 1 else columns[0]
    cut, reached = reach(scores, sample.bugs, goal, sample.direction)
    return ThresholdCandidate(
        metrics,
        weights,
        line(scores, cut.threshold, sample.direction),
        cut,
        area(scores, sample.bugs, sample.direction),
        cross_validate(columns, sample, goal, seed),
        reached,
    )


def fit(columns: Sequence[Sequence[float]], bugs: Sequence[bool]) -> tuple[float, ...]:
    """Weights of several scores; one needs none."""
    return fit_weights(columns, bugs) if len(columns) > 1 else (1.0,)


def reach(
    scores: Sequence[float], bugs: Sequence[bool], goal: Goal, direction: Direction
) -> tuple[Cut, bool]:
    """The threshold for a goal, or the one that comes nearest to it."""
    try:
        return choose(scores, bugs, goal.target, goal.at_least, direction), True
    except UsageError:
        cuts = sweep(scores, bugs, direction)
        return max(cuts, key=lambda cut: (getattr(cut, goal.target), cut.f)), False


def cross_validate(
    columns: Sequence[Sequence[float]], sample: Sample, goal: Goal, seed: int
) -> HeldOut:
    """Weights and threshold chosen without a fifth of the sentences, tried on that fifth, five times."""
    bugs, direction = sample.bugs, sample.direction
    reported = true = found = 0
    for inside in folds(sample.groups, seed):
        train = [place for place in range(len(bugs)) if place not in inside]
        known = [bugs[place] for place in train]
        found += sum(bugs[place] for place in inside)
        if not any(known) or all(known):
            continue  # nothing to choose by; these sentences count as not reported
        parts = [[column[place] for place in train] for column in columns]
        weights = fit(parts, known)
        scores = weighted(parts, weights)
        limit = line(scores, reach(scores, known, goal, direction)[0].threshold, direction)
        for place in inside:
            value = weighted([[column[place]] for column in columns], weights)[0]
            if value < limit if direction == "below" else value > limit:
                reported += 1
                true += bugs[place]
    return held_out(reported, true, found, len(bugs))


def held_out(reported: int, true: int, bugs: int, total: int) -> HeldOut:
    """The figures of some counts."""
    return HeldOut(
        reported,
        true,
        bugs,
        true / reported if reported else 0.0,
        wilson(true, reported),
        true / bugs if bugs else 0.0,
        wilson(true, bugs),
        2 * true / (reported + bugs) if reported + bugs else 0.0,
        (total - bugs - reported + 2 * true) / total,
    )


def folds(groups: Sequence[str], seed: int) -> list[set[int]]:
    """The places in parts of about the same size; what belongs together stays together."""
    names = sorted(set(groups))
    order = np.random.default_rng(seed).permutation(len(names))
    part = {names[number]: turn % FOLDS for turn, number in enumerate(order)}
    parts: list[set[int]] = [set() for _ in range(min(FOLDS, len(names)))]
    for place, group in enumerate(groups):
        parts[part[group]].add(place)
    return parts


def line(scores: Sequence[float], last: float, direction: Direction) -> float:
    """A short number between the last reported score and the first that is not: whether a method reports at
    its threshold or only past it then makes no difference."""
    sign = 1 if direction == "below" else -1
    beyond = [sign * score for score in scores if sign * score > sign * last]
    inner = sign * last
    outer = min(beyond) if beyond else inner + (1.0 if float(last).is_integer() else 1e-6)
    middle = (inner + outer) / 2
    for digits in range(7):
        short = round(middle, digits)
        if inner < short < outer:
            return sign * short
    return sign * middle
