"""The readings of a description once more, each as a whole: where negation and counts reach, and which form it has.

The chart adds up what a reader sees in one place. What people mean by "without x or y, 3 or more times" also depends on
the form of the whole and on what stands beside a part, which the chart cannot look at while it builds it.
`resources/descriptions/rerank_STYLE.json`, made by recipes/rerank_descriptions.py, says what each feature is worth.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from polyglitch.represent.descriptions.phrases import DescriptionToken
from polyglitch.represent.descriptions.shapes import Item, Meaning

READ = 24  # readings that are looked at again; the right one is rarely further down
PLACED = (
    *("not", "repeat", "contain", "words", "start", "end", "only"),
    *("and", "or", "before", "then"),
)
JOINED = ("and", "or")
LETTERS = {"TERM": "x", "LITERAL": "l", "WORD": "w"}


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
