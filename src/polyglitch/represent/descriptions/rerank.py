"""The readings of a description once more, each as a whole: where negation and counts reach, and which form it has.

The chart adds up what a reader sees in one place. What people mean by "without x or y, 3 or more times" also depends on
the form of the whole and on what stands beside a part, which the chart cannot look at while it builds it.
`resources/descriptions/rerank_STYLE.json`, made by recipes/rerank_descriptions.py, says what each feature is worth.

Descriptions to regexes: the likeliest reading, how sure we are, and in whose conventions.

Two published conventions exist for the same English. `whole` (NL-RX): the description tells the whole text. `search`
(KB13): it tells what to look for in a line. `auto` decides by what a file quotes: KB13 looks for 'literals' of any
kind, NL-RX has the named literals.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

from polyglitch.represent.descriptions import grammar
from polyglitch.represent.descriptions.conventions import write_search, write_whole
from polyglitch.represent.descriptions.lexicon import (
    NAMED,
    QUOTED,
    DescriptionToken,
    Reading,
    read_words,
)
from polyglitch.represent.descriptions.shapes import Item, Meaning, shape_of
from polyglitch.represent.regex.parse import names

READ = 24  # readings that are looked at again; the right one is rarely further down
PLACED = (
    *("not", "repeat", "contain", "words", "start", "end", "only"),
    *("and", "or", "before", "then"),
)
JOINED = ("and", "or")
LETTERS = {"TERM": "x", "LITERAL": "l", "WORD": "w"}
Style = Literal["whole", "search"]
QUOTES = re.compile(r"['\"“‘]([^'\"“‘”’]+)['\"”’]")


@cache
def rerank_weights(style: str) -> dict[str, float]:
    """What each feature is worth; empty for conventions that were not learned."""
    table = files("polyglitch").joinpath("resources", "descriptions", f"rerank_{style}.json")
    if not table.is_file():
        return {}
    found: dict[str, float] = json.loads(table.read_text("utf-8"))["weights"]
    return found


def rerank(
    items: Sequence[Item], tokens: tuple[DescriptionToken, ...], style: str
) -> tuple[Item, ...]:
    """The readings by their scores as a whole, best first; as they are where nothing was learned."""
    known = rerank_weights(style)
    if not known:
        return tuple(items)
    again = [
        item._replace(score=sum(known.get(name, 0.0) for name in features(item, tokens)))
        for item in items[:READ]
    ]
    return tuple(sorted(again, key=lambda item: -item.score))


def features(item: Item, tokens: tuple[DescriptionToken, ...]) -> Iterator[str]:
    """All that a reading is judged by: the chart's features, its form and its places."""
    kinds = [kind_of(token) for token in tokens]
    yield from item.features
    yield f"T:{form(item.meaning, tokens)}"
    yield from places(item.meaning, kinds)


def kind_of(token: DescriptionToken) -> str:
    """A concept in a few letters: what it is, not which."""
    comma = "," if token.comma else ""
    if token.kind == "QUANTITY":
        return f"Q{bound_of(token)}{comma}"
    if token.kind in LETTERS:
        return LETTERS[token.kind] + ("s" if token.plural else "")
    return token.kind + comma


def bound_of(token: DescriptionToken) -> str:
    """The kind of a bound; none, one and more are different things to say."""
    low, _, kind = token.value
    return str(kind[0]) + (str(low) if low < 2 else "")


def form(meaning: Meaning, tokens: tuple[DescriptionToken, ...]) -> str:
    """The meaning without its terms: `not(and(x,x))`."""
    if meaning[0] == "term":
        return "x"
    parts = []
    for part in meaning[1:]:
        if isinstance(part, tuple):
            parts.append(form(part, tokens))
        else:
            token = tokens[part]
            parts.append("#" + (bound_of(token) if token.kind == "QUANTITY" else ""))
    return f"{meaning[0]}({','.join(parts)})"


def reach(meaning: Meaning) -> tuple[int, int] | None:
    """From which token to which a part reaches, if it is of any."""
    if meaning[0] == "term":
        return meaning[1], meaning[1] + 1
    spans = [reach(part) if isinstance(part, tuple) else (part, part + 1) for part in meaning[1:]]
    known = [span for span in spans if span]
    return (min(low for low, _ in known), max(high for _, high in known)) if known else None


def nodes(meaning: Meaning, above: str = "root") -> Iterator[tuple[Meaning, str]]:
    """Every part with the operator above it."""
    yield meaning, above
    for part in meaning[1:]:
        if isinstance(part, tuple):
            yield from nodes(part, meaning[0])


def places(meaning: Meaning, kinds: Sequence[str]) -> Iterator[str]:
    """What stands before, after and inside of each part."""
    for part, above in nodes(meaning):
        span, name = reach(part), part[0]
        if name not in PLACED or span is None:
            continue
        if name == "repeat":
            at = part[2]
            span = reach(part[1]) or (at, at + 1)
            name = f"repeat {'before' if at < span[0] else 'after'}"
        low, high = span
        left = kinds[low - 1] if low else "^"
        right = kinds[high] if high < len(kinds) else "$"
        parts = ",".join(str(inner[0]) for inner in part[1:] if isinstance(inner, tuple))
        inside = " ".join(kinds[low:high])
        yield f"p:{name}|{left}|{right}"
        yield f"p:{above}>{name}|{left}|{right}"
        yield f"p:{above}>{name}>{parts}"
        if part[0] in JOINED:
            yield f"i:{above}>{name}|{inside}"
        elif part[0] not in ("only", "before", "then"):
            yield f"i:{name}|{inside}"


class Description(msgspec.Struct, frozen=True):
    """A sentence with its regex; an empty regex means that nothing in it was understood."""

    text: str
    regex: str
    confidence: float
    unknown: tuple[str, ...] = ()


def style_of(texts: Sequence[str]) -> Style:
    """The conventions of a file: those of most of its sentences that quote something."""
    named = {value for kind, value in names().values() if kind == "text"}
    whole = search = 0
    for text in texts:
        if NAMED.search(text):
            whole += 1
        elif quoted := QUOTED.search(text):
            search += quoted["inside"].strip().lower() not in named
            whole += quoted["inside"].strip().lower() in named
    return "search" if search > whole else "whole"


def describe(text: str, style: Style | None = None) -> Description:
    """The regex of one description."""
    style = style or style_of([text])
    reading = read_words(text, bare_literals=style == "search")
    found = grammar.readings(shape_of(reading.tokens), style, reading.formal)
    items = rerank(found, reading.tokens, style)
    if not items:
        return Description(text, "", 0.0, reading.unknown)
    write = write_search if style == "search" else write_whole
    regex = write(items[0].meaning, reading.tokens)
    return Description(text, regex, confidence(reading, items), reading.unknown)


def describe_all(texts: Sequence[str], style: Style | None = None) -> list[Description]:
    """The regexes of a file of descriptions, all in the same conventions."""
    style = style or style_of(texts)
    return [describe(text, style) for text in texts]


def confidence(reading: Reading, items: tuple[Item, ...]) -> float:
    """The share of the best reading among all, lowered by words unknown or passed over."""
    top = items[0].score
    share = 1 / sum(math.exp(max(-50.0, item.score - top)) for item in items)
    skipped = sum(feature.startswith("skip") for feature in items[0].features)
    understood = 1 - len(reading.unknown) / reading.words
    return round(share * understood / (1 + skipped), 4)
