"""How alike a word and its substitute are in their sentence: CAT's filter, by MiniLM.

The published code compares the vectors of the token to the left of the replaced one; here it is the word itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from polyglitch.language.minilm import MiniLm, open_minilm

Place = tuple[str, int, int]  # a text and where the word in it starts and ends


class WordsInContext:
    """The vectors of words in their sentences, of unit length."""

    def __init__(self, minilm: MiniLm) -> None:
        self._minilm = minilm
        self.signature = f"word-in-context({minilm.signature})"

    def likeness(self, pairs: Sequence[tuple[Place, Place]]) -> list[float]:
        """The cosine of each pair; every distinct place is computed once."""
        places = list(dict.fromkeys(place for pair in pairs for place in pair))
        found = self._minilm.embed_words(
            [text for text, _, _ in places], [[(start, end)] for _, start, end in places]
        )
        rows = {place: row[0] for place, row in zip(places, found, strict=True)}
        return [float(rows[a] @ rows[b]) for a, b in pairs]


@cache
def open_words_in_context(language: str) -> WordsInContext:
    """Word vectors in context for English."""
    return WordsInContext(open_minilm(language))
