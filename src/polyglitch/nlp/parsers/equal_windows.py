"""The vectors of words in their sentences, computed once for words that stand among the same ones.

A spaCy pipeline begins with convolutions: what a layer makes of a word depends on the word and its two neighbours in
the layer below. Mutants of a sentence share most of these, and so do their translations, so each layer is computed
for the distinct threes of a batch alone. The arithmetic stays the pipeline's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from polyglitch.files.lazy_numpy import np, npt
from polyglitch.protocols import Floats

Numbers: TypeAlias = "npt.NDArray[np.int64]"


def share_windows(pipeline: Any) -> None:
    """Have the vectors of a pipeline's words computed so, where its layers are those that spaCy trains by default."""
    if "tok2vec" not in pipeline.pipe_names:
        return
    part = pipeline.get_pipe("tok2vec")
    windows = EqualWindows.of(part.model)
    if windows is None:
        return
    plain: Callable[[Sequence[Any]], Any] = part.predict

    def predict(docs: Sequence[Any]) -> Any:
        return windows.vectors(docs) if any(map(len, docs)) else plain(docs)

    part.predict = predict


class EqualWindows:
    """The layers of such a model, taken apart."""

    def __init__(self, features: Any, embedding: Sequence[Any], layers: Sequence[Any]) -> None:
        self._features, self._embedding, self._layers = features, embedding, layers

    @classmethod
    def of(cls, model: Any) -> EqualWindows | None:
        """Those of a model of hashed features and residual convolutions over three words; nothing of another."""
        try:
            embed, encode = model.layers
            features, _, hashed, mixed, _ = embed.layers
            residual = encode.layers[0].layers
            windows, layers = zip(*(one.layers[0].layers for one in residual), strict=True)
        except (AttributeError, IndexError, ValueError):
            return None
        known = (
            features.name == "extract_features"
            and all(one.name.startswith("residual(") for one in residual)
            and all(one.attrs.get("window_size") == 1 for one in windows)
            and encode.attrs.get("pad") == len(layers)
        )
        parts = (hashed.layers[0], mixed.layers[0])
        return cls(features, parts, layers) if known else None

    def vectors(self, docs: Sequence[Any]) -> list[Floats]:
        """A row for each word of each document."""
        features = np.concatenate(self._features.predict(docs))
        first, kinds = distinct(features.T)
        rows = features[first]
        for part in self._embedding:
            rows = part.predict(rows)
        places, spans = laid_out(kinds, [len(doc) for doc in docs], len(self._layers))
        rows = np.vstack([np.zeros_like(rows[:1]), rows])  # 0 is what stands around a document
        for layer in self._layers:
            threes = np.stack([shifted(places, 1), places, shifted(places, -1)])
            first, numbers = distinct(threes)
            before, itself, after = (rows[one[first]] for one in threes)
            rows = itself + layer.predict(np.hstack([before, itself, after]))
            places = numbers
        return [rows[places[start:end]] for start, end in spans]


def distinct(columns: npt.NDArray[Any]) -> tuple[Numbers, Numbers]:
    """Where each distinct combination first stands, and which one stands at each place."""
    places = np.zeros(columns.shape[1], dtype=np.int64)
    first = places[:1]
    for column in columns:
        values, numbers = np.unique(column, return_inverse=True)
        joined = places * len(values) + numbers.reshape(-1)
        _, first, places = np.unique(joined, return_index=True, return_inverse=True)
        places = places.reshape(-1)
    return first, places


def laid_out(
    kinds: Numbers, lengths: Sequence[int], room: int
) -> tuple[Numbers, list[tuple[int, int]]]:
    """All documents in one row with room between them, by the kinds of their words from 1 on; where each stands."""
    places = np.zeros(len(kinds) + room * (len(lengths) + 1), dtype=np.int64)
    spans, read, start = [], 0, room
    for length in lengths:
        places[start : start + length] = kinds[read : read + length] + 1
        spans.append((start, start + length))
        read, start = read + length, start + length + room
    return places, spans


def shifted(places: Numbers, by: int) -> Numbers:
    """What stands so many places before, and nothing at the ends."""
    moved = np.roll(places, by)
    moved[0 if by > 0 else -1] = 0
    return moved
