"""Products of matrices in whole numbers of eight bits, by onnxruntime: several times as fast as numpy's.

Each row of numbers is scaled by its own largest one, so that a row says the same whatever rows stand beside it; a
matrix is scaled by columns. Sums of whole numbers are exact, so that every processor finds the same.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from polyglitch.files.lazy_numpy import np
from polyglitch.nlp.models.onnx_graph import CONTRIBUTED, Graph
from polyglitch.protocols import Floats

LARGEST, MIDDLE = 127, 128
SMALLEST_ROW = 1e-12  # a row of nothing is not divided by nothing


class EightBits(msgspec.Struct, frozen=True):
    """A matrix, inputs x outputs, as whole numbers, and what each column is multiplied by."""

    whole: Any
    scale: Floats

    def columns(self, some: Any) -> EightBits:
        """Some columns of it."""
        return EightBits(self.whole[:, some], self.scale[some])

    def numbers(self) -> Floats:
        """The matrix as float32."""
        found: Floats = np.ascontiguousarray(self.whole) * self.scale
        return found


def eight_bits(matrix: Floats) -> EightBits:
    """A matrix scaled by the largest number of each column."""
    scale = np.maximum(np.abs(matrix).max(0), SMALLEST_ROW) / LARGEST
    return EightBits(np.rint(matrix / scale).astype(np.int8), scale.astype(np.float32))


class Scaled(msgspec.Struct, frozen=True):
    """Rows as whole numbers from 1 to 255 around 128, and the largest number of each."""

    whole: str
    largest: str


def scaled(graph: Graph, rows: str, positive: bool = False) -> Scaled:
    """Rows that products in whole numbers take; all that one network scales are as many."""
    # One scale a row: what makes another array of the numbers takes as long as their product.
    sizes = rows if positive else graph.node("Abs", rows)
    largest = graph.node("ReduceMax", sizes, axes=[1])
    largest = graph.node("Max", largest, graph.constant(np.float32(SMALLEST_ROW)))
    step = graph.node("Mul", largest, graph.constant(np.float32(1 / LARGEST)))
    step = graph.node("Reshape", step, graph.constant(np.array([-1])))
    middle = graph.once("middle", lambda: expanded(graph, step))
    return Scaled(graph.node("QuantizeLinear", rows, step, middle, axis=0), largest)


def expanded(graph: Graph, step: str) -> str:
    """The middle of the whole numbers for each row."""
    return graph.node(
        "Expand", graph.constant(np.array([MIDDLE], np.uint8)), graph.node("Shape", step)
    )


def product(graph: Graph, rows: Scaled, matrix: EightBits) -> str:
    """The rows times a matrix."""
    middle = graph.constant(np.uint8(MIDDLE))
    ours = graph.constant(np.float32(1 / LARGEST))
    if adds_exactly():
        numbers, zeros = matrix.whole, np.zeros(len(matrix.scale), np.int8)
    else:
        numbers = (matrix.whole.astype(np.int16) + MIDDLE).astype(np.uint8)
        zeros = np.full(len(matrix.scale), MIDDLE, np.uint8)
    found = graph.node(
        "MatMulIntegerToFloat",
        rows.whole,
        graph.constant(numbers),
        ours,
        graph.constant(matrix.scale),
        middle,
        graph.constant(zeros),
        domain=CONTRIBUTED,
    )
    return graph.node("Mul", found, rows.largest)


class QuickProduct:
    """Rows times a matrix."""

    def __init__(self, matrix: EightBits) -> None:
        graph = Graph()
        graph.put("product", product(graph, scaled(graph, "rows"), matrix))
        inputs, outputs = matrix.whole.shape
        self._session = graph.session({"rows": inputs}, {"product": outputs})

    def __call__(self, rows: Floats) -> Floats:
        """The product, which belongs to the caller."""
        found: Floats = self._session.run(None, {"rows": rows})[0]
        return found


@cache
def adds_exactly() -> bool:
    """Whether this processor adds two products of bytes without an overflow, also where one byte has a sign.

    Older ones do not, and are given bytes without signs, which is slower; the sums are the same.
    """
    graph = Graph()
    rows, matrix = graph.constant(np.full((1, 4), 255, np.uint8)), np.full((4, 16), 127, np.int8)
    whole = graph.node("MatMulInteger", rows, graph.constant(matrix))
    found = graph.node("Add", graph.node("Cast", whole, to=1), "nothing")
    graph.put("sum", found)
    session = graph.session({"nothing": 16}, {"sum": 16})
    got = session.run(None, {"nothing": np.zeros((1, 16), np.float32)})[0]
    return bool((got == 4 * 255 * 127).all())
