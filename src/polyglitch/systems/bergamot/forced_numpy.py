"""The forced pass of a Bergamot model in numpy, sentences of like length together: where nothing quicker is installed.

Sentences of unequal length stand one after the other, so that no product is made of what merely fills up; attention
alone has them apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from polyglitch.files.lazy_numpy import np
from polyglitch.protocols import Floats
from polyglitch.systems.bergamot.forced import ForcedPass
from polyglitch.systems.bergamot.model_file import (
    END,
    EPSILON,
    OUTPUT_BIAS,
    WORDS,
    ModelFile,
    check,
    positions,
)

AT_ONCE = 16  # sentences a batch: more pads more than it saves on a few cores
ROWS_AT_ONCE = 8  # rows of the vocabulary's odds, as many as a core's own memory holds: 1 MB


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


class NumpyNetwork:
    """Fits `forced.ForcedNetwork`."""

    def __init__(self, file: ModelFile) -> None:
        check(file)
        self._weights = file.arrays
        self._heads, self._width = file.number("transformer-heads"), file.number("dim-emb")
        self._depths = file.number("enc-depth"), file.number("dec-depth")
        self._matrices = cache(self._joined)

    def passes(self, sources: list[list[int]], targets: list[list[int]]) -> list[ForcedPass]:
        """Read each target after its source."""
        found: dict[int, ForcedPass] = {}
        for some in in_order([(len(s), len(t)) for s, t in zip(sources, targets, strict=True)]):
            read = self._read([sources[n] for n in some], [targets[n] for n in some])
            found |= zip(some, read, strict=True)
        return [found[number] for number in range(len(sources))]

    def log_odds(self, states: Floats) -> Floats:
        """The log-probabilities of all words after each of some states."""
        found: Floats = states @ self._weights[WORDS].T
        for start in range(0, len(found), ROWS_AT_ONCE):
            scores = found[start : start + ROWS_AT_ONCE]
            scores += self._weights[OUTPUT_BIAS]
            scores -= scores.max(1, keepdims=True)
            scores -= np.log(np.exp(scores).sum(1, keepdims=True))
        return found

    def logits(self, states: Floats, words: Sequence[int]) -> Floats:
        """How one word fits after each state, before it is compared with all others."""
        found: Floats = np.einsum("ij,ij->i", states, self._weights[WORDS][words])
        found += self._weights[OUTPUT_BIAS][0, words]
        return found

    def _read(self, sources: list[list[int]], targets: list[list[int]]) -> list[ForcedPass]:
        ours, theirs = Batch(sources), Batch(targets)
        x = self._embed(ours.ids) + positions(ours.longest, self._width)[ours.columns]
        for layer in range(1, self._depths[0] + 1):
            name = f"encoder_l{layer}_self"
            queries, keys, values = self._split(ours.apart(self._dense(x, name, "qkv")), 3)
            x, _ = self._attend(x, queries, keys, values, name, ours, ours)
            x = self._feed_forward(x, f"encoder_l{layer}_ffn")
        y = self._embed(theirs.before)
        y[theirs.columns == 0] = 0.0  # a word is read after it is wanted, nothing before the first
        y += positions(theirs.longest, self._width)[theirs.columns]
        for layer in range(1, self._depths[1] + 1):
            y = self._recur(y, f"decoder_l{layer}_rnn", theirs)
            name = f"decoder_l{layer}_context"
            keys, values = self._split(ours.apart(self._dense(x, name, "kv")), 2)
            (queries,) = self._split(theirs.apart(self._dense(y, name, "q")), 1)
            y, seen = self._attend(y, queries, keys, values, name, theirs, ours)
            y = self._feed_forward(y, f"decoder_l{layer}_ffn")
        # Of the layer that is read last, which Marian trains to align.
        return [
            ForcedPass(y[start : start + len(target)], each[: len(target), : len(source)].copy())
            for start, source, target, each in zip(
                theirs.starts, sources, targets, seen, strict=True
            )
        ]

    def _embed(self, ids: Any) -> Floats:
        found: Floats = self._weights[WORDS][ids]
        found *= np.float32(math.sqrt(self._width))
        return found

    def _dense(self, x: Floats, block: str, which: Sequence[str] = ("",)) -> Floats:
        """One product for all matrices of a block that are named."""
        matrix, bias = self._matrices(block, tuple(which))
        y: Floats = x @ matrix
        y += bias
        return y

    def _joined(self, block: str, which: tuple[str, ...]) -> tuple[Floats, Floats]:
        """Some matrices of a block side by side, and their biases."""
        parts = [self._weights[f"{block}_W{one}"] for one in which]
        biases = [
            self._weights.get(f"{block}_b{one}", np.zeros((1, part.shape[1]), np.float32))
            for one, part in zip(which, parts, strict=True)
        ]
        return np.concatenate(parts, 1), np.concatenate(biases, 1)

    def _split(self, x: Floats, parts: int) -> list[Floats]:
        """Batch x length x the widths of several parts, each as batch x heads x length x a head's width."""
        heads = x.reshape(*x.shape[:2], parts, self._heads, -1)
        return [heads[:, :, part].transpose(0, 2, 1, 3) for part in range(parts)]

    def _attend(
        self,
        x: Floats,
        queries: Floats,
        keys: Floats,
        values: Floats,
        name: str,
        own: Batch,
        seen: Batch,
    ) -> tuple[Floats, Floats]:
        """The rows after an attention, and what the first head looks at."""
        scores: Any = queries @ keys.transpose(0, 1, 3, 2)
        scores *= np.float32(1 / math.sqrt(queries.shape[-1]))
        if seen.hidden is not None:
            scores += seen.hidden
        scores -= scores.max(-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(-1, keepdims=True)
        mixed = own.together((scores @ values).transpose(0, 2, 1, 3)).reshape(x.shape)
        y = self._dense(mixed, name, "o")
        y += x
        return self._normal(y, f"{name}_Wo"), scores[:, 0]

    def _feed_forward(self, x: Floats, name: str) -> Floats:
        inner = self._dense(x, name, "1")
        np.maximum(inner, 0, out=inner)
        y = self._dense(inner, name, "2")
        y += x
        return self._normal(y, f"{name}_ffn")

    def _recur(self, x: Floats, name: str, own: Batch) -> Floats:
        """The simple recurrent unit: the matrices for all words at once, the cell word by word."""
        both = self._dense(x, name, ("f", ""))
        forget, update = both[:, : self._width], both[:, self._width :]
        np.negative(forget, out=forget)
        np.exp(forget, out=forget)
        forget += 1
        np.reciprocal(forget, out=forget)
        update *= 1 - forget
        steps = own.apart(both).transpose(1, 0, 2).copy()  # a step is one stretch of memory
        cells = steps[:, :, self._width :]
        for place in range(1, len(steps)):
            cells[place] += steps[place, :, : self._width] * cells[place - 1]
        y = own.together(cells.transpose(1, 0, 2))
        np.maximum(y, 0, out=y)
        y += x
        return self._normal(y, f"{name}_ffn")

    def _normal(self, x: Floats, name: str) -> Floats:
        """The layer normalisation, in place."""
        scale, bias = self._weights[f"{name}_ln_scale"][0], self._weights[f"{name}_ln_bias"][0]
        x -= x.mean(-1, keepdims=True)
        spread = np.sqrt(np.einsum("...i,...i->...", x, x) / np.float32(x.shape[-1]) + EPSILON)
        x /= spread.astype(np.float32)[..., None]
        x *= scale
        x += bias
        return x
