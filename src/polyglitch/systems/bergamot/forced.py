"""A Bergamot model in numpy alone: its file, and how likely it finds given translations, in one forced pass.

The same network as `network.py` has in torch, without gradients: what a lens and a look ahead need, and nothing that a
campaign without torch lacks.

The file is Marian's: named arrays, float32 or int8 with one multiplier, unpacked. Little-endian: version and count
(u64), `count` headers of four u64 (length of the name, type, dimensions, length of the data), the names
(zero-terminated), the shapes (i32), a padding length (u64) with that many bytes, the data.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyglitch.errors import UsageError
from polyglitch.files.lazy_numpy import np
from polyglitch.protocols import Floats, ForcedReading, TokenScore
from polyglitch.systems.bergamot.spelling import Odds, Spelling, respelled
from polyglitch.systems.embedding_gradients import inside

VERSION = 1
FLOAT32, INTGEMM8 = 0x404, 0x4101
# How activations are rounded to 8 bits by engines that compute in int8; here all is computed in float32.
MULTIPLIER = "_QuantMultA"
OPTIONS = "special:model.yml"
# A tiny model has 250 arrays, a large one under a thousand: a file that claims more is no model.
MOST_ITEMS = 10_000
END = 0  # </s> in every Bergamot vocabulary
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


@dataclass(frozen=True)
class ModelFile:
    """The arrays of a model by name, and its options."""

    arrays: dict[str, Floats]
    options: dict[str, str]

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
    for item in items:
        if item.name == OPTIONS:
            options = flat_yaml(bytes(item.data).rstrip(b"\0").decode())
        elif not item.name.endswith(MULTIPLIER):
            arrays[item.name] = _array(item, path)
    return ModelFile(arrays, options)


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
    multiplier = struct.unpack_from("<f", item.data, size)[0]
    values = np.frombuffer(item.data, np.int8, size).astype(np.float32) / np.float32(multiplier)
    if item.name == "Wemb":
        return values.reshape(item.shape)
    return np.ascontiguousarray(values.reshape(item.shape[::-1]).T)


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


AT_ONCE = 16  # sentences a batch: more pads more than it saves on a few cores
LOGITS_AT_ONCE = 128  # states: their odds are 16 MB
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
        self._aligned: Any = None

    def score(self, texts: Sequence[str], outputs: Sequence[str]) -> list[list[TokenScore]]:
        """The pieces of each output with their log-probabilities; its end is left out."""
        sources = [[*self._pieces.encode(text), END] for text in texts]
        spelled = [self._spelled(output) for output in outputs]
        found = self._odds(sources, spelled)
        open_ones: Iterable[int] = range(len(texts))
        for _ in range(RESPELLED):
            tried = {n: respelled(self._pieces, spelled[n], found[n]) for n in open_ones}
            changed = {n: other for n, other in tried.items() if other is not None}
            rows = self._odds([sources[n] for n in changed], list(changed.values()))
            better = {
                number: (other, row)
                for (number, other), row in zip(changed.items(), rows, strict=True)
                if total(row) > total(found[number])
            }
            for number, (other, row) in better.items():
                spelled[number], found[number] = other, row
            open_ones = better.keys()
        return [
            [
                TokenScore(*span, one)
                for span, (one, _) in zip(spelling.spans, row, strict=True)
                if span != (0, 0)
            ]
            for spelling, row in zip(spelled, found, strict=True)
        ]

    def _spelled(self, output: str) -> Spelling:
        coded = self._pieces.encode(output, return_type="offset_mapping")
        return Spelling(coded["ids"], inside(coded["offsets"], output, 0, len(output)))

    def _odds(self, sources: list[list[int]], spelled: list[Spelling]) -> list[list[Odds]]:
        """What `_read` says, in batches of like length."""
        found: list[list[Odds]] = [[] for _ in sources]
        order = sorted(range(len(sources)), key=lambda number: len(sources[number]))
        for start in range(0, len(order), AT_ONCE):
            some = order[start : start + AT_ONCE]
            rows = self._read([sources[n] for n in some], [spelled[n].ids for n in some])
            for number, row in zip(some, rows, strict=True):
                found[number] = row
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
                odds = np.asarray([one for one, _ in row], np.float32)
                found[number] = ForcedReading(odds, tuple(spans), seen)
        return [found[number] for number in range(len(texts))]

    def _read(self, sources: list[list[int]], targets: list[list[int]]) -> list[list[Odds]]:
        """The log-probability of each target word, given the source and the words before it, and the likeliest word."""
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

    def _log_odds(self, states: Floats, wanted: list[int]) -> list[Odds]:
        """The log-probability of one word after each state, among the whole vocabulary, and the likeliest one."""
        table, bias = self._weights["Wemb"], self._weights["decoder_ff_logit_out_b"][0]
        found: list[Odds] = []
        for start in range(0, len(wanted), LOGITS_AT_ONCE):
            scores = states[start : start + LOGITS_AT_ONCE] @ table.T
            scores += bias
            own = scores[np.arange(len(scores)), wanted[start : start + LOGITS_AT_ONCE]]
            likeliest = scores.argmax(1)
            highest = scores[np.arange(len(scores)), likeliest]
            scores -= highest[:, None]
            np.exp(scores, out=scores)
            odds = (own - highest - np.log(scores.sum(1))).tolist()
            found += zip(odds, likeliest.tolist(), strict=True)
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
