"""A sentence that has grown, as every way to grow one gives it."""

from __future__ import annotations

from dataclasses import dataclass

from polyglitch.records import Edit, Parse


@dataclass(frozen=True)
class Expanded:
    """A grown sentence: its parse, the edit, and the words that went in."""

    parse: Parse
    edit: Edit
    words: tuple[str, ...]
    tags: tuple[str, ...]
    production: str = ""  # that the sentence lacked
    view: bool = False  # it tells how the writer sees it
    around: bool = False  # a set phrase before or behind the statement, no word within it
