"""Registered metrics at work: what one is held to, its threshold and on which side of it a fault lies; and a file of
text pairs scored line by line and in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import isfinite
from typing import Any, Literal, NamedTuple

import msgspec

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


CHUNK = 1000  # pairs scored together: enough for batched metrics, little enough to stream


class TextPair(msgspec.Struct, frozen=True):
    """A line to be scored; other keys are ignored."""

    id: str | int
    a: str
    b: str


def read_pairs(lines: Iterable[tuple[int, str]], source: str = "pairs") -> Iterator[dict[str, Any]]:
    """The pairs in numbered lines of JSON; blank lines are passed over, a bad one is an error."""
    decoder = msgspec.json.Decoder(TextPair)
    for number, line in lines:
        if not line.strip():
            continue
        try:
            pair = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeError) as error:
            raise UsageError(
                f"{source}, line {number}: {error}; each line must be a JSON object with "
                f'"id" (text or whole number), "a" and "b" (texts)'
            ) from error
        yield {"id": pair.id, "a": pair.a, "b": pair.b}


def measure(
    pairs: Iterable[Mapping[str, Any]], metrics: Sequence[Metric], chunk: int = CHUNK
) -> Iterator[dict[str, Any]]:
    """For each pair its id and one number a metric, under the metric's name; order is kept.

    A metric sees at most `chunk` pairs at once. It matters only to metrics fitted on what they see,
    such as tfidf.
    """
    if not metrics:
        raise UsageError("measure: no metric is given; name at least one with --metric")
    if chunk < 1:
        raise UsageError(f"measure: chunk={chunk} is too small; give at least 1")
    return scores_of(iter(pairs), metrics, chunk)


def scores_of(
    pairs: Iterator[Mapping[str, Any]], metrics: Sequence[Metric], chunk: int
) -> Iterator[dict[str, Any]]:
    """The scores, chunk by chunk."""
    while some := list(islice(pairs, chunk)):
        texts = [(pair["a"], pair["b"]) for pair in some]
        columns = {metric.name: metric.score(texts) for metric in metrics}
        for index, pair in enumerate(some):
            yield {"id": pair["id"], **{name: column[index] for name, column in columns.items()}}
