"""The forced pass of a Bergamot model in the whole numbers it is filed in, by onnxruntime, one text at a time.

A text by itself needs no padding, so that it says the same whatever it is asked with, and its rows stay in a core's own
memory. All of the encoder is one network, and all of a decoder layer but its recurrent cell, which goes word by word.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

from polyglitch.files.lazy_numpy import np
from polyglitch.nlp.models.eight_bits import EightBits, Scaled, product, scaled
from polyglitch.nlp.models.onnx_graph import CONTRIBUTED, Graph
from polyglitch.protocols import Floats
from polyglitch.systems.bergamot.forced import ForcedPass
from polyglitch.systems.bergamot.model_file import (
    END,
    EPSILON,
    OUTPUT_BIAS,
    WORDS,
    ModelFile,
    check,
    positions,
)

REMEMBERED = 64  # sources: an original is asked about with each of its outputs


class QuickNetwork:
    """Fits `forced.ForcedNetwork`."""

    def __init__(self, file: ModelFile) -> None:
        check(file)
        self._file = file
        self._heads, self._width = file.number("transformer-heads"), file.number("dim-emb")
        self._depths = file.number("enc-depth"), file.number("dec-depth")
        self._words, self._bias = self._whole(WORDS), file.numbers(OUTPUT_BIAS)[0]
        self._encoder, self._vocabulary = self._encoding(), self._telling()
        self._layers = [self._decoding(number) for number in range(self._depths[1] + 1)]
        self._sources = lru_cache(REMEMBERED)(self._encoded)

    def passes(self, sources: list[list[int]], targets: list[list[int]]) -> list[ForcedPass]:
        """Read each target after its source."""
        return [
            self._passed(source, target) for source, target in zip(sources, targets, strict=True)
        ]

    def log_odds(self, states: Floats) -> Floats:
        """The log-probabilities of all words after each of some states."""
        found: Floats = self._vocabulary.run(None, {"states": states})[0]
        return found

    def logits(self, states: Floats, words: Sequence[int]) -> Floats:
        """How one word fits after each state, before it is compared with all others."""
        found: Floats = np.einsum("ij,ij->i", states, self._rows(words)) + self._bias[words]
        return found

    def _passed(self, source: list[int], target: list[int]) -> ForcedPass:
        if not target:
            nothing = np.zeros((0, self._width), np.float32)
            return ForcedPass(nothing, np.zeros((0, len(source)), np.float32))
        hidden = self._embedded([END, *target[:-1]])
        hidden[0] = 0.0  # a word is read after it is wanted, and nothing before the first
        hidden += positions(len(target), self._width)
        forget, update = self._layers[0].run(None, {"hidden": hidden})
        for layer, memory in zip(self._layers[1:], self._sources(tuple(source)), strict=True):
            given = {"hidden": hidden, "cells": cells(forget, update)} | memory
            hidden, *more = layer.run(None, given)
            if len(more) == 2:
                forget, update = more
        return ForcedPass(hidden, more[0])

    def _encoded(self, source: tuple[int, ...]) -> list[dict[str, Floats]]:
        """Keys and values of a source for each layer of the decoder."""
        hidden = self._embedded(source) + positions(len(source), self._width)
        found = self._encoder.run(None, {"hidden": hidden})
        return [
            {"keys": keys, "values": values}
            for keys, values in zip(found[::2], found[1::2], strict=True)
        ]

    def _embedded(self, ids: Sequence[int]) -> Floats:
        return self._rows(ids) * np.float32(math.sqrt(self._width))

    def _rows(self, ids: Sequence[int]) -> Floats:
        """The vectors of some words."""
        return EightBits(self._words.whole[list(ids)], self._words.scale).numbers()

    def _encoding(self) -> Any:
        """From the words of a source to the keys and values for each layer of the decoder."""
        graph, hidden = Graph(), "hidden"
        for layer in range(1, self._depths[0] + 1):
            name = f"encoder_l{layer}_self"
            mixed = self._looked_around(graph, hidden, name)
            hidden = self._attended(graph, mixed, hidden, name)
            hidden = self._fed(graph, hidden, f"encoder_l{layer}_ffn")
        rows = scaled(graph, hidden)
        outputs: list[str] = []
        for layer in range(1, self._depths[1] + 1):
            for made in self._memory(graph, rows, f"decoder_l{layer}_context"):
                outputs.append(f"memory {len(outputs)}")
                graph.put(outputs[-1], made)
        return graph.session({"hidden": self._width}, dict.fromkeys(outputs))

    def _decoding(self, number: int) -> Any:
        """From the cells of a layer, or from the words, to what the next layer's are made of, or to the end."""
        graph, hidden, width = Graph(), "hidden", self._width
        inputs: dict[str, int | None] = {"hidden": width}
        outputs: dict[str, int | None] = {}
        seen = ""
        if number > 0:
            inputs |= {"cells": width, "keys": None, "values": None}
            name = f"decoder_l{number}"
            hidden = graph.node("Add", graph.node("Relu", "cells"), hidden)
            hidden = self._normal(graph, hidden, f"{name}_rnn_ffn")
            queries = self._queries(graph, scaled(graph, hidden), f"{name}_context")
            mixed, seen = self._attention(graph, queries, "keys", "values")
            hidden = self._attended(graph, mixed, hidden, f"{name}_context")
            hidden = self._fed(graph, hidden, f"{name}_ffn")
            graph.put("after", hidden)
            outputs["after"] = width
        if number < self._depths[1]:
            name, rows = f"decoder_l{number + 1}_rnn", scaled(graph, hidden)
            forget = graph.node("Sigmoid", self._dense(graph, rows, name, "f"))
            rest = graph.node("Sub", graph.constant(np.float32(1)), forget)
            graph.put("forget", forget)
            graph.put("update", graph.node("Mul", rest, self._dense(graph, rows, name, "")))
            outputs |= {"forget": width, "update": width}
        else:  # of the layer that is read last Marian trains the first head to align
            graph.put("seen", graph.node("Gather", seen, graph.constant(np.array(0)), axis=0))
            outputs["seen"] = None
        return graph.session(inputs, outputs)

    def _telling(self) -> Any:
        """The log-probabilities of all words after some states."""
        graph, words = Graph(), self._words
        table = EightBits(words.whole.T, np.full(len(words.whole), words.scale[0]))
        odds = product(graph, scaled(graph, "states"), table)
        odds = graph.node("Add", odds, graph.constant(self._bias))
        graph.put("odds", graph.node("LogSoftmax", odds, axis=1))
        return graph.session({"states": self._width}, {"odds": len(table.scale)})

    def _looked_around(self, graph: Graph, hidden: str, block: str) -> str:
        """What each row takes from all rows of its text."""
        parts = [self._whole(f"{block}_W{one}") for one in "qkv"]
        joined = EightBits(
            np.concatenate([one.whole for one in parts], 1),
            np.concatenate([one.scale for one in parts]),
        )
        rows = product(graph, scaled(graph, hidden), joined)
        one_text = graph.constant(np.array([1, -1, 3 * self._width]))
        thirds = graph.constant(np.full(3, self._width))
        three = graph.nodes("Split", 3, graph.node("Reshape", rows, one_text), thirds, axis=2)
        biases = [self._file.numbers(f"{block}_b{one}")[0] for one in "qkv"]
        bias = graph.constant(np.concatenate(biases))
        mixed = graph.node(
            "MultiHeadAttention", *three, bias, domain=CONTRIBUTED, num_heads=self._heads
        )
        return graph.node("Reshape", mixed, graph.constant(np.array([-1, self._width])))

    def _queries(self, graph: Graph, rows: Scaled, block: str) -> str:
        """Heads x rows x a head's width, as long as they must be for what they are compared with."""
        measure = (self._width // self._heads) ** -0.5
        return self._apart(graph, self._dense(graph, rows, block, "q", measure), (1, 0, 2))

    def _memory(self, graph: Graph, rows: Scaled, block: str) -> tuple[str, str]:
        """Keys, heads x a head's width x rows, and values, heads x rows x a head's width."""
        keys, values = (self._dense(graph, rows, block, one) for one in "kv")
        return self._apart(graph, keys, (1, 2, 0)), self._apart(graph, values, (1, 0, 2))

    def _apart(self, graph: Graph, rows: str, order: Sequence[int]) -> str:
        """Rows by heads, in some order of rows, heads and width."""
        shape = graph.constant(np.array([-1, self._heads, self._width // self._heads]))
        return graph.node("Transpose", graph.node("Reshape", rows, shape), perm=order)

    def _dense(self, graph: Graph, rows: Scaled, block: str, which: str, times: float = 1.0) -> str:
        """One of the matrices of a block, with its bias."""
        matrix = self._whole(f"{block}_W{which}")
        matrix = EightBits(matrix.whole, matrix.scale * np.float32(times))
        found, bias = product(graph, rows, matrix), f"{block}_b{which}"
        if bias not in self._file.filed:
            return found
        return graph.node(
            "Add", found, graph.constant(self._file.numbers(bias) * np.float32(times))
        )

    def _attention(self, graph: Graph, queries: str, keys: str, values: str) -> tuple[str, str]:
        """What each row takes from those it looks at, and how much of each, by heads."""
        seen = graph.node("Softmax", graph.node("MatMul", queries, keys), axis=2)
        mixed = graph.node("Transpose", graph.node("MatMul", seen, values), perm=(1, 0, 2))
        return graph.node("Reshape", mixed, graph.constant(np.array([-1, self._width]))), seen

    def _attended(self, graph: Graph, mixed: str, hidden: str, name: str) -> str:
        after = self._dense(graph, scaled(graph, mixed), name, "o")
        return self._normal(graph, graph.node("Add", after, hidden), f"{name}_Wo")

    def _fed(self, graph: Graph, hidden: str, name: str) -> str:
        inner = graph.node("Relu", self._dense(graph, scaled(graph, hidden), name, "1"))
        after = self._dense(graph, scaled(graph, inner, positive=True), name, "2")
        return self._normal(graph, graph.node("Add", after, hidden), f"{name}_ffn")

    def _normal(self, graph: Graph, hidden: str, name: str) -> str:
        scale, bias = (self._file.numbers(f"{name}_ln_{one}")[0] for one in ("scale", "bias"))
        by = graph.constant(scale), graph.constant(bias)
        return graph.node("LayerNormalization", hidden, *by, axis=-1, epsilon=EPSILON)

    def _whole(self, name: str) -> EightBits:
        return cast(EightBits, self._file.filed[name])  # which `in_eight_bits` was asked about


def cells(forget: Floats, update: Floats) -> Floats:
    """The cells of a recurrent layer, word by word, in the place of what goes into them."""
    for place in range(1, len(update)):
        forget[place] *= update[place - 1]
        update[place] += forget[place]
    return update
