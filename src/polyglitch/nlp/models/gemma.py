"""Gemma 3 270M in numpy: of the language models that need neither torch nor a compiler, the one that tells best which
words fit.

It costs what SmolLM2 costs, as two thirds of its weights are vectors of 262,144 tokens of all languages, of which those
of English text are kept. Beside what the Llama family does, it brings queries, keys and all that is added to the states
to one size, and turns queries and keys faster in five layers than in the sixth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from polyglitch.files.lazy_numpy import np
from polyglitch.nlp.models.downloads import gemma_signature, whole_file
from polyglitch.nlp.models.eight_bits import Scaled, product
from polyglitch.nlp.models.llama import (
    REMEMBERED,
    LlamaShape,
    TextToken,
    Turns,
    Weights,
    arranged,
    arranged_shapes,
    merged,
    turn,
)
from polyglitch.nlp.models.llama_eight_bits import QuickWeights
from polyglitch.nlp.models.model_files import GgufFile, write_tensors
from polyglitch.nlp.models.onnx_graph import CONTRIBUTED, Graph, has_onnxruntime
from polyglitch.nlp.models.smollm import LanguageModel, in_eight_bits, kept
from polyglitch.protocols import Floats

BEGIN, END = "<bos>", "<eos>"
# Words in ordinary letters, marks and figures; whatever else is written is cut into these.
ENGLISH = re.compile(r"▁?(?:[A-Z]?[a-z]+|[A-Z]+|[^A-Za-z\s▁]+)|▁+|\n+")
LETTERS = re.compile(
    r"[\n -~▁\u00a0-\u024f\u2010-\u2044\u20a0-\u20bf\u2122]+"
)  # Latin ones, and marks
BYTES = "<0x{:02X}>"
UNITS = re.compile(
    r"\n+|[^\S\n]*\S+|[^\S\n]+"
)  # what no token goes beyond: a word with its blanks and marks
SLOPE, CUBED = (
    0.7978845608028654,
    0.044715,
)  # of the curve that gates follow: the root of 2/pi, and of the cube
GLOBAL_EVERY, LOCAL_BASE = (
    6,
    10_000.0,
)  # each sixth layer turns as the file says, the others as all did once
KNOWN_AS = "gemma"
MIDDLE = 7  # of 18 layers
LAYOUT = "1"  # of the unpacked file; others are made anew


class GemmaShape(LlamaShape, frozen=True):
    """What must be known of a Gemma beside its weights."""

    local_base: float = LOCAL_BASE

    def is_local(self, layer: int) -> bool:
        """Whether a layer looks at what is near, and turns by the other base."""
        return (layer + 1) % GLOBAL_EVERY != 0


class GemmaWeights(Weights):
    """All layers of a Gemma."""

    shape: GemmaShape

    def __init__(self, tensors: Mapping[str, Any], shape: GemmaShape) -> None:
        super().__init__(tensors, shape)
        half = np.arange(0, shape.head_width, 2) / shape.head_width
        self._local_speeds = shape.local_base**-half

    def embedded(self, ids: Sequence[int]) -> Floats:
        """The vectors of tokens, as they go into the first layer."""
        found: Floats = self.words[ids] * np.float32(self.words.shape[1] ** 0.5)
        return found

    def attention(self, number: int, hidden: Floats) -> Floats:
        """Queries, keys and values of a layer side by side, each query and key of one size."""
        mixed = super().attention(number, hidden)
        heads = mixed.reshape(len(mixed), -1, self.shape.head_width)[:, : -self.shape.key_heads]
        heads *= 1 / np.sqrt((heads * heads).mean(2, keepdims=True) + self.shape.epsilon)
        heads *= self.tensors[f"{number}.heads"]
        return mixed

    def after(self, name: str, made: Floats) -> Floats:
        """What is added to the states of a product that goes into them: of one size."""
        found: Floats = self.level(made) * self.tensors[f"{name}.after"]
        return found

    def gate(self, gates: Floats, room: Floats) -> Floats:
        """How far each gate is open, times itself, by GELU."""
        np.multiply(gates, gates, out=room)
        room *= CUBED
        room += 1.0
        room *= gates
        room *= SLOPE
        np.tanh(room, out=room)
        room += 1.0
        room *= 0.5
        return np.multiply(gates, room, out=room)

    def turns(self, places: Sequence[int]) -> Turns:
        """By what queries and keys of tokens at some places are turned: in local layers, then in the others."""
        by_base = [
            np.multiply.outer(np.asarray(places), one) for one in (self._local_speeds, self._speeds)
        ]
        angles = np.stack(by_base)[:, :, None]
        return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)

    def turned(self, number: int, mixed: Floats, turns: Turns) -> tuple[Floats, Floats]:
        """Of a layer the heads of queries with those of keys after them, turned, and the heads of values."""
        which, values = int(not self.shape.is_local(number)), self.shape.key_heads
        split = mixed.reshape(len(mixed), -1, self.shape.head_width)
        turn(split[:, :-values], (turns[0][which], turns[1][which]))
        return split[:, :-values], split[:, -values:]


class QuickGemma(QuickWeights, GemmaWeights):
    """The same in whole numbers of eight bits."""

    turns, turned = GemmaWeights.turns, GemmaWeights.turned

    @property
    def _side_by_side(self) -> Any:
        """Heads stay as they are, since they are wide."""
        return slice(None)

    def _after(self, graph: Graph, made: str, name: str) -> str:
        return self._sized(graph, made, self.tensors[f"{name}.after"])

    def _gate(self, graph: Graph, gates: str) -> str:
        return graph.node("FastGelu", gates, domain=CONTRIBUTED)

    def _mixed(self, graph: Graph, rows: Scaled, name: str) -> str:
        number, shape, matrix = name.partition(".")[0], self.shape, self._matrix(name)
        own, keys = shape.heads * shape.head_width, shape.key_heads * shape.head_width
        sizes = self.tensors[f"{number}.heads"]
        parts = []
        for some, size in ((slice(own), sizes[0]), (slice(own, own + keys), sizes[-1])):
            width = some.stop - (some.start or 0)
            made = product(graph, rows, matrix.columns(some))
            heads = graph.node("Reshape", made, graph.constant(np.array([-1, shape.head_width])))
            heads = self._sized(graph, heads, size)
            parts.append(graph.node("Reshape", heads, graph.constant(np.array([-1, width]))))
        parts.append(product(graph, rows, matrix.columns(slice(own + keys, None))))
        return graph.node("Concat", *parts, axis=1)

    def _sized(self, graph: Graph, rows: str, by: Floats) -> str:
        epsilon = float(self.shape.epsilon)
        factors = graph.constant(np.ascontiguousarray(by, np.float32))
        return graph.node("SimplifiedLayerNormalization", rows, factors, axis=-1, epsilon=epsilon)


class SentencePieces:
    """The tokens of texts as Gemma's are: characters, joined pair by pair, the commonest pair first."""

    blank = "▁"  # how a token is written that begins with a blank

    def __init__(self, pieces: Sequence[str]) -> None:
        self.vocabulary = {piece: number for number, piece in enumerate(pieces)}
        self._bytes = [self.vocabulary.get(BYTES.format(one), 0) for one in range(256)]
        self._parts = lru_cache(REMEMBERED)(self._split)

    def encode(self, text: str) -> list[TextToken]:
        """The tokens in order; a blank belongs to the word after it."""
        found = []
        for unit in UNITS.finditer(text):
            at = unit.start()
            for number, size in self._parts(unit.group()):
                found.append(TextToken(number, at, at + size))
                at += size
        return found

    def _split(self, unit: str) -> list[tuple[int, int]]:
        """The tokens of a unit with their length in characters."""
        parts = list(re.sub(r"[^\S\n]", self.blank, unit))
        none = len(self.vocabulary)
        while len(parts) > 1:
            ranks = [self.vocabulary.get(a + b, none) for a, b in pairwise(parts)]
            if (best := min(ranks)) == none:
                break
            parts = merged(parts, ranks, best)
        return [pair for part in parts for pair in self._numbers(part)]

    def _numbers(self, part: str) -> Iterator[tuple[int, int]]:
        """A token, or the bytes of a character that is none; its last byte covers it."""
        if part in self.vocabulary:
            yield self.vocabulary[part], len(part)
            return
        *others, last = part.encode("utf-8", "replace")
        for byte in others:
            yield self._bytes[byte], 0
        yield self._bytes[last], 1


