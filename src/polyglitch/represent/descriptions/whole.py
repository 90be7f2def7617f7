"""Meanings as regexes in the conventions of NL-RX, where a description tells the whole text.

"Lines with a vowel" are the texts that are one vowel; "lines containing a vowel" have one somewhere. The published
regexes put no brackets around a choice inside `.*` or `\\b`; ours are the same, or they could not be compared.
"""

from __future__ import annotations

from polyglitch.represent.descriptions.phrases import Token
from polyglitch.represent.descriptions.shapes import Meaning
from polyglitch.represent.descriptions.symbols import symbol

WORD = "[A-Za-z]+"


def write_whole(meaning: Meaning, tokens: tuple[Token, ...]) -> str:
    """The regex of a meaning."""
    name, parts = meaning[0], [part for part in meaning[1:] if isinstance(part, tuple)]
    inner = [write_whole(part, tokens) for part in parts]
    if name == "term":
        return symbol(tokens[meaning[1]])
    if name == "some":
        return f"({inner[0]})+"
    if name == "words":
        return f"\\b{inner[0] if inner else WORD}\\b"
    if name in ("or", "and", "list"):
        return ("|" if name == "or" else "&").join(f"({part})" for part in inner)
    if name in ("before", "then"):
        return f"({inner[0]}).*({inner[1]}).*"
    if name == "between":
        one, other = (write_whole(part, tokens) for part in parts[1][1:3])
        return f"({one}).*({inner[0]}).*({other}).*"
    if name == "repeat":
        single = parts[0][1] if parts[0][0] == "some" else parts[0]  # "3 vowels" counts vowels
        return repeated(write_whole(single, tokens), tokens[meaning[2]])
    if name == "run":
        return f"({symbol(tokens[meaning[2]])}){{{tokens[meaning[1]].value[0]}}}"
    if name == "sized":
        return f"\\b({symbol(tokens[meaning[3]])}){{{tokens[meaning[2]].value[0]},}}\\b"
    return UNARY[name].format(inner[0])


UNARY = {
    "contain": ".*{}.*",
    "start": "({})(.*)",
    "end": "(.*)({})",
    "not": "~({})",
    "only": "{}",
}


def repeated(inner: str, quantity: Token) -> str:
    """A repetition; a count without "exactly" is a lower bound there, "less than n" the opposite of n or more."""
    low, high, kind = quantity.value
    if kind == "under":
        return f"~(({inner}){{{high + 1},}})"
    if kind in ("exact", "range"):
        return f"({inner}){{{low},{high}}}"
    if kind == "most":
        return f"({inner}){{0,{high}}}"
    if low < 2:
        if kind == "bare" and low == 1:
            return inner
        return f"({inner}){'+' if low else '*'}"
    return f"({inner}){{{low},}}"
