"""GGUF files, the format of llama.cpp: what they say of a model, and its tensors in float32.

Only the kinds of numbers are read that the models here are stored in. A file is foreign: every length is checked
against the file's own before anything is made of it.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from polyglitch.errors import SystemFailed
from polyglitch.nlp.models.gguf_blocks import KINDS
from polyglitch.protocols import Floats

MAGIC, VERSIONS = b"GGUF", (2, 3)
STRING, ARRAY = 8, 9
# Single values by their number in the file: how struct reads them, and numpy.
SINGLE = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
MOST_TENSORS, MOST_DIMENSIONS = 100_000, 4


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
        return self.rows(name, None)

    def rows(self, name: str, chosen: Sequence[int] | slice | None) -> Floats:
        """Some rows of a tensor in float32, or all: what is not asked for is not unpacked."""
        one = self._stored(name)
        size, held, unpack = KINDS[one.kind]
        count = int(np.prod(one.shape, dtype=np.int64))
        raw = np.frombuffer(self._data, np.uint8, count // held * size, self._start + one.offset)
        if chosen is None:
            return unpack(raw.reshape(-1, size)).reshape(one.shape)
        if one.shape[-1] % held:
            raise self._broken(f"{name} has blocks that go over the end of a row")
        some = raw.reshape(one.shape[0], -1)[chosen]
        return unpack(some.reshape(-1, size)).reshape(len(some), *one.shape[1:])

    def _stored(self, name: str) -> StoredTensor:
        """A tensor of the file, checked against the file's length."""
        if name not in self.tensors:
            raise self._broken(f"it has no tensor {name!r}")
        one = self.tensors[name]
        if one.kind not in KINDS:
            raise self._broken(f"{name} is stored as kind {one.kind}, which is not read")
        size, held, _ = KINDS[one.kind]
        count = int(np.prod(one.shape, dtype=np.int64))
        end = self._start + one.offset + count // held * size
        if count % held or end > len(self._data):
            raise self._broken(f"{name} goes beyond the end")
        return one

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
