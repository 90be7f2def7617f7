"""The model of the aligned oracle: sums of tabled weights for words, a weighted sum of their chances for the pair.

A word's log-odds of being at fault are a sum with one weight a feature, looked up by the feature's value; a feature
that is not at hand adds nothing. The pair's log-odds are a weighted sum of logarithms of what its words say. All
numbers are in `resources/oracle/weights.json`; `recipes/train_oracle.py` makes that file.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import msgspec

Row = dict[str, float]

OFFSET = 0.02  # added before a logarithm: chances below it are all the same to the pair


class Table(msgspec.Struct, frozen=True):
    """The weights of one feature: one for each stretch between edges, and one for unknown values."""

    edges: tuple[float, ...]
    weights: tuple[float, ...]
    unknown: float

    def weight(self, value: float) -> float:
        """What a value adds."""
        if math.isnan(value):
            return self.unknown
        return self.weights[bisect_right(self.edges, value)]


class WordModel(msgspec.Struct, frozen=True):
    """Says of a changed word how likely it is at fault."""

    intercept: float
    features: dict[str, Table]

    def chance(self, row: Row) -> float:
        """From 0 to 1."""
        total = self.intercept
        for name, value in row.items():
            table = self.features.get(name)
            if table is not None:
                total += table.weight(value)
        return logistic(total)


class PairModel(msgspec.Struct, frozen=True):
    """Says of a pair how likely a person would call it a violation."""

    intercept: float
    features: dict[str, float]

    def chance(self, row: Row) -> float:
        """From 0 to 1."""
        return logistic(
            self.intercept
            + sum(weight * math.log(row[name] + OFFSET) for name, weight in self.features.items())
        )


class Model(msgspec.Struct, frozen=True):
    """The whole of weights.json."""

    name: str
    threshold: float
    location: float
    weighty: WordModel
    light: WordModel
    pair: PairModel

    def word_chance(self, row: Row) -> float:
        """How likely a changed word is at fault; words that carry meaning have weights of their own."""
        return (self.light if is_light(row) else self.weighty).chance(row)


def is_light(row: Row) -> bool:
    """Whether the row is of a function word or a mark."""
    return bool(row["is_function"] or row["is_mark"])


@cache
def load_model() -> Model:
    """The shipped model."""
    place = files("polyglitch").joinpath("resources", "oracle", "weights.json")
    return msgspec.json.decode(place.read_bytes(), type=Model)


def pair_row(sides: Sequence[Sequence[tuple[float, bool]]]) -> Row:
    """The features of a pair: for both outputs each changed word's chance and whether it is light."""
    every = [item for side in sides for item in side]
    chances = sorted((chance for chance, _ in every), reverse=True)
    padded = [*chances, 0.0, 0.0, 0.0]
    heavy = [chance for chance, light in every if not light]
    return {
        "worst": padded[0],
        "second": padded[1],
        "third": padded[2],
        "sum": sum(chances),
        "any": 1 - math.prod(1 - chance for chance in chances),
        "mean": sum(chances) / max(1, len(chances)),
        "heavy_sum": sum(heavy),
        "heavy": float(len(heavy)),
        "light": float(len(every) - len(heavy)),
    }


def logistic(value: float) -> float:
    """Log-odds as a chance."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, value))))
