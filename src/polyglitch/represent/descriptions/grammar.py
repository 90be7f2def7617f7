"""A chart parser over concepts: all readings of a description, the likeliest first.

A meaning is a nested tuple: an operator and its arguments. Terms are `("term", place)`, where `place` is the index of
the token; so a shape is parsed once, whatever its terms. Readings are ranked by the sum of the weights of their
features; a feature is an operator with its argument's operator, or with the words that expressed it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from polyglitch.represent.descriptions.shapes import (
    JOINTS,
    LOOSE_JOINTS,
    PLACES,
    POSTFIXES,
    PREFIXES,
    TERMS,
    Item,
    Meaning,
    Shape,
    alternatives,
    head,
    merge,
    prior,
    weights,
)

KEPT = (
    16  # readings of a part that are worth going on with; the whole is looked at again (rerank.py)
)
USUAL = 20  # concepts; beyond that fewer readings are kept, or a sentence made to be slow would take many seconds
KEPT_OF_LONG = 3


@lru_cache(maxsize=20_000)
def readings(shape: Shape, style: str = "whole", formal: bool = False) -> tuple[Item, ...]:
    """The readings of a shape, best first; none if nothing in it can be described."""
    return _Chart(shape, weights(style), formal, style == "search").readings()


class _Chart:
    """Spans of tokens with their best readings, built from short to long."""

    def __init__(
        self, shape: Shape, known: dict[str, float], formal: bool, search: bool = False
    ) -> None:
        self.shape, self.weights, self.formal, self.search = shape, known, formal, search
        self.cells: dict[tuple[int, int], list[Item]] = {}

    def readings(self) -> tuple[Item, ...]:
        size = len(self.shape)
        for length in range(1, size + 1):
            for start in range(size - length + 1):
                self.fill(start, start + length)
        whole = [
            self.item(entry.meaning, (f"root>{head(entry.meaning)}",), (entry,))
            for entry in self.cells.get((0, size), ())
        ]
        return tuple(sorted(whole, key=lambda entry: -entry.score))

    def item(self, meaning: Meaning, features: tuple[str, ...], parts: tuple[Item, ...]) -> Item:
        score = 0.0
        if self.formal:  # spelt out by formula, joints and prefixes bind by other habits
            features += tuple(f"!{feature}" for feature in features)
        for feature in features:
            score += self.weights.get(feature, prior(feature))
        for part in parts:
            score += part.score
            features += part.features
        return Item(score, meaning, features)

    def fill(self, start: int, end: int) -> None:
        best: dict[Meaning, Item] = {}
        for found in self.build(start, end):
            known = best.get(found.meaning)
            if known is None or known.score < found.score:
                best[found.meaning] = found
        if best:
            most = KEPT if len(self.shape) <= USUAL else KEPT_OF_LONG
            kept = sorted(best.values(), key=lambda entry: -entry.score)[:most]
            self.cells[start, end] = kept

    def build(self, start: int, end: int) -> Iterator[Item]:
        kind, value = self.shape[start]
        if end - start == 1:
            yield from self.single(start, kind, value)
            return
        yield from self.prefixed(start, end, kind, value)
        yield from self.postfixed(start, end)
        if kind in ("BEFORE", "AFTER"):
            yield from self.order_first(start, end, kind)
        for middle in range(start + 1, end):
            left = self.cells.get((start, middle))
            if not left:
                continue
            operator = self.shape[middle][0]
            if middle + 1 < end and operator in JOINTS:
                for right in self.cells.get((middle + 1, end), ()):
                    for first in left:
                        yield from self.joined(operator, first, right)
            for right in self.cells.get((middle, end), ()):
                for first in left:
                    yield from self.adjacent(first, right, operator)

    def single(self, at: int, kind: str, value: Any) -> Iterator[Item]:
        if kind in TERMS:
            yield self.item(("term", at), (), ())
            if value and kind == "TERM":
                yield self.item(("some", ("term", at)), ("some",), ())
        elif kind == "WORDS":
            yield self.item(("words",), ("words!",), ())
        else:  # a concept with nothing to apply to is passed over, at a cost
            return

    def apply(self, operator: str, cue: str, part: Item, *extra: Any) -> Item:
        inner = part.meaning
        features = (f"{operator}>{head(inner)}", f"{cue}={operator}>{head(inner)}")
        return self.item((operator, inner, *extra), features, (part,))

    def same(self, cue: str, part: Item) -> Item:
        return self.item(part.meaning, (f"{cue}=", f"{cue}>{head(part.meaning)}"), (part,))

    def prefixed(self, start: int, end: int, kind: str, value: Any) -> Iterator[Item]:
        for part in self.cells.get((start + 1, end), ()):
            if kind == "QUANTITY":
                cue = f"q-{value[0]}"
                yield self.apply("repeat", cue, part, start)
                if part.meaning[0] == "words" and len(part.meaning) > 1 and not self.search:
                    meaning = ("words", ("repeat", part.meaning[1], start))
                    yield self.item(meaning, (f"{cue}=words>repeat", "words>repeat"), (part,))
                yield self.skip(cue, part)
            elif kind in PREFIXES:
                for operator in PREFIXES[kind]:
                    if operator:
                        found = self.apply(operator, kind, part)
                        yield found
                        if operator in ("start", "end", "words", "contain"):
                            yield from self.raised(found, operator, kind)
                    else:
                        yield self.same(kind, part)
                    if operator == "not" and part.meaning[0] == "or" and not self.search:
                        yield self.not_together(kind, part)
            elif kind not in TERMS and (kind != "OR" or start == 0):
                yield self.skip(kind, part)
        joined = (
            kind == "WORDS" and not self.search
        )  # what is looked for beside words is no part of them
        if joined and end - start > 2 and self.shape[start + 1][0] in ("AND", "OR"):
            for part in self.cells.get((start + 2, end), ()):
                yield self.apply("words", "WORDS-and", part)
        if kind == "QUANTITY" and end - start > 2 and self.shape[start + 1][0] == "TERM":
            yield from self.measured(start, end)

    def not_together(self, cue: str, part: Item) -> Item:
        """What is without x or y, as some write it of texts that may have one but not both."""
        meaning = ("not", ("and", *part.meaning[1:]))
        return self.item(meaning, (f"{cue}:or-as-and", "not>and"), (part,))

    def measured(self, start: int, end: int) -> Iterator[Item]:
        """A number and a term as a measure: "6 letter sequence", "5 letter words ending in 's'"."""
        noun, place = self.shape[start + 2][0], (start, start + 1)
        if noun == "RUN" and end - start == 3:
            yield self.item(("run", *place), ("run!",), ())
        if noun != "WORDS" or self.shape[start + 1][1]:
            return
        if end - start == 3:
            yield self.item(("sized", ("words",), *place), ("sized!",), ())
        for part in self.cells.get((start + 3, end), ()):
            yield self.apply("sized", "sized", part, *place)

    def order_first(self, start: int, end: int, kind: str) -> Iterator[Item]:
        """What comes later told first: "before x, there must be y"."""
        for middle in range(start + 2, end):
            following = middle + (self.shape[middle][0] == "COMMA")
            for one in self.cells.get((start + 1, middle), ()):
                for other in self.cells.get((following, end), ()):
                    pair = (other, one) if kind == "BEFORE" else (one, other)
                    yield self.pair("before", f"first-{kind}", *pair)

    def raised(self, item: Item, operator: str, cue: str) -> Iterator[Item]:
        """A count of a part that is meant of the whole: "words with 3 or more of x", "x or 3 of y"."""
        if self.search:
            return
        *same, last = item.meaning[1:]
        if isinstance(last, tuple) and last[0] == "repeat":
            meaning = ("repeat", (operator, *same, last[1]), last[2])
            yield self.item(meaning, (f"raised:{operator}", f"raised-{cue}:{operator}"), (item,))

    def skip(self, cue: str, part: Item) -> Item:
        return self.item(part.meaning, (f"skip-{cue}",), (part,))

    def postfixed(self, start: int, end: int) -> Iterator[Item]:
        kind, value = self.shape[end - 1]
        for part in self.cells.get((start, end - 1), ()):
            if kind == "QUANTITY":
                cue = f"p-{value[0]}{',' if value[1] else ''}"
                yield self.apply("repeat", cue, part, end - 1)
                yield self.skip(cue, part)
            elif kind == "NOT_BOTH" and len(alternatives(part.meaning)) < 2:
                yield self.skip(f"{kind}$", part)
            elif kind in POSTFIXES and not (kind == "WORDS" and self.search):
                yield self.apply(POSTFIXES[kind], kind, part)
                if kind in ("AFTER", "BEFORE"):
                    yield self.skip(f"{kind}$", part)
            elif kind not in (*TERMS, "WORDS", "OR") or (kind == "OR" and end == len(self.shape)):
                yield self.skip(f"{kind}$", part)

    def joined(self, operator: str, left: Item, right: Item) -> Iterator[Item]:
        for name in JOINTS[operator] + (() if self.search else LOOSE_JOINTS.get(operator, ())):
            if name == "after":
                yield self.pair("before", operator, right, left)
            elif name == "not before":
                yield from self.out_of_order(operator, left, right)
            elif name == "next after":
                yield self.pair("next", operator, right, left)
            elif name == "neither":
                if left.meaning[0] == "not":
                    other = right.meaning[1] if right.meaning[0] == "not" else right.meaning
                    yield self.spread(
                        "or", operator, left, Item(right.score, other, right.features)
                    )
            elif name == "between":
                if right.meaning[0] == "and":
                    yield self.pair("between", operator, left, right)
            elif name == "or not":
                inverse = self.apply("not", f"{operator}-not", right)
                yield self.pair("or", operator, left, inverse)
                if left.meaning[0] == "not":
                    yield self.spread("or", operator, left, right)
            elif name == "not":
                inverse = self.apply("not", f"{operator}-not", right)
                yield self.pair("and", operator, left, inverse)
                if left.meaning[0] == "not":  # "not x and not y" is published as not (x and y)
                    yield self.spread("and", operator, left, right)
                    yield self.spread("or", operator, left, right)
            else:
                found = self.pair(name, operator, left, right)
                yield found
                if name in ("and", "or", "before", "then"):
                    yield from self.raised(found, name, operator)
                if left.meaning[0] == "not" and operator in ("NOR", "ORNOT", "AND", "OR", "COMMA"):
                    other = right
                    if right.meaning[0] == "not":
                        other = Item(right.score, right.meaning[1], right.features)
                    yield self.spread(name, operator, left, other)

    def out_of_order(self, operator: str, left: Item, right: Item) -> Iterator[Item]:
        """ "x not followed by y": what follows is no y, or the two do not stand so."""
        denied = self.apply("not", operator, right)
        if operator == "NOT_AFTER":
            yield self.pair("before", operator, denied, left)
            yield self.apply("not", operator, self.pair("before", operator, right, left))
        else:
            yield self.pair("before", operator, left, denied)
            yield self.apply("not", operator, self.pair("before", operator, left, right))

    def spread(self, name: str, operator: str, left: Item, right: Item) -> Item:
        inner = left.meaning[1]
        meaning = ("not", self.merged(name, inner, right.meaning))
        feature = f"{operator}:{name}-under-not"
        return self.item(meaning, (feature, f"{name}2>{head(right.meaning)}"), (left, right))

    def pair(self, name: str, operator: str, left: Item, right: Item) -> Item:
        if right.meaning[0] in PLACES and name in ("and", "or", "list"):  # "x with y after it"
            inner = Item(right.score, right.meaning[1], right.features)
            pair = (left, inner) if right.meaning[0] == "behind" else (inner, left)
            return self.pair("before", right.meaning[0], *pair)
        features = (
            f"{name}1>{head(left.meaning)}",
            f"{name}2>{head(right.meaning)}",
            f"{operator}={name}:{head(left.meaning)},{head(right.meaning)}",
        )
        meaning = self.merged(name, left.meaning, right.meaning)
        return self.item(meaning, features, (left, right))

    def merged(self, name: str, left: Meaning, right: Meaning) -> Meaning:
        """Two parts as one; of whole texts `x or y or z` is one choice of three, as the published regexes have it."""
        if self.search or name not in ("and", "or"):
            return merge(name, left, right)
        parts = left[1:] if left[0] in (name, "list") else (left,)
        return (name, *parts, *(right[1:] if right[0] == name else (right,)))

    def adjacent(self, left: Item, right: Item, cue: str) -> Iterator[Item]:
        """Two parts side by side: both must hold, or the second tells more of the first."""
        yield self.pair("and", f"side-{cue}", left, right)
        if cue == "HAVE" and not self.search:
            yield self.pair("or", f"side-{cue}", left, right)
        if cue in ("HAVE", "END") and not self.search:  # "x that ends in y": y comes last
            yield self.pair("before", f"side-{cue}", left, right)
        if cue in TERMS:  # a comma that was lost
            yield self.pair("list", f"side-{cue}", left, right)
        if left.meaning[0] == "words":
            yield from self.word_parts(left, right, cue)

    def word_parts(self, left: Item, right: Item, cue: str) -> Iterator[Item]:
        if len(left.meaning) == 1:
            meaning: Meaning = ("words", right.meaning)
            yield self.item(
                meaning, (f"words>{head(right.meaning)}", f"words-{cue}"), (left, right)
            )
