"""A Bergamot model in numpy alone: its file, and how likely it finds given translations, in one forced pass.

The same network as `network.py` has in torch, without gradients: what a lens and a look ahead need, and nothing that a
campaign without torch lacks.

The file is Marian's: named arrays, float32 or int8 with one multiplier, unpacked. Little-endian: version and count
(u64), `count` headers of four u64 (length of the name, type, dimensions, length of the data), the names
(zero-terminated), the shapes (i32), a padding length (u64) with that many bytes, the data.

Batches of sentences of unequal length for a forced pass: put one after the other, apart, and in which order.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from polyglitch.errors import UsageError
from polyglitch.files.lazy_numpy import np
from polyglitch.nlp.models.eight_bits import EightBits, QuickProduct
from polyglitch.nlp.models.onnx_graph import has_onnxruntime
from polyglitch.protocols import Floats, ForcedReading, TokenScore
from polyglitch.systems.white_box import (
    Odds,
    Spelling,
    begun_otherwise,
    inside,
    respelled,
    word_end,
)

END = 0  # </s> in every Bergamot vocabulary
AT_ONCE = 16  # sentences a batch: more pads more than it saves on a few cores
Product = Callable[[Floats], Floats]  # of rows with a matrix
Places = Sequence[tuple[int, int]]  # characters of an output that are looked at
VERSION = 1
FLOAT32, INTGEMM8 = 0x404, 0x4101
# How engines that compute in int8 round activations; here each row is rounded by its own largest number.
MULTIPLIER = "_QuantMultA"
OPTIONS = "special:model.yml"
# A tiny model has 250 arrays, a large one under a thousand: a file that claims more is no model.
MOST_ITEMS = 10_000
EPSILON = 1e-6  # of the layer normalisation, as in Marian
EXPECTED = {
    "type": "transformer",
    "transformer-decoder-autoreg": "rnn",
    "dec-cell": "ssru",
    "tied-embeddings-all": "true",
    "transformer-preprocess": "",
    "transformer-postprocess": "dan",
    "transformer-ffn-activation": "relu",
    "transformer-train-position-embeddings": "false",
}


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


@dataclass(frozen=True)
class ModelFile:
    """The arrays of a model by name, its options, and by what those are multiplied that are filed as whole numbers."""

    arrays: dict[str, Floats]
    options: dict[str, str]
    multipliers: dict[str, float]

    def number(self, option: str) -> int:
        """An option that is a number."""
        return int(self.options[option])


@dataclass(frozen=True)
class _Item:
    name: str
    kind: int
    shape: tuple[int, ...]
    data: memoryview


def read_model(path: Path) -> ModelFile:
    """Read a model file, or say why it is none."""
    try:
        items = _items(memoryview(path.read_bytes()))
    except (struct.error, UnicodeDecodeError, ValueError) as error:
        raise UsageError(
            f"{path} is no Bergamot model, or it is cut short: {error}; the files of a model are "
            "model.*.bin, vocab.*.spm and, for the shortlist, lex.*.bin"
        ) from None
    arrays: dict[str, Floats] = {}
    options: dict[str, str] = {}
    multipliers: dict[str, float] = {}
    for item in items:
        if item.name == OPTIONS:
            options = flat_yaml(bytes(item.data).rstrip(b"\0").decode())
        elif not item.name.endswith(MULTIPLIER):
            arrays[item.name] = _array(item, path)
            if item.kind == INTGEMM8:
                multipliers[item.name] = multiplier_of(item)
    return ModelFile(arrays, options, multipliers)


def _items(data: memoryview) -> list[_Item]:
    version, count = struct.unpack_from("<QQ", data, 0)
    if version != VERSION or count > MOST_ITEMS:
        raise ValueError(f"version {version}, {count} arrays; version {VERSION} was expected")
    headers = [struct.unpack_from("<4Q", data, 16 + 32 * number) for number in range(count)]
    place = 16 + 32 * count
    names: list[str] = []
    for header in headers:
        names.append(bytes(data[place : place + header[0]]).rstrip(b"\0").decode())
        place += header[0]
    shapes: list[tuple[int, ...]] = []
    for header in headers:
        shapes.append(struct.unpack_from(f"<{header[2]}i", data, place))
        place += 4 * header[2]
    place += 8 + struct.unpack_from("<Q", data, place)[0]
    items: list[_Item] = []
    for header, name, shape in zip(headers, names, shapes, strict=True):
        if place + header[3] > len(data):
            raise ValueError(f"{name} ends after the file does")
        items.append(_Item(name, header[1], shape, data[place : place + header[3]]))
        place += header[3]
    return items


def _array(item: _Item, path: Path) -> Floats:
    """An array as float32, rows x columns as used: int8 matrices but the embeddings are filed transposed."""
    size = int(np.prod(item.shape))
    if item.kind == FLOAT32:
        return np.frombuffer(item.data, "<f4", size).reshape(item.shape).astype(np.float32)
    if item.kind != INTGEMM8:
        raise UsageError(
            f"{path}: {item.name} is of type {item.kind:#x}; float32 and int8 are read"
        )
    multiplier = np.float32(multiplier_of(item))
    values = np.frombuffer(item.data, np.int8, size).astype(np.float32) / multiplier
    if item.name == "Wemb":
        return values.reshape(item.shape)
    return np.ascontiguousarray(values.reshape(item.shape[::-1]).T)


def multiplier_of(item: _Item) -> float:
    """By what an array is multiplied to be whole numbers."""
    found: float = struct.unpack_from("<f", item.data, int(np.prod(item.shape)))[0]
    return found


def flat_yaml(text: str) -> dict[str, str]:
    """The `key: value` lines of Marian's options; lists are not needed and left out."""
    pairs = (line.split(":", 1) for line in text.splitlines() if ":" in line and line[0] != " ")
    return {key.strip(): value.strip().strip('"') for key, value in pairs}


