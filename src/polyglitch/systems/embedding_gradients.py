"""What white boxes share: how much each source token matters, and where in the text it stands.

Gradients to the source embeddings of any torch model, without a second way through it.

The embeddings are caught where the model itself looks them up, so that whatever it does next (Marian multiplies them by
`embed_scale` when it is given ids, and not when it is given embeddings) is done as in an ordinary call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from polyglitch.files.lazy_numpy import np
from polyglitch.protocols import Floats

Span = tuple[int, int]
SPACE = "▁"  # how SentencePiece writes a space
FAR = 32  # characters that unknown pieces may have skipped; further on it is another word


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