def kept_pieces(pieces: Sequence[str]) -> list[int]:
    """Which tokens English text needs: marks of begin and end, characters and bytes, and then by how common they are.

    What is left out is rare: other tokens, one after the other, say the same.
    """
    needed = [pieces.index(BEGIN), pieces.index(END)]
    single = [i for i, piece in enumerate(pieces) if len(piece) == 1 and LETTERS.fullmatch(piece)]
    known = {piece: i for i, piece in enumerate(pieces)}
    single += [known[name] for one in range(256) if (name := BYTES.format(one)) in known]
    longer = [
        i
        for i, piece in enumerate(pieces)
        if len(piece) > 1 and LETTERS.fullmatch(piece) and ENGLISH.fullmatch(piece)
    ]
    return [*needed, *single, *longer]


@cache
def open_gemma(exact: bool = False) -> LanguageModel:
    """The model from the user's cache folder, unpacked first where it is not there yet.

    In whole numbers of eight bits where onnxruntime is installed, unless it is to be exact.
    """
    file = GgufFile(whole_file("gemma", "proposing words that fit"))
    pieces = file.settings["tokenizer.ggml.tokens"]
    chosen = kept_pieces(pieces)
    tokenizer, signature = SentencePieces([pieces[i] for i in chosen]), gemma_signature()
    about = {"model": signature}
    weights = GemmaWeights(unpacked(file, chosen, about), shape_of(file))
    if exact or not has_onnxruntime():
        return LanguageModel(tokenizer, weights, KNOWN_AS, signature, MIDDLE, 1, soon_told=True)
    quick = QuickGemma(weights, in_eight_bits(weights, tokenizer, about))
    return LanguageModel(tokenizer, quick, KNOWN_AS, signature, MIDDLE, 1, soon_told=True)


