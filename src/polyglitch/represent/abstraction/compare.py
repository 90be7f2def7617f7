"""Two sentences by their quantifiers and logical relations alone, objects aligned as symbols.

Numbers become ranks among the numbers of both sentences, so that `at least 5,000` is a short regex and equal numbers
stay equal. Relations that agree are aligned first; what is left over is lost, added or changed, at the cost that
`resources/abstraction/relations.toml` states.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import msgspec

from polyglitch.languages.record import without_ending
from polyglitch.represent.abstraction.relations import Side, WordRelation, relations, table

ENDINGS = ("ies", "es", "s", "ed", "ing")
SYMBOLS = "XYZABCDEFGHIJKLMNOPQRSTUVW"
SHAPES = {"times more": "m", "times less": "l", "every th": "e", "fraction": "f", "all but": "a"}


class Abstraction(msgspec.Struct, frozen=True):
    """Both sentences as regexes over shared symbols, the cost of what differs, and the differences."""

    one: str
    other: str
    cost: float
    differences: tuple[str, ...]


def object_form(word: str) -> str:
    """A word without its commonest endings; enough to align a word with itself."""
    return without_ending(word, ENDINGS, least=3)


def compare(one: str, other: str, side: Side = "over") -> Abstraction:
    """Abstract two sentences and tell what differs."""
    left, right = relations(one, side), relations(other, side)
    pairs, cost, differences = align(left, right)
    names = symbols(left, right, pairs)
    ranks = rank_numbers([*left, *right])
    return Abstraction(
        "".join(write(relation, names[0, i], ranks) for i, relation in enumerate(left)),
        "".join(write(relation, names[1, j], ranks) for j, relation in enumerate(right)),
        cost,
        tuple(differences),
    )


def difference(a: WordRelation, b: WordRelation) -> float:
    """The cost of one relation in the place of another."""
    costs = table()["weights"]
    moved = 0.0 if object_form(a.object) == object_form(b.object) else costs["object"]
    if a.kind != b.kind:
        return float(costs.get(a.kind, 1.0) + costs.get(b.kind, 1.0))
    if a.kind != "count":
        return float(moved + (costs["scope"] if a.inner != b.inner else 0.0))
    if (a.low, a.high, a.shape) == (b.low, b.high, b.shape):
        return float(moved)
    if a.vague and b.vague:
        return float(costs["vague"] + moved)
    if (a.low, a.high) == (b.low, b.high) and "about" in (a.shape, b.shape):
        return float(costs["about"] + moved)
    return float(costs["bound"] + moved)


def leaves_out(a: WordRelation, b: WordRelation) -> bool:
    """Whether one "only" is said of the subject, and the other of something behind it: only John can, John can only."""
    subject = object_form(a.object)
    return a.opens and bool(subject) and subject in map(object_form, b.outside)


def align(
    left: Sequence[WordRelation], right: Sequence[WordRelation]
) -> tuple[list[tuple[int, int]], float, list[str]]:
    """Pairs of relations that answer each other, cheapest first; the cost and names of the rest."""
    costs = table()["weights"]
    choices = sorted(
        (difference(a, b), abs(i - j), i, j)
        for i, a in enumerate(left)
        for j, b in enumerate(right)
        if a.kind == b.kind and not (leaves_out(a, b) or leaves_out(b, a))
    )
    pairs: list[tuple[int, int]] = []
    used: tuple[set[int], set[int]] = (set(), set())
    total, differences = 0.0, []
    for price, _, i, j in choices:
        if i in used[0] or j in used[1]:
            continue
        used[0].add(i)
        used[1].add(j)
        pairs.append((i, j))
        total += price
        if price > costs["object"]:
            differences.append(f"{say(left[i])} became {say(right[j])}")
    for i, k in swapped(left, right, pairs):
        total += 2 * costs["bound"]
        differences.append(f"{say(left[i])} and {say(left[k])} were swapped")
    for place, side, word in ((0, left, "lost"), (1, right, "added")):
        for index, relation in enumerate(side):
            if index not in used[place]:
                total += costs.get(relation.kind, 1.0)
                differences.append(f"{say(relation)} was {word}")
    return pairs, total, differences


def swapped(
    left: Sequence[WordRelation], right: Sequence[WordRelation], pairs: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Two counts that are the same numbers of the other's things: 9 dogs and 5 cats, 5 dogs and 9 cats."""
    counts = [
        (i, object_form(left[i].object), object_form(right[j].object))
        for i, j in pairs
        if left[i].kind == "count"
    ]
    return [
        (i, k)
        for (i, own, other), (k, next_own, next_other) in combinations(counts, 2)
        if own == next_other and other == next_own and own != next_own
        if (left[i].low, left[i].high) != (left[k].low, left[k].high)
    ]


