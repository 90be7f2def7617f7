"""Nearest sentences by their vectors: encoded once, kept in the cache folder, searched by one matrix product.

A hundred thousand sentences are 150 MB of float32 and some milliseconds a question; an approximate index would only
be worth its weight far beyond that.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from polyglitch.nlp.models.downloads import cache_folder
from polyglitch.protocols import Embedder, Floats
from polyglitch.records import digest

QUERIES_AT_ONCE = 64  # bounds the table of scores: 64 x 100,000 floats are 26 MB


class SentenceIndex:
    """Unit vectors of some sentences, a row each."""

    def __init__(self, vectors: Floats) -> None:
        self.vectors = np.ascontiguousarray(vectors, np.float32)

    def search(self, queries: Floats, top: int) -> list[list[tuple[int, float]]]:
        """The `top` nearest sentences of each query with their similarity, the nearest first."""
        found: list[list[tuple[int, float]]] = []
        top = min(top, len(self.vectors))
        if not top:
            return [[] for _ in queries]
        for start in range(0, len(queries), QUERIES_AT_ONCE):
            scores = queries[start : start + QUERIES_AT_ONCE] @ self.vectors.T
            nearest = np.argpartition(-scores, top - 1, axis=1)[:, :top]
            for row, places in zip(scores, nearest, strict=True):
                ordered = sorted(places.tolist(), key=lambda place: (-row[place], place))
                found.append([(place, float(row[place])) for place in ordered])
        return found


def open_index(sentences: Sequence[str], embedder: Embedder) -> SentenceIndex:
    """The index of some sentences, from the cache folder if they were encoded before."""
    path = cache_folder() / "sentences" / f"{digest([embedder.signature, *sentences], 32)}.npy"
    if path.is_file():
        vectors = np.load(path, allow_pickle=False)
        if vectors.shape[0] == len(sentences):
            return SentenceIndex(vectors)
    vectors = embedder.embed(sentences)
    _save(path, vectors)
    return SentenceIndex(vectors)


def _save(path: Path, vectors: Floats) -> None:
    """Whole or not at all: another process may read at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}.tmp")
    with draft.open("wb") as file:
        np.save(file, vectors, allow_pickle=False)
    draft.replace(path)
