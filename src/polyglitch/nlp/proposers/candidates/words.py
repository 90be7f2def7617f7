"""Which words are tried in a slot, before a sentence is looked at, and what is known of each beside the old word.

They come together from the words of the language model's vocabulary and of the word vectors, common words of several
tokens included, and from WordNet: synonyms, wider, narrower and similar words, and words under the same wider one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from polyglitch.files.lazy_numpy import np
from polyglitch.languages.record import differ_by_ending
from polyglitch.nlp.models.byte_pairs import BytePairs
from polyglitch.nlp.proposers.slot_words import WordClasses, sounds_open
from polyglitch.nlp.proposers.vectors import VectorProposer
from polyglitch.nlp.proposers.wordnet import WordRelations
from polyglitch.protocols import Floats, Token

WORD = re.compile("[a-z]{3,}")
# The directions in which all frequent words agree: without them, the neighbours of a word are of its meaning, with
# them they are frequent words (Mu, Viswanath: All-but-the-Top, ICLR 2018; read on news words).
COMMON_DIRECTIONS = 3
MOST_TOKENS = 2  # of a word that is proposed
UNKNOWN = -1.0  # the cosine of a word that has no vector


class TokenVectors:
    """Unit vectors of words by the mean of their tokens, without what all words share."""

    def __init__(self, table: Floats, words: Iterable[Sequence[int]]) -> None:
        self._table = table
        tokens = list(words)
        means = self._means(tokens)
        self._centre = means.mean(0)
        rows = means - self._centre
        _, axes = np.linalg.eigh(rows.T @ rows)
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


class KnownOfWord(msgspec.Struct, frozen=True):
    """What is known of an old word: its cosines with every word that can be proposed, and what WordNet says."""

    near: Floats  # by the input embeddings of the language model
    similar: Floats  # by word vectors
    able: Any  # which words can have the slot's tag and are no forms of the old one
    relations: dict[int, str]  # by the place of the word


class CandidateWords:
    """All words that can be proposed, with their tokens; what was looked up of a word is kept."""

    def __init__(
        self,
        tokenizer: BytePairs,
        embeddings: Floats,
        vectors: VectorProposer,
        classes: WordClasses | None,
        relations: WordRelations | None,
        banned: frozenset[str],
    ) -> None:
        whole = (piece[1:] for piece in tokenizer.vocabulary if piece.startswith("Ġ"))
        known = {word for word in (*whole, *vectors.usable) if WORD.fullmatch(word)}
        self._tokenizer, self._vectors = tokenizer, vectors
        self._classes, self.relations = classes, relations
        tokens = {word: self.cut(" " + word) for word in sorted(known - banned)}
        # Rarer words are cut into more: "disestablishments" has a vector, and fits nowhere.
        self.words = [word for word, some in tokens.items() if len(some) <= MOST_TOKENS]
        self.place = {word: place for place, word in enumerate(self.words)}
        self.tokens = [tokens[word] for word in self.words]
        self.first = np.array([tokens[0] for tokens in self.tokens])
        self.more = np.array([len(tokens) - 1 for tokens in self.tokens], np.float32)
        self.open = np.array([sounds_open(word) for word in self.words])
        self._near = TokenVectors(embeddings, self.tokens)
        self._cosines: dict[str, tuple[Floats, Floats]] = {}
        self._able: dict[str, Any] = {}
        self._known: dict[tuple[str, str], KnownOfWord] = {}

    def cut(self, text: str) -> tuple[int, ...]:
        """The tokens of a word with the blank before it, or of one without where a sentence begins."""
        return tuple(token.number for token in self._tokenizer.encode(text))

    def fields(self, word: str, pos: str) -> frozenset[str]:
        """The fields that WordNet has a word in."""
        return self.relations.fields(word, pos) if self.relations else frozenset()

    def learn(self, words: Iterable[str]) -> None:
        """Look up the cosines of all words at once."""
        new = sorted(set(words) - self._cosines.keys())
        if not new:
            return
        near = self._near.likeness([self.cut(" " + word) for word in new])
        similar = np.full((len(new), len(self.words)), UNKNOWN, np.float32)
        if rows := [row for row, word in enumerate(new) if word in self._vectors]:
            similar[rows] = self._vectors.likeness([new[row] for row in rows], self.words)
        self._cosines |= {word: (near[row], similar[row]) for row, word in enumerate(new)}

    def of(self, token: Token) -> KnownOfWord:
        """What is known of a learned word under its tag."""
        word = token.text.lower()
        key = (word, token.tag)
        if key not in self._known:
            near, similar = self._cosines[word]
            able = self.able(token.tag).copy()
            # Forms of a word share its beginning; all others are spared the look.
            alike = [place for place in self._sharing(word) if able[place]]
            able[[place for place in alike if differ_by_ending(self.words[place], word)]] = False
            if word in self.place:
                able[self.place[word]] = False
            found = self.relations.of(word, token.pos, token.tag) if self.relations else {}
            related = {self.place[one]: kind for one, kind in found.items() if one in self.place}
            self._known[key] = KnownOfWord(near, similar, able, related)
        return self._known[key]

    def able(self, tag: str) -> Any:
        """Which words can have a tag."""
        if tag not in self._able:
            can = self._classes.can_be if self._classes else (lambda word, tag: True)
            self._able[tag] = np.array([can(word, tag) for word in self.words])
        return self._able[tag]

    def _sharing(self, word: str) -> range:
        """The places of the words with the same first three letters; words are sorted."""
        begin = word[:3]
        return range(bisect_left(self.words, begin), bisect_left(self.words, begin + "{"))
