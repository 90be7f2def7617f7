"""A language model of the Llama family in whole numbers of eight bits: all of a layer but its attention in one network.

What goes into a product has some columns that are far larger than the others. They are made smaller, and the matrix's
rows for them larger, by powers of two that a pass over some sentences tells (as SmoothQuant does). The mark that begins
a text is larger than all else by far; as nothing stands before it, all of it is known and is put in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from typing import Any

from polyglitch.files.lazy_numpy import np
from polyglitch.nlp.models.eight_bits import (
    EightBits,
    QuickProduct,
    Scaled,
    eight_bits,
    product,
    scaled,
)
from polyglitch.nlp.models.llama import Turns, Weights, turn
from polyglitch.nlp.models.onnx_graph import CONTRIBUTED, Graph
from polyglitch.nlp.models.packed import PackedPool, PackedText
from polyglitch.protocols import Floats

BEGINNING = 0  # the token that begins every text
# How much of a column's size goes into the matrix. With .5 to .7 odds are nearest to those of float32.
SMOOTHING = 0.6
QUIETEST = 1e-3
# Scores of news lie between -52 and 20. In float64 e to any power up to this is a number, so that the highest score of
# each query, which takes as long as all else, is looked for only beyond; what is unseen is nothing beside the rest.
MODERATE = 250.0
PRODUCTS = ("attention", "out", "gate_up", "down")


class QuickWeights(Weights):
    """The weights of a model as whole numbers, as `quick_tensors` makes them; vectors of words are float32 too."""

    # The last digit of an attention depends on which texts are padded together, and on threads. Rounding to whole
    # numbers would make much of it; of float64's last digit it hardly ever does.
    attends_in = "float64"
    unseen = -600.0
    two_at_once = True  # whether two passes at once take half of the time

    def __init__(self, weights: Weights, quick: Mapping[str, Any]) -> None:
        super().__init__(weights.tensors, weights.shape)
        self._quick = quick
        self.hidden_at_start = quick["hidden"]
        self.mixed_at_start = quick["mixed"][:, self._side_by_side]

    def begin(self, ids: Sequence[int], places: Sequence[int]) -> QuickSteps:
        """A pass over some tokens, each at its place in its text."""
        at_start = [
            row
            for row, (one, place) in enumerate(zip(ids, places, strict=True))
            if one == BEGINNING and place == 0
        ]
        return QuickSteps(self, self.embedded(ids), at_start)

    def prepare(self) -> None:
        """Make the networks, which takes a third of a second."""
        self._networks  # noqa: B018

    @cached_property
    def _side_by_side(self) -> Any:
        """Where the columns of queries, keys and values are taken from, so that long rows are turned at once.

        First come the first halves of all heads that are turned, then their second halves.
        """
        shape = self.shape
        both, values = shape.heads + shape.key_heads, shape.key_heads * shape.head_width
        places = np.arange(both * shape.head_width).reshape(both, 2, -1).transpose(1, 0, 2)
        return np.concatenate([places.reshape(-1), places.size + np.arange(values)])

    def turns(self, places: Sequence[int]) -> Turns:
        """By what queries and keys of tokens at some places are turned, for all heads side by side."""
        both = self.shape.heads + self.shape.key_heads
        cosines, sines = (np.tile(one, (1, 1, both)) for one in super().turns(places))
        return cosines, sines

    def turned(self, number: int, mixed: Floats, turns: Turns) -> tuple[Floats, Floats]:
        """Of a layer the heads of queries with those of keys after them, turned, and the heads of values."""
        count, shape = len(mixed), self.shape
        values = shape.key_heads * shape.head_width
        halves = mixed[:, None, :-values]
        turn(halves, turns)
        heads = halves.reshape(count, 2, -1, shape.head_width // 2).transpose(0, 2, 1, 3)
        return (
            heads.reshape(count, -1, shape.head_width),
            mixed[:, -values:].reshape(count, -1, shape.head_width),
        )

    def share_out(self, scores: Floats, mask: Floats) -> None:
        """Make shares of scores, in place, which come to one for each query that sees what a mask lets it."""
        if max(scores.max(), -scores.min()) > MODERATE:
            np.copyto(scores, -np.inf, where=mask < 0)
            super().share_out(scores, mask)
            return
        scores += mask
        np.exp(scores, out=scores)
        scores *= 1 / (scores @ np.ones((scores.shape[-1], 1)))

    def scores(self, states: Floats, words: int | None = None) -> Floats:
        """The unnormalised log-probabilities of all next tokens, or of so many of the first, after each state."""
        return self._vocabulary(words)(states)

    def first(self, hidden: Floats) -> Floats:
        """Queries, keys and values of the first layer."""
        (found,) = self._networks[0].run(None, {"hidden": hidden})
        return found  # type: ignore[no-any-return]

    def over(self, number: int, hidden: Floats, seen: Floats) -> list[Floats]:
        """The states after a layer, and queries, keys and values of the next one or the last states."""
        given = {"hidden": hidden, "seen": seen}
        found: list[Floats] = self._networks[number + 1].run(None, given)
        return found

    @cached_property
    def _networks(self) -> list[Any]:
        return [self._network(number) for number in range(-1, self.shape.layers)]

    def _network(self, number: int) -> Any:
        """All from the attention of a layer, or from the words, to that of the next layer, or to the last states."""
        graph, hidden, width = Graph(), "hidden", self.words.shape[1]
        inputs, outputs = {"hidden": width}, {}
        if number >= 0:
            out, gate_up = self._matrix(f"{number}.out"), self._matrix(f"{number}.gate_up")
            down = self._matrix(f"{number}.down")
            inputs["seen"], outputs["after"] = len(out.whole), width
            made = product(graph, scaled(graph, "seen"), out)
            hidden = graph.node("Add", hidden, self._after(graph, made, f"{number}.out"))
            rows = scaled(graph, self._levelled(graph, hidden, f"{number}.gate_up.columns"))
            inner = len(down.whole)
            gate = product(graph, rows, gate_up.columns(slice(inner)))
            up = product(graph, rows, gate_up.columns(slice(inner, None)))
            rows = scaled(graph, graph.node("Mul", self._gate(graph, gate), up))
            made = self._after(graph, product(graph, rows, down), f"{number}.down")
            graph.put("after", graph.node("Add", hidden, made))
            hidden = "after"
        if number + 1 < self.shape.layers:
            name = f"{number + 1}.attention"
            rows = scaled(graph, self._levelled(graph, hidden, f"{name}.columns"))
            graph.put("mixed", self._mixed(graph, rows, name))
            outputs["mixed"] = len(self._quick[f"{name}.scale"])
        else:
            graph.put("mixed", self._levelled(graph, hidden, "last"))
            outputs["mixed"] = width
        return graph.session(inputs, outputs)

    def _after(self, graph: Graph, made: str, name: str) -> str:
        """What is added to the states of a product that goes into them."""
        return made

    def _gate(self, graph: Graph, gates: str) -> str:
        """How far each gate is open, times itself: its logistic."""
        return graph.node("QuickGelu", gates, domain=CONTRIBUTED, alpha=1.0)  # SwiGLU's, by 1

    def _mixed(self, graph: Graph, rows: Scaled, name: str) -> str:
        """Queries, keys and values of a layer side by side."""
        return product(graph, rows, self._matrix(name).columns(self._side_by_side))

    def _matrix(self, name: str) -> EightBits:
        return EightBits(self._quick[f"{name}.whole"], self._quick[f"{name}.scale"])

    def _levelled(self, graph: Graph, hidden: str, factors: str) -> str:
        """Each row divided by its root mean square, and its columns multiplied."""
        by = graph.constant(self.last if factors == "last" else self._quick[factors])
        epsilon = float(self.shape.epsilon)
        return graph.node("SimplifiedLayerNormalization", hidden, by, axis=-1, epsilon=epsilon)

    @cached_property
    def _vocabulary(self) -> Callable[[int | None], QuickProduct]:
        return cache(lambda count: QuickProduct(self._matrix("words").columns(slice(count))))


class QuickSteps:
    """`LayerSteps` in whole numbers."""

    def __init__(self, weights: QuickWeights, hidden: Floats, at_start: list[int]) -> None:
        self._weights, self._at_start, self.hidden = weights, at_start, hidden
        self.mixed = weights.first(hidden)
        self.mixed[at_start] = weights.mixed_at_start[0]

    def step(self, number: int, seen: Floats) -> None:
        """Go over a layer, given what its attention saw."""
        weights = self._weights
        self.hidden, self.mixed = weights.over(number, self.hidden, seen)
        self.hidden[self._at_start] = start = weights.hidden_at_start[number]
        if number + 1 < weights.shape.layers:
            self.mixed[self._at_start] = weights.mixed_at_start[number + 1]
        else:
            self.mixed[self._at_start] = weights.level(start[None]) * weights.last


def watched(weights: Weights, text: Sequence[int]) -> dict[str, Floats]:
    """The largest number of each column that goes into each product, from the second token of a text on."""
    reader = type(weights)(weights.tensors, weights.shape)
    reader.largest = {}
    PackedPool(reader).compute([PackedText(text)])
    return reader.largest


def columns(ours: Floats, matrix: Floats, shared: int = 1, width: int = 1) -> Floats:
    """By which powers of two the columns that go into a product are divided; heads that share values alike."""
    theirs = np.abs(matrix).max(1)
    wanted = SMOOTHING * np.log2(ours + QUIETEST) - (1 - SMOOTHING) * np.log2(theirs + QUIETEST)
    if shared > 1:
        heads = wanted.reshape(-1, shared, width)
        wanted = np.broadcast_to(heads.max(1, keepdims=True), heads.shape).reshape(-1)
    found: Floats = np.exp2(np.rint(wanted)).astype(np.float32)
    return found


def quick_tensors(weights: Weights, text: Sequence[int]) -> dict[str, Any]:
    """What `QuickWeights` needs of a model, told by a pass over some text that begins as all do."""
    shape, largest = weights.shape, watched(weights, text)
    found = whole("words", weights.words.T)
    values = shape.key_heads * shape.head_width
    spread: list[Floats] = []  # by which the values of each layer are divided
    for number in range(shape.layers):
        for part in PRODUCTS:
            name = f"{number}.{part}"
            matrix, shared = weights.tensors[name], shape.sharing if part == "out" else 1
            larger = columns(largest[name], matrix, shared, shape.head_width)
            found |= whole(name, matrix * larger[:, None])
            found[f"{name}.columns"] = 1 / larger
        # Of what is made of two factors it is not the gate that comes out smaller.
        up = found[f"{number}.gate_up.scale"]
        up[len(up) // 2 :] *= found[f"{number}.down.columns"]
        heads = found[f"{number}.out.columns"].reshape(shape.key_heads, shape.sharing, -1)
        spread.append(heads[:, 0].reshape(-1))
        found[f"{number}.attention.scale"][-values:] *= spread[-1]
    steps, hidden, mixed = weights.begin([BEGINNING], [0]), [], []
    for number in range(shape.layers):
        value = steps.mixed[:, -values:]
        seen = np.repeat(value.reshape(shape.key_heads, 1, -1), shape.sharing, 1).reshape(1, -1)
        mixed.append(steps.mixed[0].copy())
        mixed[-1][-values:] *= spread[number]
        steps.step(number, seen)  # a text's first token sees itself alone
        hidden.append(steps.hidden[0].copy())
    return found | {"hidden": np.stack(hidden), "mixed": np.stack(mixed)}


def whole(name: str, matrix: Floats) -> dict[str, Any]:
    """A matrix as it is kept."""
    made = eight_bits(matrix)
    return {f"{name}.whole": made.whole, f"{name}.scale": made.scale}
