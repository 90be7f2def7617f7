"""Files of models: GGUF, the format of llama.cpp, with tensors in blocks of weights that share a scale, unpacked to
float32; and named float32 tensors in the layout of safetensors, a head in JSON, then the numbers, mapped into memory.

Only the kinds of numbers are read that the models here are stored in. A file is foreign: every length is checked
against the file's own before anything is made of it.
"""

from __future__ import annotations

import mmap
import os
import struct
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from polyglitch.errors import SystemFailed
from polyglitch.files.lazy_numpy import np
from polyglitch.protocols import Floats

SMALL, LARGE = 32, 256  # weights of a block


def float32(blocks: Any) -> Floats:
    """Numbers as they are."""
    return np.ascontiguousarray(blocks).view("<f4").astype(np.float32)


def float16(blocks: Any) -> Floats:
    """Numbers of half the length."""
    return np.ascontiguousarray(blocks).view("<f2").astype(np.float32)


def bfloat16(blocks: Any) -> Floats:
    """The upper halves of float32 numbers."""
    upper = np.ascontiguousarray(blocks).view("<u2").astype(np.uint32)
    return (upper << 16).view(np.float32)


def halves(packed: Any) -> Any:
    """Four-bit numbers of some bytes: all lower halves, then all upper ones."""
    return np.concatenate([packed & 15, packed >> 4], -1)


def q4_0(blocks: Any) -> Floats:
    """Scale, then 32 weights of four bits around 8."""
    found: Floats = float16(blocks[:, :2]) * (halves(blocks[:, 2:]).astype(np.int8) - 8)
    return found


def q4_1(blocks: Any) -> Floats:
    """Scale, least value, then 32 weights of four bits: the lower halves of 16 bytes, then the upper ones."""
    scale, least = float16(blocks[:, :2]), float16(blocks[:, 2:4])
    found: Floats = halves(blocks[:, 4:]) * scale + least
    return found


def q5_0(blocks: Any) -> Floats:
    """Scale, the fifth bits of 32 weights, then their four lower ones; around 16."""
    places = np.arange(SMALL, dtype=np.uint32)
    fifth = (np.ascontiguousarray(blocks[:, 2:6]).view("<u4") >> places).astype(np.uint8) & 1
    values = (halves(blocks[:, 6:]) | (fifth << 4)).astype(np.int8) - 16
    found: Floats = float16(blocks[:, :2]) * values
    return found


def q8_0(blocks: Any) -> Floats:
    """Scale, then 32 weights of eight bits."""
    found: Floats = float16(blocks[:, :2]) * blocks[:, 2:].view(np.int8)
    return found


def scales_of(packed: Any) -> tuple[Floats, Floats]:
    """Eight scales and eight least values of six bits each, from twelve bytes."""
    low, least, rest = packed[:, :4], packed[:, 4:8], packed[:, 8:]
    scale = np.concatenate([low & 63, (rest & 15) | ((low >> 6) << 4)], 1)
    minimum = np.concatenate([least & 63, (rest >> 4) | ((least >> 6) << 4)], 1)
    return scale.astype(np.float32), minimum.astype(np.float32)


def q4_k(blocks: Any) -> Floats:
    """Eight groups of 32 weights of four bits, each with a scale and a least value of six bits."""
    scale, least = scales_of(blocks[:, 4:16])
    scale *= float16(blocks[:, :2])
    least *= float16(blocks[:, 2:4])
    values = halves(blocks[:, 16:].reshape(-1, 4, 32)).reshape(-1, 8, 32).astype(np.float32)
    values *= scale[:, :, None]
    values -= least[:, :, None]
    found: Floats = values.reshape(-1, LARGE)
    return found


def q5_k(blocks: Any) -> Floats:
    """The same with a fifth bit of each weight apart from the others."""
    scale, least = scales_of(blocks[:, 4:16])
    scale *= float16(blocks[:, :2])
    least *= float16(blocks[:, 2:4])
    fifth = (blocks[:, None, 16:48] >> np.arange(8, dtype=np.uint8)[:, None]) & 1
    low = halves(blocks[:, 48:].reshape(-1, 4, 32)).reshape(-1, 8, 32)
    values = (low | (fifth << 4)).astype(np.float32)
    values *= scale[:, :, None]
    values -= least[:, :, None]
    found: Floats = values.reshape(-1, LARGE)
    return found


