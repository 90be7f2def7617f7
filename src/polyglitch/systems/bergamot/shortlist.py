"""Marian's binary lexical shortlist: which target words may follow from which source words.

Six u64 (magic, checksum, first, best, number of offsets, number of entries), the offsets (u64) and the entries (u32):
the candidates of source word w are entries[offsets[w]:offsets[w + 1]].
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from polyglitch.errors import UsageError

MAGIC = 0xF11A48D5013417F5
HEADER = struct.Struct("<6Q")
STEP = 8  # the native engine multiplies matrices whose width is a multiple of this

Ids = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Shortlist:
    """The candidates of each source word, and how many frequent words are always among them."""

    first: int
    offsets: npt.NDArray[Any]
    entries: npt.NDArray[Any]

    def candidates(self, source: Sequence[int]) -> Ids:
        """The target words that may be used for a sentence, sorted; the vocabulary is shared."""
        chosen = set(range(self.first)) | set(source)
        for word in set(source):
            if word + 1 < len(self.offsets):
                some = self.entries[self.offsets[word] : self.offsets[word + 1]]
                chosen.update(some.tolist())
        extra = self.first  # as the native engine fills up, so that it has the same choice
        while len(chosen) % STEP:
            chosen.add(extra)
            extra += 1
        return np.array(sorted(chosen), np.int64)


def read_shortlist(path: Path) -> Shortlist:
    """Read a shortlist, or say why it is none."""
    data = path.read_bytes()
    if len(data) < HEADER.size or HEADER.unpack_from(data)[0] != MAGIC:
        raise UsageError(f"{path} is no binary shortlist: it does not start with {MAGIC:#x}")
    _, _, first, _, words, entries = HEADER.unpack_from(data)
    if len(data) < HEADER.size + 8 * words + 4 * entries:
        raise UsageError(f"{path} is cut short: {words} words and {entries} entries do not fit")
    return Shortlist(
        first,
        np.frombuffer(data, "<u8", words, HEADER.size).astype(np.int64),
        np.frombuffer(data, "<u4", entries, HEADER.size + 8 * words),
    )