def check(file: ModelFile) -> None:
    """Refuse a model of another architecture by name, rather than compute nonsense."""
    found: dict[str, Any] = {key: file.options.get(key, "") for key in EXPECTED}
    for key, value in EXPECTED.items():
        if found[key] != value:
            raise UsageError(
                f"this Bergamot model has {key} = {found[key]!r}; only {value!r} is computed here"
            )


def only(folder: Path, pattern: str) -> Path:
    """The one file of a folder that fits a pattern."""
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        names = ", ".join(path.name for path in found) or "none"
        raise UsageError(f"bergamot: {folder} must hold one file {pattern}; it holds {names}")
    return found[0]


LOGITS_AT_ONCE = 64  # states whose odds are one product
ROWS_AT_ONCE = 8  # of these, as many as a core's own memory holds: 1 MB
RESPELLED = 3  # words of an output that may be cut anew


def total(row: Sequence[Odds]) -> float:
    """The log-probability of all pieces of an output."""
    return sum(one for one, _ in row)


class Forced:
    """The weights of a model and its vocabulary."""

    def __init__(self, file: ModelFile, pieces: Any) -> None:
        check(file)
        self._pieces, self._weights = pieces, file.arrays
        self._heads, self._width = file.number("transformer-heads"), file.number("dim-emb")
        self._depths = file.number("enc-depth"), file.number("dec-depth")
        self._multipliers = file.multipliers if has_onnxruntime() else {}
        self._joined: dict[tuple[str, ...], tuple[Product, Floats | None]] = {}
        self._words: Product | None = None
        self._aligned: Any = None

    def score(
        self,
        texts: Sequence[str],
        outputs: Sequence[str],
        places: Sequence[Places | None] | None = None,
    ) -> list[list[TokenScore]]:
        """The pieces of each output with their log-probabilities; its end is left out.

        Of an output with `places` only the pieces that stand there: the odds among all words are half of the work.
        """
        sources = [[*self._pieces.encode(text), END] for text in texts]
        spelled = [self._spelled(output) for output in outputs]
        states = self._states(sources, [one.ids for one in spelled])
        looks = places or [None] * len(outputs)
        found = self._odds_where(states, spelled, looks)
        open_ones: Iterable[int] = range(len(texts))
        for _ in range(RESPELLED):
            tried = {n: respelled(self._pieces, spelled[n], found[n]) for n in open_ones}
            changed = {n: other for n, other in tried.items() if other is not None}
            others = self._states([sources[n] for n in changed], [o.ids for o in changed.values()])
            better = {}
            for (number, other), state in zip(changed.items(), others, strict=True):
                now = self._odds(states[number], spelled[number].ids)
                then = self._odds(state, other.ids)
                if total(then) > total(now):
                    better[number] = (other, then, state)
            for number, (other, row, state) in better.items():
                spelled[number], found[number], states[number] = other, row, state
            open_ones = better.keys()
        return [
            [TokenScore(*one.spans[at], row[at][0]) for at in looked_at(one.spans, look)]
            for one, row, look in zip(spelled, found, looks, strict=True)
        ]

    def _spelled(self, output: str) -> Spelling:
        coded = self._pieces.encode(output, return_type="offset_mapping")
        return Spelling(coded["ids"], inside(coded["offsets"], output, 0, len(output)))

    def _odds_where(
        self, states: list[Floats], spelled: list[Spelling], looks: Sequence[Places | None]
    ) -> list[list[Odds]]:
        """The odds of pieces that are looked at or may be cut anew; those of all others pass for good."""
        found: list[list[Odds]] = [[(0.0, one) for one in each.ids] for each in spelled]
        wanted = [
            sorted({*looked_at(each.spans, look), *self._better_begun(state, each.ids)})
            for state, each, look in zip(states, spelled, looks, strict=True)
        ]
        places = [(number, at) for number, row in enumerate(wanted) for at in row]
        if places:
            chosen = np.concatenate([state[row] for state, row in zip(states, wanted, strict=True)])
            odds = self._odds(chosen, [spelled[number].ids[at] for number, at in places])
            for (number, at), one in zip(places, odds, strict=True):
                found[number][at] = one
        return found

    def _better_begun(self, states: Floats, ids: list[int]) -> list[int]:
        """The pieces that another beginning of the same letters is likelier than: only these may be cut anew."""
        options = [
            begun_otherwise(self._pieces, tuple(ids[at : word_end(self._pieces, ids, at)]))
            for at in range(len(ids))
        ]
        places = [at for at, some in enumerate(options) for _ in some]
        own = self._logits(states, ids)
        others = self._logits(states[places], [one for some in options for one in some])
        return sorted({at for at, logit in zip(places, others, strict=True) if logit > own[at]})

    def _logits(self, states: Floats, wanted: list[int]) -> Floats:
        """How one word fits after each state, before it is compared with all others."""
        table, bias = self._weights["Wemb"], self._weights["decoder_ff_logit_out_b"][0]
        found: Floats = np.einsum("ij,ij->i", states, table[wanted]) + bias[wanted]
        return found

    def read(self, texts: Sequence[str], outputs: Sequence[str]) -> list[ForcedReading]:
        """The log-probability of each piece of an output and of its end, and what each looks at in the source."""
        coded = [self._pieces.encode(text, return_type="offset_mapping") for text in texts]
        targets = [[*self._pieces.encode(output), END] for output in outputs]
        found: dict[int, ForcedReading] = {}
        for some in in_order(
            [(len(c["ids"]), len(t)) for c, t in zip(coded, targets, strict=True)]
        ):
            sources = [[*coded[n]["ids"], END] for n in some]
            states = self._read(sources, [targets[n] for n in some])
            for place, (number, state) in enumerate(zip(some, states, strict=True)):
                text = texts[number]
                spans = [*inside(coded[number]["offsets"], text, 0, len(text)), (0, 0)]
                seen = self._aligned[place, : len(state), : len(spans)].copy()
                odds = [one for one, _ in self._odds(state, targets[number])]
                found[number] = ForcedReading(np.asarray(odds, np.float32), tuple(spans), seen)
        return [found[number] for number in range(len(texts))]

    def _states(self, sources: list[list[int]], targets: list[list[int]]) -> list[Floats]:
        """What `_read` says, in batches of like length."""
        found: list[Any] = [None] * len(sources)
        for some in in_order([(len(s), len(t)) for s, t in zip(sources, targets, strict=True)]):
            rows = self._read([sources[n] for n in some], [targets[n] for n in some])
            for number, row in zip(some, rows, strict=True):
                found[number] = row
        return found

    def _read(self, sources: list[list[int]], targets: list[list[int]]) -> list[Floats]:
        """The states from which each target word is told, given the source and the words before it."""
        ours, theirs = Batch(sources), Batch(targets)
        x = self._embed(ours.ids) + positions(ours.longest, self._width)[ours.columns]
        for layer in range(1, self._depths[0] + 1):
            name = f"encoder_l{layer}_self"
            queries, keys, values = self._split(ours.apart(self._dense(x, name, "qkv")), 3)
            x = self._attend(x, queries, keys, values, name, ours, ours)
            x = self._feed_forward(x, f"encoder_l{layer}_ffn")
        y = self._embed(theirs.before)
        y[theirs.columns == 0] = (
            0.0  # a word is read after it is wanted, and nothing before the first
        )
        y += positions(theirs.longest, self._width)[theirs.columns]
        for layer in range(1, self._depths[1] + 1):
            y = self._recur(y, f"decoder_l{layer}_rnn", theirs)
            name = f"decoder_l{layer}_context"
            keys, values = self._split(ours.apart(self._dense(x, name, "kv")), 2)
            (queries,) = self._split(theirs.apart(self._dense(y, name, "q")), 1)
            y = self._attend(y, queries, keys, values, name, theirs, ours)
            y = self._feed_forward(y, f"decoder_l{layer}_ffn")
        return [y[start : start + len(t)] for start, t in zip(theirs.starts, targets, strict=True)]

    def _odds(self, states: Floats, wanted: list[int]) -> list[Odds]:
        """The log-probability of one word after each state, among the whole vocabulary, and the likeliest one."""
        bias = self._weights["decoder_ff_logit_out_b"][0]
        self._words = self._words or self._product(["Wemb"], turned=True)
        found: list[Odds] = []
        for start in range(0, len(wanted), LOGITS_AT_ONCE):
            every = self._words(states[start : start + LOGITS_AT_ONCE])
            for first in range(0, len(every), ROWS_AT_ONCE):
                scores = every[first : first + ROWS_AT_ONCE]
                scores += bias
                rows = np.arange(len(scores))
                own = scores[rows, wanted[start + first :][: len(scores)]]
                likeliest = scores.argmax(1)
                highest = scores[rows, likeliest]
                scores -= highest[:, None]
                np.exp(scores, out=scores)
                odds = (own - highest - np.log(scores.sum(1))).tolist()
                found += zip(odds, likeliest.tolist(), strict=True)
        return found

    def _embed(self, ids: Any) -> Floats:
        found: Floats = self._weights["Wemb"][ids]
        found *= np.float32(math.sqrt(self._width))
        return found

    def _dense(self, x: Floats, block: str, which: str) -> Floats:
        """One product for all matrices of a block that are named, a letter each."""
        matrix, bias = self._matrices(block, *(which if which != "" else ("",)))
        y = matrix(x)
        if bias is not None:
            y += bias
        return y

    def _matrices(self, block: str, *which: str) -> tuple[Product, Floats | None]:
        """The product with some matrices of a block side by side, and their biases."""
        place = (block, *which)
        if place not in self._joined:
            parts = [self._weights[f"{block}_W{one}"] for one in which]
            biases = [self._weights.get(f"{block}_b{one}") for one in which]
            filled = [
                np.zeros((1, part.shape[1]), np.float32) if bias is None else bias
                for part, bias in zip(parts, biases, strict=True)
            ]
            bias = np.concatenate(filled, 1) if any(b is not None for b in biases) else None
            self._joined[place] = (self._product([f"{block}_W{one}" for one in which]), bias)
        return self._joined[place]

    def _product(self, names: Sequence[str], turned: bool = False) -> Product:
        """The product with some matrices side by side, in whole numbers as they are filed where that is quick."""
        parts = [self._weights[name].T if turned else self._weights[name] for name in names]
        if not all(name in self._multipliers for name in names):
            joined = np.ascontiguousarray(np.concatenate(parts, 1)) if parts[1:] else parts[0]
            return lambda rows: rows @ joined
        by = [np.float32(self._multipliers[name]) for name in names]
        whole = [np.rint(part * one).astype(np.int8) for part, one in zip(parts, by, strict=True)]
        scale = [np.full(part.shape[1], 1 / one) for part, one in zip(parts, by, strict=True)]
        return QuickProduct(
            EightBits(np.concatenate(whole, 1), np.concatenate(scale).astype(np.float32))
        )

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
    ) -> Floats:
        if self._multipliers:
            # float32's last digits depend on what is padded together, and rounding to whole numbers would show them.
            queries, keys, values = (one.astype(np.float64) for one in (queries, keys, values))  # type: ignore[assignment]
        scores: Any = queries @ keys.transpose(0, 1, 3, 2)
        scores *= scores.dtype.type(1 / math.sqrt(queries.shape[-1]))
        if seen.hidden is not None:
            scores += seen.hidden
        scores -= scores.max(-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(-1, keepdims=True)
        # Of the layer that is read last, which Marian trains to align.
        self._aligned = scores[:, 0].astype(np.float32, copy=False)
        mixed = own.together((scores @ values).transpose(0, 2, 1, 3)).reshape(x.shape)
        y = self._dense(mixed.astype(np.float32, copy=False), name, "o")
        y += x
        return self._normal(y, f"{name}_Wo")

    def _feed_forward(self, x: Floats, name: str) -> Floats:
        inner = self._dense(x, name, "1")
        np.maximum(inner, 0, out=inner)
        y = self._dense(inner, name, "2")
        y += x
        return self._normal(y, f"{name}_ffn")

    def _recur(self, x: Floats, name: str, own: Batch) -> Floats:
        """The simple recurrent unit: the matrices for all words at once, the cell word by word."""
        matrix, bias = self._matrices(name, "f", "")
        both = matrix(x)
        if bias is not None:
            both += bias
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


def load_forced(folder: Path) -> Forced:
    """The model of a folder, for scoring."""
    import sentencepiece

    pieces = sentencepiece.SentencePieceProcessor(model_file=str(only(folder, "vocab.*.spm")))
    return Forced(read_model(only(folder, "model.*.bin")), pieces)
