"""The phrases of descriptions and what they mean, from the data file; misspelt words included."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from rapidfuzz.distance import OSA

WORD = re.compile(r"<lit\d+>|[a-z]+(?:[-'][a-z]+)*-?|\d+|>=|[^\sa-z\d]")
LONGEST = 10  # words in a phrase


class DescriptionToken(NamedTuple):
    """A concept with its value: a term or literal, bounds of a quantifier, or nothing."""

    kind: str
    value: Any = None
    plural: bool = False
    comma: bool = False  # a comma stood before it


@cache
def lexicon() -> dict[str, Any]:
    """The data file."""
    table = files("polyglitch").joinpath("resources", "descriptions", "lexicon.toml")
    return tomllib.loads(table.read_text("utf-8"))


@cache
def phrases() -> dict[tuple[str, ...], DescriptionToken]:
    """Every phrase as a tuple of words, `#` and `##` for numbers, with what it means."""
    data = lexicon()
    found: dict[tuple[str, ...], DescriptionToken] = {}
    for word in data["fillers"]["words"]:
        found[(word,)] = DescriptionToken("FILLER")
    for plural, table in ((False, "terms"), (True, "plurals")):
        for term, forms in data[table].items():
            for form in forms:
                found[tuple(WORD.findall(form))] = DescriptionToken("TERM", term, plural)
    for kind, forms in data["concepts"].items():
        for form in forms:
            found[tuple(WORD.findall(form))] = DescriptionToken(kind)
    for bounds, forms in data["quantifiers"].items():
        for form in forms:
            found[tuple(re.findall(r"#+|\S+", form))] = DescriptionToken("QUANTITY", bounds)
    return found


@cache
def vocabulary() -> frozenset[str]:
    """Every word that a phrase uses."""
    return frozenset(word for phrase in phrases() for word in phrase) | frozenset(
        lexicon()["numbers"]
    )


@cache
def beginnings() -> frozenset[str]:
    """The first words of phrases, numbers aside."""
    return frozenset(phrase[0] for phrase in phrases())


@cache
def nearest(word: str) -> str:
    """The word of the vocabulary that was probably meant: one slip, two in long words."""
    slips = 0 if len(word) < 4 else 1 if len(word) < 7 else 2
    best, least = word, slips + 1
    for known in sorted(vocabulary()):  # two may be as near: always the same one is meant
        if abs(len(known) - len(word)) < least and len(known) > 2:
            distance = OSA.distance(word, known, score_cutoff=least)
            if distance < least:
                best, least = known, distance
    return best


def longest(
    words: list[str], at: int, numbers: dict[str, int]
) -> tuple[DescriptionToken | None, int]:
    """The token of the longest phrase that starts here, and how many words it takes."""
    table = phrases()
    if words[at] not in beginnings() and not words[at].isdecimal() and words[at] not in numbers:
        return None, 1  # most words begin nothing
    for size in range(min(LONGEST, len(words) - at), 0, -1):
        window = words[at : at + size]
        exact = table.get(tuple(window))
        if exact is not None:
            return exact, size
        values: list[int] = []
        pattern = []
        for word in window:
            value = int(word) if word.isdecimal() and len(word) < 5 else numbers.get(word)
            if value is None or len(values) == 2:
                pattern.append(word)
            else:
                values.append(value)
                pattern.append("#" * len(values))
        for shape in (
            pattern,
            [*pattern, "times"] if words[at + size - 1] in ("once", "twice", "thrice") else None,
        ):
            found = table.get(tuple(shape)) if shape else None
            if values and found is not None and found.kind == "QUANTITY":
                return DescriptionToken("QUANTITY", bounds(found.value, values)), size
    return None, 1


def bounds(shape: str, values: list[int]) -> tuple[int, int | None, str]:
    """Low, high and kind (`least`, `exact`, `bare`, `over`, `most`, `under`, `range`) of a quantity."""
    first = values[0]
    kinds: dict[str, tuple[int, int | None, str]] = {
        "#,": (first, None, "least"),
        "#,#": (first, first, "exact"),
        "#": (first, first, "bare"),
        "#r": (first, first, "run"),
        "#%,": (first, None, "over"),
        ",#": (0, first, "most"),
        ",#%": (0, first - 1, "under"),
        "#,##": (first, values[-1], "range"),
    }
    return kinds.get(shape, (first, None, "least"))
