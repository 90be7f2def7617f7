"""What white boxes share: how much each source token matters, and where in the text it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from polyglitch.protocols import Floats

Span = tuple[int, int]


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
