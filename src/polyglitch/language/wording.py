"""The pairs of words that general relations trade, read from their data file."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def wording(section: str, language: str = "en") -> dict[str, Any]:
    """One section of the file of a language."""
    path = files("polyglitch").joinpath("resources", "lexicon", f"wording.{language}.toml")
    table: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))[section]
    return table


@cache
def pairs(section: str, kind: str, both_ways: bool = True) -> dict[str, str]:
    """Word to word, in both directions unless told otherwise."""
    found: dict[str, str] = {}
    for pair in wording(section)[kind]:
        one, other = pair.split()
        found.setdefault(one, other)
        if both_ways:
            found.setdefault(other, one)
    return found
