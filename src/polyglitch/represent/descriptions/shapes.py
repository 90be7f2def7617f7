"""What the chart parser works on: shapes of descriptions, meanings, weights of their features, and operators."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from polyglitch.represent.descriptions.phrases import DescriptionToken

Meaning = tuple[Any, ...]
Shape = tuple[tuple[str, Any], ...]
LONGEST = 40  # concepts; no description is longer
TERMS = ("TERM", "LITERAL", "WORD")
UNSEEN = -0.5  # the weight of a feature without one
PASSED_OVER = -3.0  # of a concept that a reading leaves out, and without a weight of its own
NEVER_MEANT_LOOSELY = (
    "NEITHER_NOR",
    "NEXT_BEFORE",
    "NEXT_AFTER",
    "BOTH_ENDS",
    "NOT_BOTH",
    "EVERY_WORD",
)


class Item(NamedTuple):
    """A reading of some tokens: its score, its meaning and the features that made the score."""

    score: float
    meaning: Meaning
    features: tuple[str, ...]


@cache
def weights(style: str = "whole") -> dict[str, float]:
    """What each feature is worth; made by recipes/descriptions.py from published pairs."""
    table = files("polyglitch").joinpath("resources", "descriptions", f"weights_{style}.toml")
    if not table.is_file():
        return {}
    return {key: float(value) for key, value in tomllib.loads(table.read_text("utf-8")).items()}


def shape_of(tokens: tuple[DescriptionToken, ...]) -> Shape:
    """The tokens without the identity of their terms and numbers: what the grammar can see."""
    found: list[tuple[str, Any]] = []
    for token in tokens:
        if token.kind == "QUANTITY":
            low, _, kind = token.value
            size = (
                "zero"
                if low == 0 and kind == "least"
                else "one"
                if low == 1 and kind == "least"
                else kind
            )
            found.append((token.kind, (size, token.comma)))
        elif token.kind in TERMS:
            found.append((token.kind, token.plural))
        else:
            found.append((token.kind, None))
    return tuple(found[:LONGEST])


def prior(feature: str) -> float:
    """The weight of a feature that has none of its own."""
    if feature.startswith("!"):
        return 0.0
    if feature.startswith("skip") and feature[5:].rstrip("$") in NEVER_MEANT_LOOSELY:
        return 3 * PASSED_OVER
    return PASSED_OVER if feature.startswith("skip") else UNSEEN


def head(meaning: Meaning) -> str:
    """The operator of a meaning, with what matters of it to its surroundings."""
    return str(meaning[0])


def alternatives(meaning: Meaning) -> list[Meaning]:
    """What "one of them" chooses among: the parts of a choice, each with what stands around the choice."""
    if meaning[0] == "or":
        return list(meaning[1:])
    if meaning[0] in ("contain", "start", "end", "words"):
        return (
            [(meaning[0], part) for part in alternatives(meaning[1])]
            if len(meaning) > 1
            else [meaning]
        )
    return [meaning]


def merge(name: str, left: Meaning, right: Meaning) -> Meaning:
    """`x, y or z` is one disjunction of three: a list takes its name from its last joint."""
    if name in ("or", "and"):
        parts = left[1:] if left[0] in ("list", f"{name}*") else (left,)
        if left[0] == "list":
            return (name, *parts, right)
    if name == "list" and left[0] == "list":
        return (*left, right)
    return (name, left, right)


# What a concept before a part may mean; an empty operator leaves the part as it is.
PREFIXES: dict[str, tuple[str, ...]] = {
    "HAVE": ("", "contain"),
    "CONTAIN": ("contain", ""),
    "START": ("start",),
    "AFTER": ("start",),
    "END": ("end",),
    "WORDS": ("words",),
    "ONLY": ("only", ""),
    "NOT": ("not",),
    "NOR": ("not",),
    "ORNOT": ("not",),
    "ANDNOT": ("not",),
    "EITHER": ("",),
    "BOTH": ("",),
    "BOTH_ENDS": ("both ends",),
    "EVERY_WORD": ("every word",),
}
POSTFIXES = {
    "AT_START": "start",
    "AT_END": "end",
    "ONLY": "only",
    "START": "start",
    "END": "end",
    "BOTH_ENDS": "both ends",
    "NOT_BOTH": "one of",
    "WORDS": "words",
    "NOT": "not",
    "AFTER": "behind",
    "BEFORE": "ahead",
}
PLACES = ("behind", "ahead")  # "after it", "before it": where a part stands to the one told before
JOINTS: dict[str, tuple[str, ...]] = {
    "OR": ("or",),
    "AND": ("and", "or"),
    "NOR": ("or", "and", "not"),
    "ANDNOT": ("not",),
    "ORNOT": ("or not", "or", "and"),
    "COMMA": ("list", "and", "or"),
    "BEFORE": ("before",),
    "FOLLOWED": ("then",),
    "AFTER": ("after",),
    "BETWEEN": ("between",),
    "NEXT_BEFORE": ("next",),
    "NEXT_AFTER": ("next after",),
    "NEITHER_NOR": ("neither",),
    "NOT_BEFORE": ("not before",),
    "NOT_FOLLOWED": ("not before",),
    "NOT_AFTER": ("not before",),
}
# What people also mean by them where the description tells the whole text: an order.
LOOSE_JOINTS: dict[str, tuple[str, ...]] = {"AND": ("before",), "COMMA": ("before",)}
