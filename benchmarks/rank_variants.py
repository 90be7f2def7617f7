"""The scores of words that `benchmarks.ranks` compares: gradients of losses, and doubts by ways to align."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.sight import LOSSES, Sight
from polyglitch.protocols import Floats

LAYERS, HEADS = 2, 8  # of the decoder
# A name, a number for each source token, and how those of a word's pieces are merged.
Variant = tuple[str, Callable[[Sight], Floats], Callable[[Floats], float]]


def variants() -> Iterator[Variant]:
    """All that is compared."""
    for loss in LOSSES:
        yield f"gradient norm, {loss}, max", norms(loss), largest
        yield f"gradient x input, {loss}, sum", products(loss), total
    yield "gradient norm, loss, sum", norms("loss"), total
    yield "gradient norm, loss a token, max", norms("loss", a_token=True), largest
    yield "attention received", lambda s: s.trained.sum(0), total
    yield "least sure aligned token", lambda s: hard(s, s.doubts), largest
    yield "least sure of it and neighbours", lambda s: hard(s, widest(s.doubts)), largest
    yield "surprisal of aligned tokens", lambda s: hard(s, s.surprisals), largest
    yield "doubt shared by attention", lambda s: s.doubts @ s.trained, total
    yield "entropy shared by attention", lambda s: s.entropies @ s.trained, total
    yield "surprisal shared by attention", lambda s: s.surprisals @ s.trained, total
    yield "doubt with neighbours, trained head", lambda s: around(s.doubts) @ s.trained, total
    yield "entropy with neighbours, trained head", lambda s: around(s.entropies) @ s.trained, total
    for layer in range(LAYERS):
        yield f"doubt with neighbours, layer {layer + 1}, mean", shared(layer, None), total
        for head in range(HEADS):
            name = f"doubt with neighbours, layer {layer + 1}, head {head + 1}"
            yield name, shared(layer, head), total


def norms(loss: str, a_token: bool = False) -> Callable[[Sight], Floats]:
    """The gradient's norm for a loss, over the whole output or for a token of it."""
    return lambda sight: sight.norms[loss] / np.float32(len(sight.doubts) if a_token else 1)


def products(loss: str) -> Callable[[Sight], Floats]:
    """Gradient times input for a loss."""
    return lambda sight: sight.products[loss]


def shared(layer: int, head: int | None) -> Callable[[Sight], Floats]:
    """Doubt with that of the neighbours, shared out by the attention of a head or of all of a layer."""

    def of_tokens(sight: Sight) -> Floats:
        heads = sight.attention[layer]
        seen = heads.mean(0) if head is None else heads[head]
        return np.asarray(around(sight.doubts) @ seen, np.float32)

    return of_tokens


def largest(values: Floats) -> float:
    """The largest of a word's pieces."""
    return float(values.max())


def total(values: Floats) -> float:
    """The sum over a word's pieces."""
    return float(values.sum())


def around(values: Floats) -> Floats:
    """Each value with those beside it."""
    wide = np.pad(values, 1)
    return np.asarray(wide[:-2] + wide[1:-1] + wide[2:], np.float32)


def widest(values: Floats) -> Floats:
    """The greatest of each value and those beside it."""
    wide = np.pad(values, 1)
    return np.asarray(np.max([wide[:-2], wide[1:-1], wide[2:]], 0), np.float32)


def hard(sight: Sight, values: Floats) -> Floats:
    """For each source token the greatest value of the output tokens that attend to it most."""
    found = np.zeros(sight.trained.shape[1], np.float32)
    np.maximum.at(found, sight.trained.argmax(-1), values)
    return found
