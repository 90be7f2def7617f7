"""A small network that tells which words of a text do not go with the words around them: "deve bolha", "foram fofo".

Five convolutions over words that are known by their letters (hashed, so that there is no list of words), made by
`recipes/train_misfits.py` from good sentences in which a word was put in a wrong form, lost, added or changed for
another part of speech. One file for each language that has one, in resources/models; numpy alone computes it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from typing import Any, NamedTuple

from polyglitch.files.lazy_numpy import np
from polyglitch.protocols import Floats

WORDS = re.compile(r"\w+(?:[-'’]\w+)*|[^\w\s]")
AT_ONCE = 16  # texts a batch: what a core's own memory holds
DIGITS = 2  # of log-odds: what is read together moves the sixth
EPSILON = 1e-5  # of the layer normalisation
REACHES = (1, 1, 2, 4, 1)  # how far apart the three words are that each convolution looks at
APART = max(REACHES)  # rows of nothing between two texts
SEED = 77  # of the second of two hashes: two words that share a row seldom share both
KNOWN = 50_000  # words whose rows are remembered


class WordOdds(NamedTuple):
    """A word's place in its text, and the log-odds that it does not belong there."""

    start: int
    end: int
    odds: float


@lru_cache(KNOWN)
def rows_of(word: str, words: int, endings: int) -> tuple[int, int, int, int, int]:
    """The rows of a word in the tables: two for its letters, two for its ending and beginning, one for its kind."""
    low = word.lower()
    letters = low.encode()
    return (
        zlib.crc32(letters) % words,
        zlib.crc32(letters, SEED) % words,
        zlib.crc32(b"3" + low[-3:].encode()) % endings,
        zlib.crc32(b"2" + low[-2:].encode() + b"|" + low[:2].encode()) % endings,
        2 * kind_of(word) + word[:1].isupper(),
    )


def kind_of(word: str) -> int:
    """Letters alone, letters and signs, a number, or a sign; never nothing, which is what stands between texts."""
    if word.isalpha():
        return 1
    if word[0].isalpha():
        return 2
    return 3 if word[0].isdigit() else 4


class Misfits:
    """The network of one language."""

    def __init__(self, arrays: dict[str, Any]) -> None:
        self._arrays: dict[str, Floats] = {}
        for name, values in arrays.items():
            if name.endswith("_scale"):
                continue
            scale = arrays.get(f"{name}_scale", np.float32(1))
            self._arrays[name] = values.astype(np.float32) * scale.astype(np.float32)
        self._sizes = len(self._arrays["words"]), len(self._arrays["endings"])

    def odds(self, texts: Sequence[str]) -> list[list[WordOdds]]:
        """All words and signs of each text."""
        found: list[list[WordOdds]] = []
        for start in range(0, len(texts), AT_ONCE):
            some = [list(WORDS.finditer(text)) for text in texts[start : start + AT_ONCE]]
            odds, at = self._read([[one.group() for one in row] for row in some]).tolist(), 0
            for row in some:
                own = zip(row, odds[at : at + len(row)], strict=True)
                found.append([WordOdds(*one.span(), round(value, DIGITS)) for one, value in own])
                at += len(row) + APART
        return found

    def _read(self, texts: list[list[str]]) -> Floats:
        """The log-odds of all words, one text after the other, so far apart that none sees the next."""
        arrays, apart = self._arrays, [(0, 0, 0, 0, 0)] * APART
        rows = np.array(
            [
                row
                for text in texts
                for row in (*(rows_of(word, *self._sizes) for word in text), *apart)
            ]
        )
        inside = (rows[:, 4:] > 0).astype(np.float32)  # every word is of some kind
        words, endings = arrays["words"], arrays["endings"]
        x = np.concatenate(
            [
                words[rows[:, 0]] + words[rows[:, 1]],
                endings[rows[:, 2]] + endings[rows[:, 3]],
                arrays["kinds"][rows[:, 4]],
            ],
            1,
        )
        x = (x @ arrays["in"] + arrays["in_bias"]) * inside
        for layer, reach in enumerate(REACHES):
            seen = np.zeros((len(x) + 2 * reach, x.shape[1]), np.float32)
            np.multiply(self._normal(x, f"normal{layer}"), inside, out=seen[reach : len(x) + reach])
            near = np.concatenate([seen[at * reach : at * reach + len(x)] for at in range(3)], 1)
            y = near @ arrays[f"near{layer}"] + arrays[f"near{layer}_bias"]
            x += np.maximum(y, 0) * inside
        odds: Floats = (self._normal(x, "normal") @ arrays["out"] + arrays["out_bias"])[:, 0]
        return odds

    def _normal(self, x: Floats, name: str) -> Floats:
        centred = x - x.mean(-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(-1, keepdims=True) + np.float32(EPSILON))
        found: Floats = centred / spread * self._arrays[name] + self._arrays[f"{name}_bias"]
        return found


@cache
def misfits(language: str) -> Misfits | None:
    """The network of a language; nothing where there is none."""
    place = network_of(language)
    if place is None:
        return None
    with as_file(place) as path, np.load(path, allow_pickle=False) as arrays:
        return Misfits(dict(arrays))


def network_of(language: str) -> Traversable | None:
    """The file of a language's network; nothing where there is none."""
    place = files("polyglitch").joinpath("resources", "models", f"{language}_misfits.npz")
    return place if language.isalpha() and place.is_file() else None
