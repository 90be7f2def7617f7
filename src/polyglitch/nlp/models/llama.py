"""The weights of a language model of the Llama family, laid out for numpy, and the small steps between its products.

Norms and the scale of attention are multiplied into the matrices after them, and matrices with the same input stand
side by side: fewer, larger products are nearly all that is left.

Byte-level byte-pair encoding, as GPT-2's: a text as tokens, each with the characters it covers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import msgspec
import regex

from polyglitch.files.lazy_numpy import np
from polyglitch.protocols import Floats

GATED_AT_ONCE = 64  # tokens: gates and values are 0.8 MB
SUMMED_AT_ONCE = 8  # rows of odds: 0.5 MB, which stay in the processor's cache
Turns = tuple[
    Floats, Floats
]  # the cosines and sines of places, tokens x 1 x half of a head's width
# Endings of English verbs, words, numbers and marks, each with one blank before it; other blanks by themselves.
PIECES = regex.compile(
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
)
# As Qwen2 and Llama 3 cut: a mark before a word belongs to it, numbers are cut into digits or threes of them.
LATER = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|%s| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# By what a GGUF file calls the way of cutting.
CUTS = {
    "default": PIECES,
    "gpt-2": PIECES,
    "smollm": PIECES,
    "qwen2": regex.compile(LATER % r"\p{N}"),
    "llama-bpe": regex.compile(LATER % r"\p{N}{1,3}"),
}
UNKNOWN = 0  # for bytes that are in no token
REMEMBERED = 50_000  # words, some 15 MB


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


class Weights:
    """All layers of a model, as `arranged` names them: matrices inputs x outputs, the norms before them in them."""

    attends_in = "float32"
    unseen = float("-inf")  # the score of what a token does not see
    two_at_once = False  # whether two passes at once take half of the time

    def __init__(self, tensors: Mapping[str, Any], shape: LlamaShape) -> None:
        self.shape, self.tensors = shape, tensors
        self.words, self.last = tensors["words"], tensors["last"]
        # The largest number of each column that goes into a product, once somebody wants to know.
        self.largest: dict[str, Floats] | None = None
        half = np.arange(0, shape.head_width, 2) / shape.head_width
        self._speeds = shape.turn_base**-half

    def begin(self, ids: Sequence[int], places: Sequence[int]) -> LayerSteps:
        """A pass over some tokens, each at its place in its text."""
        return FloatSteps(self, self.embedded(ids))

    def embedded(self, ids: Sequence[int]) -> Floats:
        """The vectors of tokens, as they go into the first layer."""
        found: Floats = self.words[ids]
        return found

    def prepare(self) -> None:
        """Make what is made when it is first used."""

    def times(self, name: str, rows: Floats, room: Floats | None = None) -> Floats:
        """Rows times one of the matrices, taken from the tensors when it is its turn."""
        if self.largest is not None:
            # But for the first token of all, which is larger than all else.
            self.largest[name] = np.abs(rows[1:]).max(0)
        found: Floats = np.matmul(rows, self.tensors[name], out=room)
        return found

    def attention(self, number: int, hidden: Floats) -> Floats:
        """Queries, keys and values of a layer side by side."""
        mixed = self.times(f"{number}.attention", self.level(hidden))
        if self.shape.biased:
            mixed += self.tensors[f"{number}.bias"]
        return mixed

    def after(self, name: str, made: Floats) -> Floats:
        """What is added to the states of a product that goes into them."""
        return made

    def gate(self, gates: Floats, room: Floats) -> Floats:
        """How far each gate is open, times itself: its logistic."""
        np.negative(gates, out=room)
        np.minimum(room, 80.0, out=room)  # beyond, e to its power is no number, and the gate is 0
        np.exp(room, out=room)
        room += 1.0
        return np.divide(gates, room, out=room)

    def scores(self, states: Floats, words: int | None = None) -> Floats:
        """The unnormalised log-probabilities of all next tokens, or of so many of the first, after each state."""
        found: Floats = states @ self.words[:words].T
        return found

    def level(self, hidden: Floats) -> Floats:
        """Each row divided by its root mean square."""
        squares = np.einsum("ij,ij->i", hidden, hidden) / hidden.shape[1]
        found: Floats = hidden * (1 / np.sqrt(squares + self.shape.epsilon))[:, None]
        return found

    def turns(self, places: Sequence[int]) -> Turns:
        """By what queries and keys of tokens at some places are turned."""
        angles = np.multiply.outer(np.asarray(places), self._speeds)[:, None]
        return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)

    def turned(self, number: int, mixed: Floats, turns: Turns) -> tuple[Floats, Floats]:
        """Of a layer the heads of queries with those of keys after them, turned, and the heads of values."""
        split, values = mixed.reshape(len(mixed), -1, self.shape.head_width), self.shape.key_heads
        turn(split[:, :-values], turns)
        return split[:, :-values], split[:, -values:]

    def share_out(self, scores: Floats, mask: Floats) -> None:
        """Make shares of scores, in place, which come to one for each query that sees what a mask lets it."""
        scores += mask
        scores -= scores.max(-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(-1, keepdims=True)


class LayerSteps(Protocol):
    """A pass over some tokens: all of a layer but its attention, whose queries, keys and values it gives."""

    hidden: Floats
    mixed: Floats  # queries, keys and values of the layer to come side by side; in the end the last states

    def step(self, number: int, seen: Floats) -> None:
        """Go over a layer, given what its attention saw."""


class FloatSteps:
    """`LayerSteps` in numpy."""

    def __init__(self, weights: Weights, hidden: Floats) -> None:
        self._weights, self.hidden = weights, hidden
        self._both: Floats | None = None  # the same room for the widest product of every layer
        self.mixed = weights.attention(0, hidden)

    def step(self, number: int, seen: Floats) -> None:
        """Go over a layer, given what its attention saw."""
        weights, hidden = self._weights, self.hidden
        hidden += weights.after(f"{number}.out", weights.times(f"{number}.out", seen))
        self._both = weights.times(f"{number}.gate_up", weights.level(hidden), self._both)
        made = weights.times(f"{number}.down", gated(self._both, weights.gate))
        hidden += weights.after(f"{number}.down", made)
        if number + 1 < weights.shape.layers:
            self.mixed = weights.attention(number + 1, hidden)
        else:
            self.mixed = weights.level(hidden) * weights.last


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


def gated(both: Floats, gate: Callable[[Floats, Floats], Floats]) -> Floats:
    """The first half of each row as gates, times the second half; in the place of the first."""
    middle = both.shape[1] // 2
    room = np.empty((min(len(both), GATED_AT_ONCE), middle), np.float32)
    # In blocks that stay in the processor's cache, where these small steps cost a third.
    for start in range(0, len(both), GATED_AT_ONCE):
        block = both[start : start + GATED_AT_ONCE]
        gates = block[:, :middle]
        np.multiply(gate(gates, room[: len(block)]), block[:, middle:], out=gates)
    return both[:, :middle]


def turn(heads: Floats, turns: Turns) -> None:
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
    found: Floats = np.empty(len(rows), rows.dtype)
    for start in range(0, len(rows), SUMMED_AT_ONCE):
        some = rows[start : start + SUMMED_AT_ONCE]
        highest = some.max(1)
        some -= highest[:, None]
        np.exp(some, out=some)
        found[start : start + SUMMED_AT_ONCE] = highest + np.log(some.sum(1))
    return found


class TextToken(NamedTuple):
    """A token by its number, and the characters of the text that it covers."""

    number: int
    start: int
    end: int


def printable_bytes() -> dict[int, str]:
    """How vocabularies of this kind write each byte: itself where it can be seen, else a letter from 256 on."""
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in seen]
    return {byte: chr(byte) for byte in seen} | {
        byte: chr(256 + place) for place, byte in enumerate(hidden)
    }


class BytePairs:
    """The tokens of texts; marks such as <|endoftext|> in a text are text."""

    blank = "Ġ"  # how a token is written that begins with a blank

    def __init__(self, tokens: Sequence[str], merges: Sequence[str], cut: str = "default") -> None:
        self._cut = CUTS[cut]
        self.vocabulary = {token: number for number, token in enumerate(tokens)}
        self._rank = {tuple(merge.split(" ")): number for number, merge in enumerate(merges)}
        self._written = printable_bytes()
        self._parts = lru_cache(REMEMBERED)(self._split)

    def encode(self, text: str) -> list[TextToken]:
        """The tokens in order; a blank belongs to the word after it."""
        found = []
        for piece in self._cut.finditer(text):
            places = [
                piece.start() + place
                for place, letter in enumerate(piece.group())
                for _ in letter.encode("utf-8", "replace")
            ]
            at = 0
            for number, size in self._parts(piece.group()):
                found.append(TextToken(number, places[at], places[at + size - 1] + 1))
                at += size
        return found

    def _split(self, piece: str) -> list[tuple[int, int]]:
        """The tokens of a piece with their length in bytes."""
        parts = [self._written[byte] for byte in piece.encode("utf-8", "replace")]
        while len(parts) > 1:
            ranks = [self._rank.get(pair, len(self._rank)) for pair in pairwise(parts)]
            if (best := min(ranks)) == len(self._rank):
                break
            parts = merged(parts, ranks, best)
        return [(self.vocabulary.get(part, UNKNOWN), len(part)) for part in parts]


def merged(parts: list[str], ranks: list[int], best: int) -> list[str]:
    """The parts with every pair of the best rank joined, from left to right."""
    found: list[str] = []
    at = 0
    while at < len(parts):
        pair = at < len(ranks) and ranks[at] == best
        found.append(parts[at] + parts[at + 1] if pair else parts[at])
        at += 2 if pair else 1
    return found
