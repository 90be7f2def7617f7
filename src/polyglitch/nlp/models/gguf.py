"""GGUF files, the format of llama.cpp: what they say of a model, and its tensors in float32.

Only the kinds of numbers are read that the models here are stored in. A file is foreign: every length is checked
against the file's own before anything is made of it.
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from polyglitch.errors import SystemFailed
from polyglitch.protocols import Floats

MAGIC, VERSIONS = b"GGUF", (2, 3)
STRING, ARRAY = 8, 9
# Single values by their number in the file: how struct reads them, and numpy.
SINGLE = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
MOST_TENSORS, MOST_DIMENSIONS = 100_000, 4
BLOCK = 32  # weights that share a scale
# Kinds of tensors by their number: the bytes of one block, and how many weights are in it.
KINDS = {0: (4, 1), 1: (2, 1), 3: (20, BLOCK), 8: (34, BLOCK)}


class StoredTensor(msgspec.Struct, frozen=True):
    """Where a tensor lies, how it is stored, and its shape, outputs first."""

    kind: int
    shape: tuple[int, ...]
    offset: int


class GgufFile:
    """A file opened for reading; tensors are made when they are asked for."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._at = 0
        try:
            self.settings, self.tensors = self._head()
        except (struct.error, KeyError, UnicodeDecodeError, IndexError) as error:
            raise self._broken(f"its head cannot be read ({error!r})") from None
        self._start = -(-self._at // self._alignment()) * self._alignment()

    def tensor(self, name: str) -> Floats:
        """A tensor in float32, outputs x inputs."""
        one = self.tensors[name]
        size, held = KINDS.get(one.kind, (0, 1))
        if not size:
            raise self._broken(f"{name} is stored as kind {one.kind}, which is not read")
        count = int(np.prod(one.shape, dtype=np.int64))
        start = self._start + one.offset
        if count % held or start + count // held * size > len(self._data):
            raise self._broken(f"{name} goes beyond the end")
        raw = np.frombuffer(self._data, np.uint8, count // held * size, start)
        return READ[one.kind](raw.reshape(-1, size)).reshape(one.shape)

    def _head(self) -> tuple[dict[str, Any], dict[str, StoredTensor]]:
        if self._data[:4] != MAGIC:
            raise self._broken("it does not begin with GGUF")
        self._at = 4
        (version,), (tensors, settings) = self._take("<I"), self._take("<QQ")
        if version not in VERSIONS or max(tensors, settings) > MOST_TENSORS:
            raise self._broken(f"version {version}, {tensors} tensors, {settings} settings")
        said = {self._string(): self._value(*self._take("<I")) for _ in range(settings)}
        return said, dict(self._tensor() for _ in range(tensors))

    def _tensor(self) -> tuple[str, StoredTensor]:
        name, (count,) = self._string(), self._take("<I")
        if not 0 < count <= MOST_DIMENSIONS:
            raise self._broken(f"{name} has {count} dimensions")
        inputs_first, (kind, offset) = self._take(f"<{count}Q"), self._take("<IQ")
        return name, StoredTensor(kind, inputs_first[::-1], offset)

    def _value(self, kind: int) -> Any:
        if kind == STRING:
            return self._string()
        if kind != ARRAY:
            return self._take(f"<{SINGLE[kind]}")[0]
        inner, count = self._take("<IQ")
        if count > len(self._data):
            raise self._broken(f"a list of {count} values")
        if inner in (STRING, ARRAY):
            return [self._value(inner) for _ in range(count)]
        return list(self._take(f"<{count}{SINGLE[inner]}"))

    def _string(self) -> str:
        (size,) = self._take("<Q")
        self._at += size
        return self._data[self._at - size : self._at].decode("utf-8")

    def _take(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return found

    def _alignment(self) -> int:
        return max(1, int(self.settings.get("general.alignment", 32)))

    def _broken(self, why: str) -> SystemFailed:
        return SystemFailed(f"{self._path}: not a GGUF file that can be read: {why}")


def _float32(blocks: Any) -> Floats:
    return np.ascontiguousarray(blocks).view("<f4").astype(np.float32)


def _float16(blocks: Any) -> Floats:
    return np.ascontiguousarray(blocks).view("<f2").astype(np.float32)


def _q4_1(blocks: Any) -> Floats:
    """Scale, least value, then 32 weights of four bits: the lower halves of 16 bytes, then the upper ones."""
    scale, least = _float16(blocks[:, :2]), _float16(blocks[:, 2:4])
    halves = blocks[:, 4:]
    return np.concatenate([halves & 15, halves >> 4], 1) * scale + least


def _q8_0(blocks: Any) -> Floats:
    """Scale, then 32 weights of eight bits."""
    found: Floats = _float16(blocks[:, :2]) * blocks[:, 2:].view(np.int8)
    return found


READ = {0: _float32, 1: _float16, 3: _q4_1, 8: _q8_0}
