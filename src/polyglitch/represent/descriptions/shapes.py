"""What the chart parser works on: shapes of descriptions, meanings, weights of their features, and operators.

How far the meanings of two descriptions are apart: an edit distance over concepts, each difference with its cost.

Regexes of two sentences can be equal where the sentences are not (what has the letters, the line or the word?) and
differ where people see no difference (singular and plural). So the sequence of concepts is compared, in which subject,
order, scope, negation and bounds are all visible. `resources/descriptions/costs.toml` states the costs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any, NamedTuple

from polyglitch.represent.descriptions.lexicon import DescriptionToken, read_words

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
SAME_ORDER = {"BEFORE", "FOLLOWED"}
VERBS = {"HAVE", "CONTAIN"}
LISTS = {"COMMA", "OR", "AND"}
NAMES = {"LITERAL", "WORD"}


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


@cache
def costs() -> dict[str, dict[str, float]]:
    """The data file."""
    table = files("polyglitch").joinpath("resources", "descriptions", "costs.toml")
    return tomllib.loads(table.read_text("utf-8"))


def loss(token: DescriptionToken) -> float:
    """The cost of a concept that the other description does not have."""
    table = costs()["loss"]
    return table.get(token.kind, table["other"])


def change(a: DescriptionToken, b: DescriptionToken) -> float:
    """The cost of one concept in the place of another."""
    table, kinds = costs()["change"], {a.kind, b.kind}
    if len(kinds) == 1:
        if a.value == b.value:
            return table["number"] if a.plural != b.plural else 0.0
        return table["bound"] if a.kind == "QUANTITY" else 1.0
    if kinds <= VERBS:
        return table["verb"]
    if kinds == SAME_ORDER:
        return table["order_word"]
    if kinds < LISTS and "COMMA" in kinds:
        return table["list_comma"]
    if kinds == NAMES and a.value == b.value:
        return table["literal_name"]
    if kinds & VERBS and kinds & {"OF", "IS"}:
        return table["possession"]
    return loss(a) + loss(b)


def edit_cost(a: Sequence[DescriptionToken], b: Sequence[DescriptionToken]) -> float:
    """The least cost that turns one sequence of concepts into the other."""
    row = [0.0]
    for token in b:
        row.append(row[-1] + loss(token))
    for token in a:
        gone = loss(token)
        above, row = row, [row[0] + gone]
        for place, other in enumerate(b):
            row.append(
                min(
                    above[place + 1] + gone,
                    row[place] + loss(other),
                    above[place] + change(token, other),
                )
            )
    return row[-1]


def before(tokens: Sequence[DescriptionToken]) -> str:
    """The kind of the last concept but one."""
    return tokens[-2].kind if len(tokens) > 1 else ""


def spread_negation(tokens: Sequence[DescriptionToken]) -> list[DescriptionToken]:
    """ "Not x, not y and not z" as "not x, y or z": the same thing said twice costs nothing."""
    out: list[DescriptionToken] = []
    negated = False
    for token in tokens:
        last = out[-1].kind if out else ""
        if token.kind == "QUANTITY" and token.value[2] == "over" and "NOT" in (last, before(out)):
            del out[max(i for i, item in enumerate(out) if item.kind == "NOT")]
            token = token._replace(value=(0, token.value[0], "most"))  # "not more than 5"
            negated = any(item.kind == "NOT" for item in out)
        elif negated and token.kind in ("NOR", "NEITHER_NOR", "ANDNOT", "AND", "ORNOT"):
            token = DescriptionToken("OR")
        elif negated and last in ("NOT", *LISTS) and token.kind in {"NOT", *VERBS}:
            continue  # "not x, not y", "does not contain x, does not contain y"
        negated = negated or token.kind == "NOT"
        out.append(token)
    return out


def attributes(tokens: Sequence[DescriptionToken]) -> int:
    """How often the subject follows what it should have: "the vowel line", "words lines"."""
    things = ("TERM", "LITERAL", "WORD", "WORDS")
    return sum(b.kind == "SUBJECT" and a.kind in things for a, b in pairwise(tokens))


def distance(one: str, other: str) -> float:
    """The cost of all differences between two descriptions."""
    a, b = (spread_negation(read_words(text, subjects=True).tokens) for text in (one, other))
    moved = abs(attributes(a) - attributes(b)) * costs()["change"]["attribute"]
    return edit_cost(a, b) + moved


def similarity(one: str, other: str) -> float:
    """1 for the same meaning, towards 0 with every difference; half at the cost of three lost terms."""
    return 1 / (1 + distance(one, other) / 3)
