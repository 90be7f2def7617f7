"""Score a file of text pairs with metrics, line by line and in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec

from polyglitch.errors import UsageError
from polyglitch.protocols import Metric

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
