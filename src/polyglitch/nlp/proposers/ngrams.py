"""Neutral words that fit between two others, by how often they stood beside them: fast, and needs no model.

Words of a lexicon that take no side, whatever stands beside them: for languages without counts of neighbours.
"""

from __future__ import annotations

import gzip
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from polyglitch.errors import UsageError
from polyglitch.languages import language as language_of
from polyglitch.languages import serving
from polyglitch.nlp.lexicons.terms import CLASSES, open_lexicon
from polyglitch.records import Candidate, Slot

# How often two words must have been seen side by side: two nouns need it most (`rock band`, not `sea cage`).
TOGETHER = {"NN": 6, "NNS": 6, "JJ": 4, "RB": 2}
# And how often of all its places: a frequent word stands beside any other now and then (`time director`).
USUAL = {"NN": 0.03, "NNS": 0.03, "JJ": 0.005}


@dataclass(frozen=True)
class NgramWord:
    """A word of the table: its tag, how often it was seen, and its neighbours as shares."""

    text: str
    tag: str
    seen: int
    left: dict[str, float]
    right: dict[str, float]


class NgramProposer:
    """Words with the tag of the slot, the best seen beside both neighbours first."""

    def __init__(self, words: Sequence[NgramWord], signature: str) -> None:
        self.signature = signature
        # A modifier must be known before what it modifies: words by tag and the neighbour on their right.
        self._before: dict[tuple[str, str], list[NgramWord]] = {}
        for word in words:
            for after in word.right:
                self._before.setdefault((word.tag, after), []).append(word)
        self._known = {word.text: word for word in words}
        self._made: dict[tuple[str, str, str], list[Candidate]] = {}

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` words for each slot, whose token gives the tag wanted."""
        return [self._fitting(slot)[:top] for slot in slots]

    def seen(self, word: str) -> int:
        """How often a word was counted."""
        found = self._known.get(word.lower())
        return found.seen if found else 0

    def _fitting(self, slot: Slot) -> list[Candidate]:
        tokens = slot.parse.tokens
        before = tokens[slot.index - 1].text.lower() if slot.index else "."
        after = tokens[slot.index + 1].text.lower() if slot.index + 1 < len(tokens) else "."
        key = (slot.token.tag, before, after)
        if key not in self._made:
            self._made[key] = self._rank(*key)
        taken = {token.text.lower() for token in tokens}
        return [each for each in self._made[key] if each.word not in taken]

    def _rank(self, tag: str, before: str, after: str) -> list[Candidate]:
        ranked = []
        for word in self._before.get((tag, after), ()):
            together = word.right[after]
            often = together * word.seen >= TOGETHER.get(tag, 2) - 0.5
            if before in word.left and often and together >= USUAL.get(tag, 0.0):
                share = word.left[before] * together
                ranked.append(Candidate(word.text, round(math.log(share * word.seen), 4)))
        return sorted(ranked, key=lambda each: (-each.score, each.word))


@cache
def open_ngrams(language: str) -> NgramProposer:
    """The bundled table of a language."""
    path = language_of(language).require(
        "ngrams.tsv.gz",
        "a table of neighbouring words",
        "the proposer 'ngrams'",
        f"{serving('ngrams')} (recipes/ngrams.py makes one from plain text); or name the proposer 'neutral'",
    )
    words = []
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        tag, text, seen, left, right = line.split("\t")
        total = max(int(seen), 1)
        words.append(NgramWord(text, tag, total, _shares(left, total), _shares(right, total)))
    return NgramProposer(words, f"ngrams:{language}-{len(words)}")


def _shares(column: str, total: int) -> dict[str, float]:
    pairs = (item.rpartition("=") for item in column.split())
    return {word: int(count) / total for word, _, count in pairs}


# The lists have base forms; tags of other forms have none of them.
PENN = {"JJ": "adjective", "NN": "noun", "RB": "adverb"}


class NeutralProposer:
    """The neutral words of the class that a slot's tag asks for, in the order of the list."""

    def __init__(self, language: str) -> None:
        self._lexicon = open_lexicon(language, ("bundled",))
        self.signature = f"neutral:{language}"

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` words for each slot that its sentence does not have yet."""
        return [self._fitting(slot)[:top] for slot in slots]

    def _fitting(self, slot: Slot) -> list[Candidate]:
        tag = slot.token.tag
        word_class = PENN.get(tag) or CLASSES.get(tag.partition("+")[0], "")
        try:
            words = self._lexicon.words("neutral", word_class)
        except UsageError:  # no list of such words
            return []
        taken = {token.text.lower() for token in slot.parse.tokens}
        return [Candidate(word, 0.0) for word in words if word not in taken]


@cache
def open_neutral(language: str) -> NeutralProposer:
    """The proposer of a language that has a bundled lexicon."""
    return NeutralProposer(language)
