"""Files of named float32 tensors in the layout of safetensors: a head in JSON, then the numbers, mapped into memory."""

from __future__ import annotations

import os
import struct
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from polyglitch.errors import SystemFailed
from polyglitch.protocols import Floats

MOST_HEAD = 10_000_000  # bytes; a head of a few hundred tensors is some 50 KB
KINDS = {"F32": "<f4", "I64": "<i8"}


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
    found: Floats = np.frombuffer(whole[start + first : start + last], KINDS[one["dtype"]])
    return found.reshape(one["shape"])


def write_tensors(
    path: Path,
    shapes: Mapping[str, tuple[int, ...]],
    make: Callable[[str], Floats],
    about: Mapping[str, str],
) -> None:
    """A file of tensors, made one by one so that they need not be held together; whole or not at all."""
    head: dict[str, Any] = {"__metadata__": dict(about)}
    at = 0
    for name, shape in shapes.items():
        end = at + 4 * int(np.prod(shape, dtype=np.int64))
        head[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, end]}
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
                made = np.ascontiguousarray(make(name), "<f4")
                if made.shape != shape:
                    raise ValueError(f"{name}: {made.shape} instead of {shape}")
                draft.write(made.data)
            draft.flush()
            os.fsync(draft.fileno())
            Path(draft.name).replace(path)
        except BaseException:
            Path(draft.name).unlink(missing_ok=True)
            raise
