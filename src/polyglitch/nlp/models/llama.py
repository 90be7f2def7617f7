"""The weights of a language model of the Llama family, laid out for numpy, and the small steps between its products.

Norms and the scale of attention are multiplied into the matrices after them, and matrices with the same input stand
side by side: fewer, larger products are nearly all that is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from polyglitch.files.lazy_numpy import np
from polyglitch.protocols import Floats

MATRICES = ("attention", "out", "gate_up", "down")  # of a layer
GATED_AT_ONCE = 64  # tokens: gates and values are 0.8 MB
Turns = tuple[
    Floats, Floats
]  # the cosines and sines of places, tokens x 1 x half of a head's width


class LlamaShape(msgspec.Struct, frozen=True):
    """What must be known of a model of the Llama family beside its weights."""

    layers: int
    heads: int
    key_heads: int
    head_width: int
    epsilon: float
    turn_base: float
    biased: bool = False  # whether queries, keys and values have a bias, as in Qwen2

    @property
    def sharing(self) -> int:
        """How many heads of queries share one of keys."""
        return self.heads // self.key_heads


class Layer(msgspec.Struct, frozen=True):
    """The matrices of one layer, inputs x outputs; the norms before them and the scale of attention are in them."""

    attention: Floats  # queries, keys and values side by side
    out: Floats
    gate_up: Floats  # both side by side
    down: Floats
    bias: Floats | None = None  # of queries, keys and values, where the model has one


class Weights:
    """All layers of a model, as `arranged` names them."""

    def __init__(self, tensors: Mapping[str, Any], shape: LlamaShape) -> None:
        self.shape, self._tensors = shape, tensors
        self.words, self.last = tensors["words"], tensors["last"]
        half = np.arange(0, shape.head_width, 2) / shape.head_width
        self._speeds = shape.turn_base**-half

    @property
    def layers(self) -> Iterator[Layer]:
        """The layers in order, each taken from the tensors when it is its turn."""
        for number in range(self.shape.layers):
            parts = {part: self._tensors[f"{number}.{part}"] for part in MATRICES}
            bias = self._tensors[f"{number}.bias"] if self.shape.biased else None
            yield Layer(**parts, bias=bias)

    def level(self, hidden: Floats) -> Floats:
        """Each row divided by its root mean square."""
        squares = np.einsum("ij,ij->i", hidden, hidden) / hidden.shape[1]
        found: Floats = hidden * (1 / np.sqrt(squares + self.shape.epsilon))[:, None]
        return found

    def turns(self, places: Sequence[int]) -> Turns:
        """By what queries and keys of tokens at some places are turned."""
        angles = np.multiply.outer(np.asarray(places), self._speeds)[:, None]
        return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


def arranged_shapes(
    width: int, inner: int, words: int, shape: LlamaShape
) -> dict[str, tuple[int, ...]]:
    """The names of a model's weights as they are kept, with their shapes."""
    own, keys = shape.heads * shape.head_width, shape.key_heads * shape.head_width
    layer = {
        "attention": (width, own + 2 * keys),
        "out": (own, width),
        "gate_up": (width, 2 * inner),
        "down": (inner, width),
    }
    every = {f"{n}.{name}": size for n in range(shape.layers) for name, size in layer.items()}
    return {"words": (words, width), "last": (width,), **every}


def arranged(name: str, tensor: Callable[[str], Floats], shape: LlamaShape) -> Floats:
    """One of those weights, from the model's own: outputs x inputs, by the names that GGUF files have."""
    number, _, part = name.partition(".")
    if not part:
        return tensor({"words": "token_embd.weight", "last": "output_norm.weight"}[name])
    block = f"blk.{number}"
    if part == "attention":
        query, key, value = (tensor(f"{block}.attn_{letter}.weight") for letter in "qkv")
        scale = np.float32(shape.head_width**-0.5)
        whole = np.concatenate([query * scale, key, value])
        return (whole * tensor(f"{block}.attn_norm.weight")).T
    if part == "bias":
        query, key, value = (tensor(f"{block}.attn_{letter}.bias") for letter in "qkv")
        return np.concatenate([query * np.float32(shape.head_width**-0.5), key, value])
    if part == "gate_up":
        whole = np.concatenate(
            [tensor(f"{block}.ffn_gate.weight"), tensor(f"{block}.ffn_up.weight")]
        )
        return (whole * tensor(f"{block}.ffn_norm.weight")).T
    return tensor(f"{block}.{'attn_output' if part == 'out' else 'ffn_down'}.weight").T


def gated(both: Floats) -> Floats:
    """SwiGLU: the first half of each row times its logistic, times the second half."""
    middle = both.shape[1] // 2
    found = np.empty((len(both), middle), np.float32)
    # In blocks that stay in the processor's cache, where these small steps cost a third.
    for start in range(0, len(both), GATED_AT_ONCE):
        block = both[start : start + GATED_AT_ONCE]
        gate, made = block[:, :middle], found[start : start + GATED_AT_ONCE]
        np.negative(gate, out=made)
        np.minimum(made, 80.0, out=made)  # beyond, e to its power is no number, and the gate is 0
        np.exp(made, out=made)
        made += 1.0
        np.divide(gate, made, out=made)
        made *= block[:, middle:]
    return found


def turned(heads: Floats, turns: Turns) -> None:
    """Turn queries and keys by their places, as rotary embeddings do: tokens x heads x width, in place."""
    middle = heads.shape[2] // 2
    first, second = heads[:, :, :middle], heads[:, :, middle:]
    cosines, sines = turns
    moved = first * sines
    first *= cosines
    first -= second * sines
    second *= cosines
    second += moved


def log_sum(rows: Floats) -> Floats:
    """The logarithm of the sum of the exponentials of each row, which is used up."""
    highest: Floats = rows.max(1)
    rows -= highest[:, None]
    np.exp(rows, out=rows)
    found: Floats = highest + np.log(rows.sum(1))
    return found
