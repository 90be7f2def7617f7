"""The word lists by which answers are read, compiled once a language."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from polyglitch.languages import DEFAULT
from polyglitch.languages import language as language_of
from polyglitch.languages.record import having

JOINED = (
    "unknown",
    "refusal",
    "courtesy",
    "exhaustive",
    "condensed",
    "units",
    "opposites",
    "of_the_clock",
)  # lists of which every language may have its own
ANY_WORDS = r"(?:\\S+ ){0,6}?"  # what `~` stands for in a pattern


@cache
def lists() -> dict[str, Any]:
    """The file `claims.toml` of the default, with what other languages have of their own for some of its lists.

    An answer may come in any of them, asked for or not; so all are looked for at once.
    """
    found = dict(language_of(DEFAULT).table("claims.toml", "reading claims"))
    for code in having("claims.toml"):
        if code != DEFAULT:
            own = language_of(code).table("claims.toml", "reading claims")
            for name in JOINED:
                found[name] = [*found[name], *own.get(name, ())]
            for side, words in own.get("bounds", {}).items():
                bounds = found["bounds"]
                found["bounds"] = {**bounds, side: [*bounds[side], *words]}
            negation = language_of(code).negation
            plain = [word for word in negation.words if word not in negation.echo]
            found["denies"] = [*found["denies"], *plain]  # "ne ... pas" denies once
    return found


def agreeing(side: str) -> list[str]:
    """How other languages than the default say yes, or no."""
    codes = [code for code in having("claims.toml") if code != DEFAULT]
    return [
        word for code in codes for word in language_of(code).table("claims.toml", "claims")[side]
    ]


@cache
def patterns(name: str) -> tuple[re.Pattern[str], ...]:
    """The patterns of a list, for lower-case text."""
    made = (re.sub("~", ANY_WORDS, each) for each in lists()[name])
    return tuple(re.compile(rf"(?<!\w)(?:{each})") for each in made)


@cache
def units() -> dict[str, tuple[str, float]]:
    """Dimension and factor by each way to write a unit."""
    return {
        form: (dimension, float(factor))
        for dimension, factor, forms in lists()["units"]
        for form in forms.split()
    }


@cache
def opposites() -> dict[str, frozenset[str]]:
    """The words that mean the opposite of a word, both ways."""
    pairs = [pair.split() for pair in lists()["opposites"]]
    for sides in lists()["opposed_ways"]:
        one, other = (side.split() for side in sides)
        pairs += [[x, y] for x in one for y in other]
    return _table(pairs)


@cache
def alike() -> dict[str, frozenset[str]]:
    """The roots that may stand for a root."""
    from polyglitch.represent.claims.words import root

    return _table([root(word) for word in row.split()] for row in lists()["alike"])


def _table(rows: Any) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for row in rows:
        for word in row:
            found.setdefault(word, set()).update(set(row) - {word})
    return {word: frozenset(others) for word, others in found.items()}


@cache
def phrase_pattern(name: str) -> re.Pattern[str]:
    """Any phrase of a list, for lower-case text."""
    longest = sorted(lists()[name], key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)")
