"""The files of a Bergamot model.

A model's is Marian's: named arrays, float32 or int8 with one multiplier, unpacked. Little-endian: version and count
(u64), `count` headers of four u64 (length of the name, type, dimensions, length of the data), the names
(zero-terminated), the shapes (i32), a padding length (u64) with that many bytes, the data.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from polyglitch.errors import UsageError
from polyglitch.files.lazy_numpy import np
from polyglitch.nlp.models.eight_bits import EightBits
from polyglitch.protocols import Floats

VERSION = 1
FLOAT32, INTGEMM8 = 0x404, 0x4101
WORDS = "Wemb"  # of source, target and output alike
# How engines that compute in int8 round activations; here each row is rounded by its own largest number.
MULTIPLIER = "_QuantMultA"
OPTIONS = "special:model.yml"
# A tiny model has 250 arrays, a large one under a thousand: a file that claims more is no model.
MOST_ITEMS = 10_000
END = 0  # </s> in every vocabulary
EPSILON = 1e-6  # of the layer normalisation
OUTPUT_BIAS = "decoder_ff_logit_out_b"
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
    """What a file holds by name, numbers or whole numbers of eight bits, and the options of the model."""

    filed: dict[str, Floats | EightBits]
    options: dict[str, str]

    @cached_property
    def arrays(self) -> dict[str, Floats]:
        """All of it as float32."""
        return {name: self.numbers(name) for name in self.filed}

    @property
    def in_eight_bits(self) -> bool:
        """Whether all that is large is filed as whole numbers."""
        return all(isinstance(one, EightBits) or len(one) == 1 for one in self.filed.values())

    def numbers(self, name: str) -> Floats:
        """An array as float32."""
        found = self.filed[name]
        return found.numbers() if isinstance(found, EightBits) else found

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
    filed: dict[str, Floats | EightBits] = {}
    options: dict[str, str] = {}
    for item in items:
        if item.name == OPTIONS:
            options = flat_yaml(bytes(item.data).rstrip(b"\0").decode())
        elif not item.name.endswith(MULTIPLIER):
            filed[item.name] = _array(item, path)
    return ModelFile(filed, options)


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


def _array(item: _Item, path: Path) -> Floats | EightBits:
    """An array, rows x columns as used: int8 matrices but the embeddings are filed transposed."""
    size = int(np.prod(item.shape))
    if item.kind == FLOAT32:
        return np.frombuffer(item.data, "<f4", size).reshape(item.shape).astype(np.float32)
    if item.kind != INTGEMM8:
        raise UsageError(
            f"{path}: {item.name} is of type {item.kind:#x}; float32 and int8 are read"
        )
    (multiplier,) = struct.unpack_from("<f", item.data, size)
    whole = np.frombuffer(item.data, np.int8, size)
    whole = whole.reshape(item.shape) if item.name == WORDS else whole.reshape(item.shape[::-1]).T
    return EightBits(whole, np.full(whole.shape[1], 1 / np.float32(multiplier)))


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


@lru_cache(256)  # lengths of sentences
def positions(length: int, width: int) -> Floats:
    """Sinusoidal positions: sines in the first half, cosines in the second."""
    half = width // 2
    rates = np.exp(np.arange(half) * (-math.log(10000.0) / (half - 1)))
    angles = np.arange(length)[:, None] * rates
    return np.concatenate([np.sin(angles), np.cos(angles)], -1).astype(np.float32)
