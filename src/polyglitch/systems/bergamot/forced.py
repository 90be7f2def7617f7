"""How likely a Bergamot model finds given translations: one forced pass, in numpy alone.

The same network as `network.py` has in torch, without gradients: what a lens and a look ahead need, and nothing that a
campaign without torch lacks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from polyglitch.protocols import Floats, ForcedReading, TokenScore
from polyglitch.systems.bergamot.model_file import END, EPSILON, ModelFile, check, only, read_model
from polyglitch.systems.embedding_gradients import inside

AT_ONCE = 16  # sentences a batch: more pads more than it saves on a few cores
LOGITS_AT_ONCE = 128  # states: their odds are 16 MB


class Forced:
    """The weights of a model and its vocabulary."""

    def __init__(self, file: ModelFile, pieces: Any) -> None:
        check(file)
        self._pieces, self._weights = pieces, file.arrays
        self._heads, self._width = file.number("transformer-heads"), file.number("dim-emb")
        self._depths = file.number("enc-depth"), file.number("dec-depth")
        self._aligned: Any = None

    def score(self, texts: Sequence[str], outputs: Sequence[str]) -> list[list[TokenScore]]:
        """The pieces of each output with their log-probabilities; its end is left out."""
        sources = [[*self._pieces.encode(text), END] for text in texts]
        coded = [self._pieces.encode(output, return_type="offset_mapping") for output in outputs]
        order = sorted(range(len(texts)), key=lambda number: len(sources[number]))
        found: list[list[TokenScore]] = [[] for _ in texts]
        for start in range(0, len(order), AT_ONCE):
            some = order[start : start + AT_ONCE]
            rows = self._read([sources[n] for n in some], [coded[n]["ids"] for n in some])
            for number, row in zip(some, rows, strict=True):
                output = outputs[number]
                spans = inside(coded[number]["offsets"], output, 0, len(output))
                places = zip(spans, row, strict=True)
                found[number] = [TokenScore(*span, one) for span, one in places if span != (0, 0)]
        return found

    def read(self, texts: Sequence[str], outputs: Sequence[str]) -> list[ForcedReading]:
        """The log-probability of each piece of an output and of its end, and what each looks at in the source."""
        coded = [self._pieces.encode(text, return_type="offset_mapping") for text in texts]
        targets = [[*self._pieces.encode(output), END] for output in outputs]
        order = sorted(range(len(texts)), key=lambda number: len(coded[number]["ids"]))
        found: dict[int, ForcedReading] = {}
        for start in range(0, len(order), AT_ONCE):
            some = order[start : start + AT_ONCE]
            sources = [[*coded[n]["ids"], END] for n in some]
            rows = self._read(sources, [targets[n] for n in some])
            for place, (number, row) in enumerate(zip(some, rows, strict=True)):
                text = texts[number]
                spans = [*inside(coded[number]["offsets"], text, 0, len(text)), (0, 0)]
                seen = self._aligned[place, : len(row), : len(spans)].copy()
                found[number] = ForcedReading(np.asarray(row, np.float32), tuple(spans), seen)
        return [found[number] for number in range(len(texts))]

    def _read(self, sources: list[list[int]], targets: list[list[int]]) -> list[list[float]]:
        """The log-probability of each target word, given the source and the words before it."""
        ids, hidden = padded(sources)
        wanted, _ = padded(targets)
        x = self._embed(ids) + positions(ids.shape[1], self._width)
        for layer in range(1, self._depths[0] + 1):
            x = self._attend(x, x, f"encoder_l{layer}_self", hidden)
            x = self._feed_forward(x, f"encoder_l{layer}_ffn")
        before = np.zeros(
            (*wanted.shape, self._width), np.float32
        )  # a word is read after it is wanted
        before[:, 1:] = self._embed(wanted[:, :-1])
        y = before + positions(wanted.shape[1], self._width)
        for layer in range(1, self._depths[1] + 1):
            y = self._recur(y, f"decoder_l{layer}_rnn")
            y = self._attend(y, x, f"decoder_l{layer}_context", hidden)
            y = self._feed_forward(y, f"decoder_l{layer}_ffn")
        states = np.concatenate(
            [row[: len(target)] for row, target in zip(y, targets, strict=True)]
        )
        odds = iter(self._log_odds(states, [one for target in targets for one in target]))
        return [[next(odds) for _ in target] for target in targets]

    def _log_odds(self, states: Floats, wanted: list[int]) -> list[float]:
        """The log-probability of one word after each state, among the whole vocabulary."""
        table, bias = self._weights["Wemb"], self._weights["decoder_ff_logit_out_b"][0]
        found: list[float] = []
        for start in range(0, len(wanted), LOGITS_AT_ONCE):
            scores = states[start : start + LOGITS_AT_ONCE] @ table.T
            scores += bias
            own = scores[np.arange(len(scores)), wanted[start : start + LOGITS_AT_ONCE]]
            highest = scores.max(1)
            scores -= highest[:, None]
            np.exp(scores, out=scores)
            found += (own - highest - np.log(scores.sum(1))).tolist()
        return found

    def _embed(self, ids: Any) -> Floats:
        found: Floats = self._weights["Wemb"][ids] * np.float32(math.sqrt(self._width))
        return found

    def _dense(self, x: Floats, block: str, which: str) -> Floats:
        y: Floats = x.reshape(-1, x.shape[-1]) @ self._weights[f"{block}_W{which}"]
        bias = self._weights.get(f"{block}_b{which}")
        if bias is not None:
            y += bias
        return y.reshape(*x.shape[:-1], -1)

    def _split(self, x: Floats) -> Floats:
        """Batch x length x width as batch x heads x length x a head's width."""
        return x.reshape(*x.shape[:2], self._heads, -1).transpose(0, 2, 1, 3)

    def _attend(self, x: Floats, seen: Floats, name: str, hidden: Floats) -> Floats:
        queries, keys, values = (
            self._split(self._dense(side, name, which))
            for side, which in ((x, "q"), (seen, "k"), (seen, "v"))
        )
        scores: Any = (
            queries @ keys.transpose(0, 1, 3, 2) / np.float32(math.sqrt(queries.shape[-1]))
        )
        scores += hidden
        scores -= scores.max(-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(-1, keepdims=True)
        self._aligned = scores[:, 0]  # of the layer that is read last, which Marian trains to align
        mixed: Floats = (scores @ values).transpose(0, 2, 1, 3).reshape(x.shape)
        return self._normal(x + self._dense(mixed, name, "o"), f"{name}_Wo")

    def _feed_forward(self, x: Floats, name: str) -> Floats:
        inner = self._dense(x, name, "1")
        np.maximum(inner, 0, out=inner)
        return self._normal(x + self._dense(inner, name, "2"), f"{name}_ffn")

    def _recur(self, x: Floats, name: str) -> Floats:
        """The simple recurrent unit: the matrices for all words at once, the cell word by word."""
        forget: Any = 1 / (1 + np.exp(-self._dense(x, name, "f")))
        update = (1 - forget) * self._dense(x, name, "")
        cell: Any = np.zeros((x.shape[0], x.shape[2]), np.float32)
        cells = np.empty_like(x)
        for place in range(x.shape[1]):
            cell = forget[:, place] * cell + update[:, place]
            cells[:, place] = cell
        return self._normal(x + np.maximum(cells, 0), f"{name}_ffn")

    def _normal(self, x: Floats, name: str) -> Floats:
        scale, bias = self._weights[f"{name}_ln_scale"][0], self._weights[f"{name}_ln_bias"][0]
        x = x - x.mean(-1, keepdims=True)
        spread = np.sqrt(np.einsum("...i,...i->...", x, x) / x.shape[-1] + EPSILON)
        found: Floats = x / spread[..., None] * scale + bias
        return found


def padded(rows: list[list[int]]) -> tuple[Any, Floats]:
    """Rows of unequal length as one matrix, and what is added to attention scores where it holds nothing."""
    width = max(1, *map(len, rows)) if len(rows) > 1 else max(1, len(rows[0]))
    ids = np.full((len(rows), width), END, np.int64)
    hidden = np.full((len(rows), 1, 1, width), -np.inf, np.float32)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        hidden[number, ..., : len(row)] = 0.0
    return ids, hidden


def positions(length: int, width: int) -> Floats:
    """Sinusoidal positions: sines in the first half, cosines in the second."""
    half = width // 2
    rates = np.exp(np.arange(half) * (-math.log(10000.0) / (half - 1)))
    angles = np.arange(length)[:, None] * rates
    return np.concatenate([np.sin(angles), np.cos(angles)], -1).astype(np.float32)


def load_forced(folder: Path) -> Forced:
    """The model of a folder, for scoring."""
    import sentencepiece

    pieces = sentencepiece.SentencePieceProcessor(model_file=str(only(folder, "vocab.*.spm")))
    return Forced(read_model(only(folder, "model.*.bin")), pieces)
