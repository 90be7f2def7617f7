"""Word lists that ship as data: one file a list and language under `resources/words`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def lines(name: str, language: str = "en") -> tuple[str, ...]:
    """The lines of a list, comments left out; a language without the list has none."""
    file = files("polyglitch").joinpath("resources", "words", f"{name}.{language}.txt")
    if not file.is_file():
        return ()
    text = file.read_text("utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


@cache
def words(name: str, language: str = "en") -> frozenset[str]:
    """The words of a list, many a line."""
    return frozenset(word for line in lines(name, language) for word in line.split())


@cache
def phrases(name: str, language: str = "en") -> dict[str, tuple[tuple[str, ...], ...]]:
    """The phrases of a list, one a line, by their first word; `*` stands for any one word."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for line in lines(name, language):
        phrase = tuple(line.split())
        found.setdefault(phrase[0], []).append(phrase)
    return {first: tuple(sorted(some, key=len, reverse=True)) for first, some in found.items()}
