"""What white boxes share: how much each source token matters, where in the text it stands, and in which pieces a given
output would have been written.

Gradients to the source embeddings of any torch model, without a second way through it.

The embeddings are caught where the model itself looks them up, so that whatever it does next (Marian multiplies them by
`embed_scale` when it is given ids, and not when it is given embeddings) is done as in an ordinary call.

The pieces of a given output as the model would have cut it.

A model writes a word in whatever pieces it likes, "a" and "derir" for one that its vocabulary also has whole. Cut
anew, the word is one piece that it never writes, and seems to surprise it beyond all measure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple

from polyglitch.files.lazy_numpy import np
from polyglitch.protocols import Floats

Span = tuple[int, int]
SPACE = "▁"  # how SentencePiece writes a space
FAR = 32  # characters that unknown pieces may have skipped; further on it is another word
UNLIKELY = -2.0  # log-probability of a piece that another cut is tried for
# a piece that begins a word
LONGEST = 24  # letters of a piece
WORDS = 10_000  # of which is remembered what they may begin with, over all outputs
Odds = tuple[float, int]  # the log-probability of a piece, and the piece that is likeliest there


def attributes(gradients: Any, embeddings: Any) -> tuple[Floats, Floats]:
    """For each row: the norm of the gradient, and the size of gradient times input."""
    norms = gradients.norm(dim=-1)
    products = (gradients * embeddings).sum(-1).abs()
    return (
        np.asarray(norms.detach().numpy(), np.float32),
        np.asarray(products.detach().numpy(), np.float32),
    )


def inside(offsets: Sequence[Span], text: str, start: int, end: int) -> list[Span]:
    """Offsets into a prompt as spans of the text that stands at start:end of it; (0, 0) outside.

    Tokenizers count the space before a word as part of its token; a span here is the word alone.
    """
    spans: list[Span] = []
    for left, right in offsets:
        left, right = max(left, start), min(right, end)
        while left < right and text[left].isspace():
            left += 1
        while left < right and text[right - 1].isspace():
            right -= 1
        spans.append((left - start, right - start) if left < right else (0, 0))
    return spans


def in_batches(sizes: Sequence[int], most: int) -> Iterator[list[int]]:
    """Numbers of texts of like size together, so that a padded batch has at most so many cells (size squared)."""
    batch: list[int] = []
    for number in sorted(range(len(sizes)), key=lambda n: sizes[n]):
        if batch and (len(batch) + 1) * sizes[number] ** 2 > most:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def walk(pieces: Sequence[str], text: str) -> list[Span]:
    """Offsets of pieces in the text they were cut from, for tokenizers that do not keep them.

    A piece that was rewritten (an unknown sign, another normal form) stands for nothing: (0, 0).
    """
    spans: list[Span] = []
    place = 0
    for piece in pieces:
        bare = piece.replace(SPACE, " ").strip()
        found = text.find(bare, place) if bare else -1
        if found < 0 or found - place > FAR:
            spans.append((0, 0))
            continue
        place = found + len(bare)
        spans.append((found, place))
    return spans


@contextmanager
def caught_embeddings(module: Any) -> Iterator[list[Any]]:
    """The output of the first call of an embedding module, made the start of the gradient."""
    caught: list[Any] = []

    def catch(_: Any, __: Any, output: Any) -> Any:
        if caught:  # a decoder that shares the module is left alone
            return output
        caught.append(output.detach().requires_grad_())
        return caught[0]

    hook = module.register_forward_hook(catch)
    try:
        yield caught
    finally:
        hook.remove()


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
