"""Descriptions to regexes: the likeliest reading, how sure we are, and in whose conventions.

Two published conventions exist for the same English. `whole` (NL-RX): the description tells the whole text. `search`
(KB13): it tells what to look for in a line. `auto` decides by what a file quotes: KB13 looks for 'literals' of any
kind, NL-RX has the named literals.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from polyglitch.represent.descriptions import grammar
from polyglitch.represent.descriptions.conventions import write_search, write_whole
from polyglitch.represent.descriptions.lexicon import NAMED, QUOTED, Reading, read_words
from polyglitch.represent.descriptions.rerank import rerank
from polyglitch.represent.descriptions.shapes import Item, shape_of
from polyglitch.represent.regex.parse import names

Style = Literal["whole", "search"]
QUOTES = re.compile(r"['\"“‘]([^'\"“‘”’]+)['\"”’]")


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
