"""Byte-level byte-pair encoding, as GPT-2's: a text as tokens, each with the characters it covers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import regex

# Endings of English verbs, words, numbers and marks, each with one blank before it; other blanks by themselves.
PIECES = regex.compile(
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
)
# As Qwen2 and Llama 3 cut: a mark before a word belongs to it, numbers are cut into digits or threes of them.
LATER = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|%s| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# By what a GGUF file calls the way of cutting.
CUTS = {
    "default": PIECES,
    "gpt-2": PIECES,
    "smollm": PIECES,
    "qwen2": regex.compile(LATER % r"\p{N}"),
    "llama-bpe": regex.compile(LATER % r"\p{N}{1,3}"),
}
UNKNOWN = 0  # for bytes that are in no token
REMEMBERED = 50_000  # words, some 15 MB


class TextToken(NamedTuple):
    """A token by its number, and the characters of the text that it covers."""

    number: int
    start: int
    end: int


def printable_bytes() -> dict[int, str]:
    """How vocabularies of this kind write each byte: itself where it can be seen, else a letter from 256 on."""
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in seen]
    return {byte: chr(byte) for byte in seen} | {
        byte: chr(256 + place) for place, byte in enumerate(hidden)
    }


class BytePairs:
    """The tokens of texts; marks such as <|endoftext|> in a text are text."""

    def __init__(self, tokens: Sequence[str], merges: Sequence[str], cut: str = "default") -> None:
        self._cut = CUTS[cut]
        self.vocabulary = {token: number for number, token in enumerate(tokens)}
        self._rank = {tuple(merge.split(" ")): number for number, merge in enumerate(merges)}
        self._written = printable_bytes()
        self._parts = lru_cache(REMEMBERED)(self._split)

    def encode(self, text: str) -> list[TextToken]:
        """The tokens in order; a blank belongs to the word after it."""
        found = []
        for piece in self._cut.finditer(text):
            places = [
                piece.start() + place
                for place, letter in enumerate(piece.group())
                for _ in letter.encode("utf-8", "replace")
            ]
            at = 0
            for number, size in self._parts(piece.group()):
                found.append(TextToken(number, places[at], places[at + size - 1] + 1))
                at += size
        return found

    def _split(self, piece: str) -> list[tuple[int, int]]:
        """The tokens of a piece with their length in bytes."""
        parts = [self._written[byte] for byte in piece.encode("utf-8", "replace")]
        while len(parts) > 1:
            ranks = [self._rank.get(pair, len(self._rank)) for pair in pairwise(parts)]
            if (best := min(ranks)) == len(self._rank):
                break
            parts = merged(parts, ranks, best)
        return [(self.vocabulary.get(part, UNKNOWN), len(part)) for part in parts]


def merged(parts: list[str], ranks: list[int], best: int) -> list[str]:
    """The parts with every pair of the best rank joined, from left to right."""
    found: list[str] = []
    at = 0
    while at < len(parts):
        pair = at < len(ranks) and ranks[at] == best
        found.append(parts[at] + parts[at + 1] if pair else parts[at])
        at += 2 if pair else 1
    return found
