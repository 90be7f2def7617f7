"""Rows of a corpus: what a line of sentences or of JSON says, under the names the project knows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from polyglitch.corpus.source import Line

FASTTEXT = re.compile(
    r"__label__(\S+)\s+(.+)", re.DOTALL
)  # a label before the text, as fastText has it

# What people call the columns. The first that is there is taken, unless the caller names one.
KNOWN: dict[str, tuple[str, ...]] = {
    "text": ("text", "sentence", "source", "question", "input", "test_case", "tweet"),
    "label": ("label", "class", "category", "label_gold", "gold", "answer"),
    "context": ("context", "passage", "paragraph"),
    "title": ("title",),
    "id": ("id",),
}


@dataclass(frozen=True, slots=True)
class Row:
    """What may become a seed."""

    line: int
    text: str
    context: str | None = None
    label: str | None = None
    title: str | None = None
    id: str | None = None
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bad:
    """A row that cannot be used: the reason it is counted under, and a detail for the example."""

    line: int
    reason: str
    detail: str = ""


@dataclass(frozen=True)
class Columns:
    """The columns the caller asked for by name."""

    text: str | None = None
    label: str | None = None
    context: str | None = None

    def asked(self) -> dict[str, str]:
        """Field to column, for those asked for."""
        named = {"text": self.text, "label": self.label, "context": self.context}
        return {role: name for role, name in named.items() if name is not None}


def choose(names: Iterable[str], columns: Columns) -> dict[str, str]:
    """Which of the names holds each field; a column asked for that is not there is left out."""
    exact = list(names)
    folded = {name.strip().lower(): name for name in reversed(exact)}
    chosen: dict[str, str] = {}
    asked = columns.asked()
    for role, name in asked.items():
        if name in exact:
            chosen[role] = name
        elif name.strip().lower() in folded:
            chosen[role] = folded[name.strip().lower()]
    for role, known in KNOWN.items():
        free = (folded[k] for k in known if k in folded and folded[k] not in chosen.values())
        if role not in asked and (found := next(free, None)) is not None:
            chosen[role] = found
    return chosen


def sentence_rows(lines: Iterable[Line]) -> Iterator[Row | Bad]:
    """A row a line."""
    for line in lines:
        if line.problem:
            yield Bad(line.number, line.problem, line.detail)
        elif labelled := FASTTEXT.match(line.text):
            yield Row(line.number, labelled[2], label=labelled[1])
        else:
            yield Row(line.number, line.text)


def json_rows(lines: Iterable[Line], columns: Columns) -> Iterator[Row | Bad]:
    """A row a line of JSON: an object, or a string that is the text."""
    for line in lines:
        if line.problem:
            yield Bad(line.number, line.problem, line.detail)
        elif not line.text.strip():
            yield Bad(line.number, "empty")
        else:
            yield _json_row(line, columns)


def _json_row(line: Line, columns: Columns) -> Row | Bad:
    try:
        value = msgspec.json.decode(line.text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return Bad(line.number, "bad JSON", str(error))
    if isinstance(value, str):
        missing = columns.asked()
        if missing:
            return Bad(line.number, "no such field", f"a plain string has no {_first(missing)!r}")
        return Row(line.number, value)
    if not isinstance(value, dict):
        return Bad(line.number, "neither an object nor a string", _kind(value))
    return row_of(line.number, value, choose(value, columns), columns)


def row_of(
    line: int, cells: Mapping[str, Any], chosen: Mapping[str, str], columns: Columns
) -> Row | Bad:
    """The row that named cells make, once it is chosen which of them is which."""
    missing = [name for role, name in columns.asked().items() if chosen.get(role) not in cells]
    if missing:
        return Bad(line, "no such field", f"{missing[0]!r} is not in the row")
    if chosen.get("text") not in cells:
        return Bad(line, "no text", f"none of {', '.join(KNOWN['text'])} is in the row")
    fields: dict[str, str | None] = {}
    for role, name in chosen.items():
        value = cells.get(name)
        # A label or an id may be a number, true or false: what it is called is all that matters.
        if role in ("label", "id") and isinstance(value, (bool, int)):
            value = str(value).lower()
        if not isinstance(value, str) and (value is not None or role == "text"):
            return Bad(line, f"{role} is not a string", f"{name!r} is {_kind(value)}")
        fields[role] = value or None
    taken = set(chosen.values())
    data = {name: value for name, value in cells.items() if name not in taken}
    return Row(line, fields.pop("text") or "", data=data, **fields)


def _kind(value: object) -> str:
    """What JSON calls a value."""
    names = {type(None): "null", bool: "true or false", list: "a list", dict: "an object"}
    return names.get(type(value), "a string" if isinstance(value, str) else "a number")


def _first(named: dict[str, str]) -> str:
    return next(iter(named.values()))
