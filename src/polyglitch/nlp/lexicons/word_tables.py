"""Long lists of words as tables that are kept in the cache folder and read where they lie: a campaign asks about some
thousand words of half a million, and reading all of a list takes a tenth of a second each time.

How frequent a word is comes from the files of wordfreq. Plain words are looked up as wordfreq does it, without its
import; what it would cut in a way of its own (figures, apostrophes, letters of other scripts) is left to it.
"""

from __future__ import annotations

import gzip
import math
import mmap
import os
from array import array
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from polyglitch.languages import language as language_of
from polyglitch.nlp.models.downloads import cache_folder
from polyglitch.records import digest

KEY, NUMBER = 8, 4  # bytes
REMEMBERED = 100_000  # words of a language, some 10 MB
BEST = ("large", "small")  # lists of a language, the better one first
HEADER = {"format": "cB", "version": 1}
DOTLESS = ("az", "kk", "tr")  # whose capital I is another letter's
LAST_LATIN = "\u00ff"  # up to here a letter has one form alone
SIGNS = frozenset('"!?.,;:()-')  # that no word is made of
LEAST = 1e-9  # how often wordfreq takes a word to stand that its list lacks


class NumberTable:
    """Numbers by keys of 64 bits: all keys in order, then the number of each."""

    def __init__(self, raw: Any) -> None:
        view = memoryview(raw)
        count = len(view) // (KEY + NUMBER)
        self._keys = view[: count * KEY].cast("Q")
        self._numbers = view[count * KEY :].cast("i")

    def get(self, key: int) -> int | None:
        """The number of a key, if it has one."""
        at = bisect_left(self._keys, key)
        known = at < len(self._keys) and self._keys[at] == key
        return self._numbers[at] if known else None


def laid_out(numbers: Mapping[int, int]) -> bytes:
    """The bytes of a table."""
    keys = sorted(numbers)
    return array("Q", keys).tobytes() + array("i", [numbers[key] for key in keys]).tobytes()


def table_of(file: Path, make: Callable[[], Mapping[int, int]]) -> NumberTable:
    """The table that was made of a file before, or made now and kept where that can be."""
    about = file.stat()
    name = digest([str(file), str(about.st_size), str(about.st_mtime_ns)], 32)
    path = cache_folder() / "tables" / name
    with suppress(OSError, ValueError), path.open("rb") as kept:
        return NumberTable(mmap.mmap(kept.fileno(), 0, access=mmap.ACCESS_READ))
    raw = laid_out(make())
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}.tmp")  # whole or not at all
        draft.write_bytes(raw)
        draft.replace(path)
    return NumberTable(raw)


def key_of(word: str) -> int:
    """A word as a number: among so few no two are the same."""
    return int.from_bytes(blake2b(word.encode(), digest_size=KEY).digest(), "little")


def frequency_list(code: str) -> Path | None:
    """The file with wordfreq's list of a language."""
    place = find_spec("wordfreq")
    if place is None or place.origin is None:
        return None
    folder = Path(place.origin).with_name("data")
    found = (folder / f"{size}_{code}.msgpack.gz" for size in BEST)
    return next((path for path in found if path.is_file()), None)


def hundredths(file: Path) -> dict[int, int]:
    """How rare each word of a list is, by its key: in hundredths of a power of ten, as the list is ordered."""
    head, *buckets = msgspec.msgpack.decode(gzip.decompress(file.read_bytes()))
    if head != HEADER:
        raise ValueError(f"{file} is no list of words that is understood: {head}")
    return {key_of(word): rare for rare, some in enumerate(buckets) for word in some}


def zipf_by_table(
    code: str, file: Path, otherwise: Callable[[str], float]
) -> Callable[[str], float]:
    """The Zipf frequency of words by a list; words that are not plain are asked otherwise."""
    table = table_of(file, lambda: hundredths(file))
    as_plain = language_of(code).script == "Latin" and code not in DOTLESS

    @lru_cache(REMEMBERED)
    def zipf(word: str) -> float:
        parts = plain_parts(word) if as_plain else None
        if parts is None:
            return otherwise(word)
        return combined([table.get(key_of(part)) for part in parts])

    return zipf


def plain_parts(word: str) -> list[str] | None:
    """The words that hyphens join, as the list has them; nothing of what is not made of Latin letters alone."""
    if set(word) <= SIGNS:
        return []
    parts = word.casefold().split("-")
    plain = all(part.isalpha() and max(part) <= LAST_LATIN for part in parts)
    return parts if plain else None


def combined(rare: Sequence[int | None]) -> float:
    """The Zipf frequency of words in a row, step for step as wordfreq reckons it."""
    frequency, inverse = LEAST, 0.0
    for one in rare:
        if one is None:
            inverse = 0.0
            break
        inverse += 1.0 / 10 ** (-one / 100)
    if inverse:
        frequency = max(1.0 / inverse, LEAST)
        frequency = round(frequency, math.floor(-math.log(frequency, 10)) + 3)
    return round(math.log(frequency, 10) + 9, 2)
