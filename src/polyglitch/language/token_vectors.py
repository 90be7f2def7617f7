"""Likeness of words by the input embeddings of a language model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

# The directions in which all frequent words agree: without them, the neighbours of a word are of its meaning, with
# them they are frequent words (Mu, Viswanath: All-but-the-Top, ICLR 2018; read on news words).
COMMON_DIRECTIONS = 3


class TokenVectors:
    """Unit vectors of the tokens, without what all words share."""

    def __init__(self, table: Any, words: Iterable[int]) -> None:
        import torch

        ids = torch.tensor(sorted(words))
        centre = table[ids].mean(0)
        rows = table[ids] - centre
        _, axes = torch.linalg.eigh(rows.T @ rows)
        common = axes[:, -COMMON_DIRECTIONS:]
        moved = table - centre
        self._rows = torch.nn.functional.normalize(moved - moved @ common @ common.T, dim=-1)

    def __len__(self) -> int:
        return len(self._rows)

    def likeness(self, token: int) -> Any:
        """The cosine of every token with one."""
        return self._rows @ self._rows[token]
