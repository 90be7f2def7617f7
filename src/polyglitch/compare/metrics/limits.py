"""What a registered metric is held to: its threshold, and on which side of it a fault lies."""

from __future__ import annotations

from math import isfinite
from typing import Literal, NamedTuple

from polyglitch import registry
from polyglitch.errors import UsageError
from polyglitch.protocols import Metric


class Limit(NamedTuple):
    """A threshold with its side: a similarity is at fault below it, a distance above."""

    threshold: float
    direction: Literal["below", "above"] = "below"
    best: float = 1.0  # what equal texts get

    def past(self, score: float) -> float:
        """How far a score is on the wrong side; 0 or less where it is not."""
        return self.threshold - score if self.direction == "below" else score - self.threshold


def find_metric(name: str) -> Metric:
    """A metric by name, or an error that lists those there are."""
    found: Metric = registry.load("metrics", name)
    return found


def limit_of(metric: Metric, threshold: float | None, share: float) -> Limit:
    """The limit of a metric; without a threshold, a share of the best similarity, or no distance at all.

    A distance has no far end to take a share of, so anything above the distance of equal texts is a fault.
    """
    low, high = metric.range
    if metric.direction == "distance":
        return Limit(low if threshold is None else threshold, "above", low)
    if threshold is None and not isfinite(high):
        raise UsageError(f"metric {metric.name!r} has no highest value; give a threshold for it")
    return Limit(share * high if threshold is None else threshold, "below", high)


def thresholds_by_name(metrics: tuple[str, ...], thresholds: tuple[float, ...]) -> dict[str, float]:
    """The thresholds given in the order of the metrics, by name; none, or one for each."""
    if thresholds and len(thresholds) != len(metrics):
        raise UsageError(
            f"thresholds={list(thresholds)}: {len(metrics)} metrics ({', '.join(metrics)}) need as many "
            f"thresholds, not {len(thresholds)}"
        )
    return dict(zip(metrics, thresholds, strict=True)) if thresholds else {}
