"""From what a white box shows of its tokens to a score for each word of a sentence.

A system cuts text into pieces of its own; words come from the parser. They meet in the characters they cover.
Punctuation, and words that no piece covers, get `NEVER`: they come after all others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from polyglitch.protocols import Floats, Inspection, Parse, Token, Tools
from polyglitch.records import Seed

NEVER = -1.0  # below every score; minus infinity would not survive JSON

Look = Callable[[Sequence[Seed]], Sequence[Inspection | None]]


class Ranking(Protocol):
    """How promising each word of each seed is to change; larger comes first."""

    def __call__(
        self, seeds: Sequence[Seed], parses: Sequence[Parse], look: Look, tools: Tools, /
    ) -> list[Floats]:
        """A score for each token of each parse; `look` opens the system where it is needed."""


def from_tokens(
    of_tokens: Callable[[Inspection], Floats | None], merge: Callable[[Floats], np.floating[Any]]
) -> Ranking:
    """Rank words by a number for each token of the system, those of a word's pieces merged into one."""

    def scored(parse: Parse, seen: Inspection | None) -> Floats:
        values = None if seen is None else of_tokens(seen)
        if seen is None or values is None:
            return no_scores(parse)
        return by_word(parse, seen, lambda pieces: float(merge(values[pieces])))

    def rank(
        seeds: Sequence[Seed], parses: Sequence[Parse], look: Look, tools: Tools
    ) -> list[Floats]:
        return [scored(*pair) for pair in zip(parses, look(seeds), strict=True)]

    return rank


def pieces_of(word: Token, spans: Sequence[tuple[int, int]]) -> list[int]:
    """The tokens of the system that cover some of a word's characters."""
    return [n for n, (start, end) in enumerate(spans) if start < word.end and word.start < end]


def by_word(parse: Parse, seen: Inspection, score: Callable[[list[int]], float]) -> Floats:
    """A score for each word, from the numbers of the pieces that cover it."""
    scores = no_scores(parse)
    for index, word in enumerate(parse.tokens):
        covering = pieces_of(word, seen.source_spans)
        if covering and rankable(word):
            scores[index] = score(covering)
    return scores


def rankable(word: Token) -> bool:
    """Whether a token is a word: with a letter or a digit in it."""
    return any(character.isalnum() for character in word.text)


def no_scores(parse: Parse) -> Floats:
    """The scores of a seed that the system could not answer: none is better than another."""
    return np.full(len(parse.tokens), NEVER, np.float32)


def mean_score(scores: Floats) -> float:
    """How promising a sentence is: the mean of its words' scores, whatever its length."""
    ranked = scores[scores > NEVER]
    return float(ranked.mean()) if ranked.size else NEVER
