"""Sentence vectors from all-MiniLM-L6-v2, in numpy, out of its PyPI wheel or any folder of the same kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Protocol

import numpy as np

from polyglitch.errors import Missing
from polyglitch.languages import language as language_of
from polyglitch.nlp.embedders.bert import Bert
from polyglitch.nlp.models.downloads import known_downloads, require
from polyglitch.protocols import Floats

BATCH = 64


class Encoder(Protocol):
    """Vectors of the pieces of texts."""

    width: int

    def states(self, texts: Sequence[str]) -> Any:
        """Vectors, spans of characters and mask, one row a text."""


class MiniLm:
    """Mean-pooled, unit-length vectors; texts are batched by length so that little padding is computed."""

    def __init__(self, encoder: Encoder, signature: str) -> None:
        self._encoder, self.signature = encoder, signature

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row a text."""
        rows = np.zeros((len(texts), self._encoder.width), np.float32)
        for chosen, states in self._batches(texts):
            mask = states.mask[..., None].astype(np.float32)
            pooled = (states.vectors * mask).sum(1) / np.maximum(mask.sum(1), 1)
            rows[chosen] = pooled / np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12)
        return rows

    def first_pieces(self, texts: Sequence[str]) -> Floats:
        """The state of the piece before each text, [CLS], which classifiers of BERT's kind read."""
        rows = np.zeros((len(texts), self._encoder.width), np.float32)
        for chosen, states in self._batches(texts):
            rows[chosen] = states.vectors[:, 0]
        return rows

    def embed_words(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]
    ) -> list[Floats]:
        """For each text one unit row a span of characters: the words as they stand in their sentence."""
        found: list[Floats] = [np.zeros((0, 0), np.float32)] * len(texts)
        for chosen, states in self._batches(texts):
            for row, index in enumerate(chosen):
                found[index] = pool(states.vectors[row], states.spans[row], spans[index])
        return found

    def _batches(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Any]]:
        """Texts of like length together: which, and their pieces."""
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            yield chosen, self._encoder.states([texts[i] for i in chosen])


def pool(states: Floats, offsets: Any, spans: Sequence[tuple[int, int]]) -> Floats:
    """The unit mean of the word pieces of each span; zeros where a span has none."""
    rows = np.zeros((len(spans), states.shape[1]), np.float32)
    for index, (start, end) in enumerate(spans):
        inside = (offsets[:, 0] < end) & (offsets[:, 1] > start) & (offsets[:, 1] > offsets[:, 0])
        if inside.any():
            mean = states[inside].mean(0)
            rows[index] = mean / max(float(np.linalg.norm(mean)), 1e-9)
    return rows


@cache
def open_minilm(language: str) -> MiniLm:
    """The embedder; it was trained on English and is said to be for English only."""
    if "minilm" not in language_of(language).embedders:
        raise Missing(
            f"an embedder for {language!r}",
            "sentence similarity",
            "name one with --embedder hf:FOLDER",
        )
    folder = require("minilm", "the embedder 'minilm'") / "model"
    return MiniLm(Bert(folder), f"all-MiniLM-L6-v2-{known_downloads()['minilm'].version}")