def q6_k(blocks: Any) -> Floats:
    """Sixteen groups of 16 weights: four bits in one place, two in another, a scale of eight bits."""
    low = halves(blocks[:, :128].reshape(-1, 2, 64)).reshape(-1, 2, 4, 32)
    shifts = np.array([0, 2, 4, 6], np.uint8)[:, None]
    high = (blocks[:, 128:192].reshape(-1, 2, 1, 32) >> shifts) & 3
    values = ((low | (high << 4)).astype(np.int8) - 32).reshape(-1, 16, 16).astype(np.float32)
    scale = blocks[:, 192:208].view(np.int8) * float16(blocks[:, 208:])
    values *= scale[:, :, None]
    found: Floats = values.reshape(-1, LARGE)
    return found


# By the number of the kind: the bytes of one block, the weights in it, and how they are unpacked.
KINDS = {
    0: (4, 1, float32),
    1: (2, 1, float16),
    2: (18, SMALL, q4_0),
    3: (20, SMALL, q4_1),
    6: (22, SMALL, q5_0),
    8: (34, SMALL, q8_0),
    12: (144, LARGE, q4_k),
    13: (176, LARGE, q5_k),
    14: (210, LARGE, q6_k),
    30: (2, 1, bfloat16),
}


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


MOST_HEAD = 10_000_000  # bytes; a head of a few hundred tensors is some 50 KB
DTYPES = {"F32": "<f4", "I64": "<i8", "I8": "<i1"}


def read_tensors(path: Path) -> tuple[dict[str, Floats], dict[str, str]]:
    """The tensors of a file, which stay on disk until they are used, and what it says of itself."""
    whole = np.memmap(path, np.uint8, "r")
    try:
        (size,) = struct.unpack("<Q", whole[:8].tobytes())
        if size > min(MOST_HEAD, len(whole) - 8):
            raise ValueError(f"a head of {size} bytes")
        head: dict[str, Any] = msgspec.json.decode(whole[8 : 8 + size].tobytes())
        about = head.pop("__metadata__", {})
        if 8 + size + max(one["data_offsets"][1] for one in head.values()) != len(whole):
            raise ValueError("it is not as long as it says")
        return {name: _view(whole, 8 + size, one) for name, one in head.items()}, about
    except (ValueError, KeyError, TypeError, struct.error, msgspec.DecodeError) as error:
        raise SystemFailed(
            f"{path}: a file of tensors that cannot be read ({error}); delete it, and it is made or fetched again"
        ) from None


def _view(whole: Any, start: int, one: dict[str, Any]) -> Floats:
    first, last = one["data_offsets"]
    found: Floats = np.frombuffer(whole[start + first : start + last], DTYPES[one["dtype"]])
    return found.reshape(one["shape"])


def write_tensors(
    path: Path,
    shapes: Mapping[str, tuple[int, ...]],
    make: Callable[[str], Floats],
    about: Mapping[str, str],
    bytes_only: Collection[str] = (),
) -> None:
    """A file of tensors, made one by one so that they need not be held together; whole or not at all.

    They are float32, but for those that are said to be whole numbers of a byte.
    """
    kinds = {name: "I8" if name in bytes_only else "F32" for name in shapes}
    head: dict[str, Any] = {"__metadata__": dict(about)}
    at = 0
    for name, shape in shapes.items():
        size = np.dtype(DTYPES[kinds[name]]).itemsize
        end = at + size * int(np.prod(shape, dtype=np.int64))
        head[name] = {"dtype": kinds[name], "shape": shape, "data_offsets": [at, end]}
        at = end
    raw = msgspec.json.encode(head)
    raw += b" " * (
        -len(raw) % 64 + 56
    )  # with the eight bytes before it the numbers start at a multiple of 64
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as draft:
        try:
            draft.write(struct.pack("<Q", len(raw)) + raw)
            for name, shape in shapes.items():
                made = np.ascontiguousarray(make(name), DTYPES[kinds[name]])
                if made.shape != shape:
                    raise ValueError(f"{name}: {made.shape} instead of {shape}")
                draft.write(made.data)
            draft.flush()
            os.fsync(draft.fileno())
            Path(draft.name).replace(path)
        except BaseException:
            Path(draft.name).unlink(missing_ok=True)
            raise