def unpacked(file: GgufFile, chosen: Sequence[int], about: Mapping[str, str]) -> dict[str, Floats]:
    """The weights in float32, from the file that was made of them, or made now."""
    shape, said = shape_of(file), file.settings
    width, inner = said["gemma3.embedding_length"], said["gemma3.feed_forward_length"]
    shapes = arranged_shapes(width, inner, len(chosen), shape)
    for number in range(shape.layers):
        shapes[f"{number}.heads"] = (shape.heads + shape.key_heads, shape.head_width)
        shapes |= {f"{number}.{name}.after": (width,) for name in ("out", "down")}

    def make(name: str) -> Floats:
        number, _, part = name.partition(".")
        block = f"blk.{number}"
        if name == "words":
            return file.rows("token_embd.weight", chosen)
        if (
            part == "attention"
        ):  # which brings queries to one size, so that nothing is multiplied before
            some = [file.tensor(f"{block}.attn_{letter}.weight") for letter in "qkv"]
            found: Floats = (np.concatenate(some) * file.tensor(f"{block}.attn_norm.weight")).T
            return found
        if part == "heads":
            query = file.tensor(f"{block}.attn_q_norm.weight") * np.float32(shape.head_width**-0.5)
            key = file.tensor(f"{block}.attn_k_norm.weight")
            return np.stack([query] * shape.heads + [key] * shape.key_heads)
        if part.endswith(".after"):
            after = {"out.after": "post_attention_norm", "down.after": "post_ffw_norm"}[part]
            return file.tensor(f"{block}.{after}.weight")
        return arranged(name, file.tensor, shape)

    def write(path: Path, said: Mapping[str, str]) -> None:
        write_tensors(path, shapes, make, said)

    return kept("float32", {**about, "layout": LAYOUT}, write)


def shape_of(file: GgufFile) -> GemmaShape:
    """What the file says of the model."""
    said = file.settings
    return GemmaShape(
        layers=said["gemma3.block_count"],
        heads=said["gemma3.attention.head_count"],
        key_heads=said["gemma3.attention.head_count_kv"],
        head_width=said["gemma3.attention.key_length"],
        epsilon=said["gemma3.attention.layer_norm_rms_epsilon"],
        turn_base=said["gemma3.rope.freq_base"],
    )
