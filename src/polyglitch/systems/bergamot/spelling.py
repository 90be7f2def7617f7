"""The pieces of a given output as the model would have cut it.

A model writes a word in whatever pieces it likes, "a" and "derir" for one that its vocabulary also has whole. Cut
anew, the word is one piece that it never writes, and seems to surprise it beyond all measure.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

UNLIKELY = -2.0  # log-probability of a piece that another cut is tried for
SPACE = "▁"  # a piece that begins a word
LONGEST = 24  # letters of a piece
WORDS = 10_000  # of which is remembered what they may begin with, over all outputs
Odds = tuple[float, int]  # the log-probability of a piece, and the piece that is likeliest there


class Spelling(NamedTuple):
    """The pieces of a text, and the characters that each stands for."""

    ids: list[int]
    spans: list[tuple[int, int]]


def respelled(pieces: Any, spelling: Spelling, row: Sequence[Odds]) -> Spelling | None:
    """The text with one word in other pieces: the first that the model would have begun so, and is surprised by."""
    for at, (odds, likeliest) in enumerate(row):
        if odds < UNLIKELY and likeliest != spelling.ids[at]:
            end = word_end(pieces, spelling.ids, at)
            other = recut(pieces, spelling.ids[at:end], likeliest)
            start, stop = spelling.spans[at][0], spelling.spans[end - 1][1]
            if other and sum(map(len, named(pieces, other))) == stop - start:
                spans = laid_out(named(pieces, other), start)
                return Spelling(
                    [*spelling.ids[:at], *other, *spelling.ids[end:]],
                    [*spelling.spans[:at], *spans, *spelling.spans[end:]],
                )
    return None


def word_end(pieces: Any, ids: Sequence[int], at: int) -> int:
    """Where the word ends that a piece is part of."""
    end = at + 1
    while end < len(ids) and pieces.id_to_piece(ids[end])[:1].isalpha():
        end += 1
    return end


def recut(pieces: Any, ids: Sequence[int], first: int) -> list[int] | None:
    """The same letters beginning with another piece; nothing where they do not begin so."""
    whole, begin = "".join(map(pieces.id_to_piece, ids)), pieces.id_to_piece(first)
    if not begin.strip(SPACE) or not whole.startswith(begin):
        return None
    rest = segmented(pieces, whole[len(begin) :])
    return None if rest is None else [first, *rest]


@lru_cache(WORDS)
def begun_otherwise(pieces: Any, ids: tuple[int, ...]) -> tuple[int, ...]:
    """The other pieces that the letters of a word begin with: those that `recut` may put first."""
    whole, unknown = "".join(map(pieces.id_to_piece, ids)), pieces.unk_id()
    begun = (whole[:end] for end in range(1, len(whole) + 1))
    found = (pieces.piece_to_id(begin) for begin in begun if begin.strip(SPACE))
    return tuple(one for one in found if one not in (unknown, ids[0]))


def segmented(pieces: Any, text: str) -> list[int] | None:
    """The likeliest pieces of the rest of a word by the scores of the vocabulary."""
    best: list[tuple[float, list[int]] | None] = [(0.0, [])]
    for end in range(1, len(text) + 1):
        options = []
        for start in range(max(0, end - LONGEST), end):
            before, piece = best[start], pieces.piece_to_id(text[start:end])
            if before is not None and piece != pieces.unk_id():
                options.append((before[0] + pieces.get_score(piece), [*before[1], piece]))
        best.append(max(options, default=None))
    found = best[-1]
    return None if found is None else found[1]


def named(pieces: Any, ids: Sequence[int]) -> list[str]:
    """The letters of pieces, without what stands for a blank."""
    return [pieces.id_to_piece(piece).removeprefix(SPACE) for piece in ids]


def laid_out(texts: Sequence[str], start: int) -> list[tuple[int, int]]:
    """Texts one after the other, from a place on."""
    spans = []
    for text in texts:
        spans.append((start, start + len(text)))
        start += len(text)
    return spans
