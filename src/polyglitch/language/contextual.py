"""How alike a word and its substitute are in their sentence: CAT's filter, by MiniLM.

The published code compares the vectors of the token to the left of the replaced one; here it is the word itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from polyglitch.language.minilm import BATCH, LONGEST, MiniLm, open_minilm
from polyglitch.protocols import Floats

Place = tuple[str, int, int]  # a text and where the word in it starts and ends


class WordsInContext:
    """The vectors of words in their sentences, of unit length."""

    def __init__(self, minilm: MiniLm) -> None:
        self._tokenizer, self._model = minilm.parts
        self.signature = f"word-in-context({minilm.signature})"

    def likeness(self, pairs: Sequence[tuple[Place, Place]]) -> list[float]:
        """The cosine of each pair; every distinct place is computed once."""
        places = list(dict.fromkeys(place for pair in pairs for place in pair))
        rows = dict(zip(places, self._vectors(places), strict=True))
        return [float(rows[a] @ rows[b]) for a, b in pairs]

    def _vectors(self, places: Sequence[Place]) -> Floats:
        order = sorted(range(len(places)), key=lambda number: len(places[number][0]))
        rows = np.zeros((len(places), self._model.config.hidden_size), np.float32)
        for start in range(0, len(order), BATCH):
            some = order[start : start + BATCH]
            rows[some] = self._batch([places[number] for number in some])
        return rows

    def _batch(self, places: Sequence[Place]) -> Any:
        import torch

        batch = self._tokenizer(
            [text for text, _, _ in places],
            padding=True,
            truncation=True,
            max_length=LONGEST,
            return_tensors="pt",
            return_offsets_mapping=True,
        )
        spans = batch.pop("offset_mapping")
        with torch.inference_mode():
            states = self._model(**batch).last_hidden_state
        first = torch.tensor([start for _, start, _ in places])[:, None]
        last = torch.tensor([end for _, _, end in places])[:, None]
        inside = (
            (spans[:, :, 0] >= first) & (spans[:, :, 1] <= last) & (spans[:, :, 1] > spans[:, :, 0])
        )
        mask = inside.unsqueeze(-1).to(states.dtype)
        pooled = (states * mask).sum(1) / mask.sum(1).clamp(min=1)
        return torch.nn.functional.normalize(pooled, dim=-1).numpy()


@cache
def open_words_in_context(language: str) -> WordsInContext:
    """Word vectors in context for English."""
    return WordsInContext(open_minilm(language))
