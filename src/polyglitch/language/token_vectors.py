"""Likeness of words by the input embeddings of a language model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from polyglitch.protocols import Floats

# The directions in which all frequent words agree: without them, the neighbours of a word are of its meaning, with
# them they are frequent words (Mu, Viswanath: All-but-the-Top, ICLR 2018; read on news words).
COMMON_DIRECTIONS = 3


class TokenVectors:
    """Unit vectors of the tokens that are words, without what all words share."""

    def __init__(self, table: Any, words: Iterable[int]) -> None:
        import torch

        self._table = table
        ids = torch.tensor(list(words))
        self._centre = table[ids].mean(0)
        rows = table[ids] - self._centre
        _, axes = torch.linalg.eigh(rows.T @ rows)
        self._common = axes[:, -COMMON_DIRECTIONS:]
        self._words = self._units(ids)

    def likeness(self, tokens: Sequence[int]) -> Floats:
        """The cosine of each of some tokens with every word, in the order of the words."""
        import torch

        found: Floats = (self._units(torch.tensor(list(tokens))) @ self._words.T).numpy()
        return found

    def _units(self, ids: Any) -> Any:
        import torch

        moved = self._table[ids] - self._centre
        return torch.nn.functional.normalize(moved - moved @ self._common @ self._common.T, dim=-1)