def say(relation: WordRelation) -> str:
    """A relation for people."""
    thing = f" ({relation.object})" if relation.object else ""
    if relation.kind != "count":
        return f"{relation.kind}{thing}"
    low = "" if relation.low is None else f"{relation.low:g}"
    high = "" if relation.high is None else f"{relation.high:g}"
    bounds = low if low == high else f"{low}..{high}"
    shape = "" if relation.shape == "exact" else f" {relation.shape}"
    return f"{bounds}{shape}{thing}"


def symbols(
    left: Sequence[WordRelation], right: Sequence[WordRelation], pairs: list[tuple[int, int]]
) -> dict[tuple[int, int], str]:
    """A symbol for the object of each relation; aligned relations share theirs."""
    named: dict[tuple[int, int], str] = {}
    known: dict[str, str] = {}
    partner = dict(pairs)

    def name(word: str) -> str:
        return known.setdefault(word, SYMBOLS[len(known) % len(SYMBOLS)])

    for index, relation in enumerate(left):
        named[0, index] = name(object_form(relation.object))
        if index in partner:
            named[1, partner[index]] = named[0, index]
    for index, relation in enumerate(right):
        named.setdefault((1, index), name(object_form(relation.object)))
    return named


def rank_numbers(found: Sequence[WordRelation]) -> dict[float, int]:
    """Each number's rank among all of them, two apart so that strict bounds fit between."""
    values = {v for item in found for v in (item.low, item.high) if v is not None}
    return {value: 2 * place for place, value in enumerate(sorted(values), 1)}


def write(relation: WordRelation, symbol: str, ranks: dict[float, int]) -> str:
    """A relation as a piece of regex over its symbol."""
    if relation.kind == "count":
        low = 0 if relation.low is None else ranks[relation.low]
        high = None if relation.high is None else ranks[relation.high]
        low += relation.shape == "above"
        high = high - 1 if high is not None and relation.shape == "below" else high
        mark = SHAPES.get(relation.shape, "")
        if high is not None and high < low:  # "from 9 to 5": a span that runs the other way
            low, high, mark = high, low, f"{mark}d"
        return f"({mark}[{symbol}]){{{low},{'' if high is None else high}}}"
    shapes = {
        "NOT": "~([{}])",
        "NOT ONLY": "~([{}])",
        "NOT ALL": "~(([{}])+)",
        "NOT INCLUDE": "~(.*[{}].*)",
        "EXCEPT": "~(.*[{}].*)",
        "ALL": "([{}])+",
        "ANY": "([{}])+",
        "BOTH": "([{}]){{2}}",
        "ONLY": "[{}]",
        "OR": "([{}])?",
        "INCLUDE": ".*[{}].*",
        "UNLESS": "~(u[{}])",
        "BEFORE": "([{}].*b)",
        "AFTER": "(b.*[{}])",
        "MOST": "k[{}]",  # not the letter of MORE
    }
    if relation.inner:
        return "i" + shapes[relation.kind].format(symbol)
    shape = shapes.get(relation.kind, f"{relation.kind[0].lower()}" + "[{}]")
    return shape.format(symbol)
