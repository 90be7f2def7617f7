"""How far the meanings of two descriptions are apart: an edit distance over concepts, each difference with its cost.

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

from polyglitch.represent.descriptions.lexicon import read_words
from polyglitch.represent.descriptions.phrases import DescriptionToken

SAME_ORDER = {"BEFORE", "FOLLOWED"}
VERBS = {"HAVE", "CONTAIN"}
LISTS = {"COMMA", "OR", "AND"}
NAMES = {"LITERAL", "WORD"}


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
