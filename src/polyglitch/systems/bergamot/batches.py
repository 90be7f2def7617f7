"""Batches of sentences of unequal length for a forced pass: put one after the other, apart, and in which order."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

from polyglitch.files.lazy_numpy import np
from polyglitch.protocols import Floats

END = 0  # </s> in every Bergamot vocabulary
AT_ONCE = 16  # sentences a batch: more pads more than it saves on a few cores
Places = Sequence[tuple[int, int]]  # characters of an output that are looked at


class Batch:
    """Rows of unequal length one after the other, so that no product is made of what merely fills up."""

    def __init__(self, rows: list[list[int]]) -> None:
        self.lengths = np.array([len(row) for row in rows])
        self.longest = max(1, int(self.lengths.max()))
        self.starts = (np.cumsum(self.lengths) - self.lengths).tolist()
        self.ids = np.array([one for row in rows for one in row], np.int64)
        self.before = np.array(
            [one for row in rows for one in ([END, *row[:-1]] if row else ())], np.int64
        )
        self.rows = np.repeat(np.arange(len(rows)), self.lengths)
        self.columns = np.arange(len(self.ids)) - np.repeat(np.array(self.starts), self.lengths)
        self.hidden: Floats | None = None  # added to attention scores where a row holds nothing
        if (self.lengths < self.longest).any():
            empty = np.arange(self.longest) >= self.lengths[:, None]
            self.hidden = np.where(empty, np.float32(-np.inf), np.float32(0))[:, None, None, :]

    def apart(self, x: Floats) -> Floats:
        """The rows as one matrix each, filled up with nothing."""
        if self.hidden is None:
            return x.reshape(len(self.lengths), self.longest, -1)
        found = np.zeros((len(self.lengths), self.longest, x.shape[-1]), np.float32)
        found[self.rows, self.columns] = x
        return found

    def together(self, x: Floats) -> Floats:
        """The same turned back: batch x length x anything as one row after the other."""
        if self.hidden is None:
            return x.reshape(len(self.ids), *x.shape[2:])
        found: Floats = x[self.rows, self.columns]
        return found


def in_order(lengths: Sequence[tuple[int, int]]) -> Iterator[list[int]]:
    """Numbers of pairs of like length together."""
    order = sorted(range(len(lengths)), key=lambda number: lengths[number])
    for start in range(0, len(order), AT_ONCE):
        yield order[start : start + AT_ONCE]


def looked_at(spans: Sequence[tuple[int, int]], places: Places | None) -> list[int]:
    """The pieces with letters of their own that touch one of the places, all of them where none are told."""
    return [
        number
        for number, (start, end) in enumerate(spans)
        if (start, end) != (0, 0)
        and (places is None or any(start < last and end > first for first, last in places))
    ]


@lru_cache(256)  # lengths of sentences
def positions(length: int, width: int) -> Floats:
    """Sinusoidal positions: sines in the first half, cosines in the second."""
    half = width // 2
    rates = np.exp(np.arange(half) * (-math.log(10000.0) / (half - 1)))
    angles = np.arange(length)[:, None] * rates
    return np.concatenate([np.sin(angles), np.cos(angles)], -1).astype(np.float32)
