"""What parts two answers, and where; and whether two words mean the same in WordNet, where it is installed."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

from polyglitch.nlp.lexicons.wordnet import PARTS, WordNet, dictionary_folder, open_wordnet
from polyglitch.represent.claims.words import root


class Difference(NamedTuple):
    """Something that parts two answers: how much it weighs, in words, and the places in each."""

    kind: str
    weight: float
    reason: str
    first: tuple[int, int] | None = None
    second: tuple[int, int] | None = None


def place_of(part: str, text: str) -> tuple[int, int] | None:
    """Where a value stands in an answer."""
    at = text.find(part) if part else -1
    return (at, at + len(part)) if at >= 0 else None


@cache
def _wordnet() -> WordNet | None:
    return open_wordnet() if dictionary_folder() else None


@lru_cache(maxsize=65536)
def _synonym_roots(word: str) -> frozenset[str]:
    """The roots of the words that share a meaning with a word."""
    known = _wordnet()
    if known is None:
        return frozenset()
    found = {name for part in PARTS for name in known.synonyms(word, part)}
    return frozenset(root(name) for name in found if "_" not in name)


def synonyms(one: str, other: str) -> bool:
    """Whether two words, as they are written, share a meaning in WordNet."""
    return root(other) in _synonym_roots(one) or root(one) in _synonym_roots(other)
