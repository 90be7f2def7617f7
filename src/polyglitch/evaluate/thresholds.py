"""Where to draw the line: thresholds chosen from labels, and several scores made into one.

A score here is a similarity unless said otherwise: at or below the threshold a pair is reported. Bugs are labelled
True. Everything is exact: every score that occurs is tried, not a grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec
import numpy as np

from polyglitch.errors import UsageError

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
