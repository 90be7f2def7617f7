"""Suites made elsewhere, as rows with text, label and capability: CheckList exports, HateCheck, any table.

CheckList writes a suite as text (`export_test_suite_to_file`: a test a line) or people dump its tests as JSON: an
object of tests, each with `data` and `labels`, or a list of rows. What is no row is counted with a reason.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from polyglitch.errors import UsageError
from polyglitch.files.foreign import read_whole_text
from polyglitch.registry import suggest

TEXT = ("text", "test_case", "sentence", "content", "input")
LABEL = ("label", "label_gold", "labels", "expected", "gold")
CAPABILITY = ("capability", "functionality", "test", "test_name", "name")
# CheckList's sentiment suite numbers its labels.
NUMBERED = {"0": "negative", "1": "neutral", "2": "positive"}


class SuiteRow(msgspec.Struct, frozen=True):
    """One test of a suite."""

    text: str
    label: str
    capability: str


def read_suite(path: Path, skipped: Counter[str], numbered: bool = False) -> Iterator[SuiteRow]:
    """The rows of a suite; `numbered` reads 0, 1, 2 as CheckList's negative, neutral, positive."""
    name = path.name.removesuffix(".gz")
    if not path.is_file():
        raise UsageError(f"suite {str(path)!r}: no such file")
    text = read_whole_text(path)
    if name.endswith(".json"):
        rows = _json_rows(text, path, skipped)
    elif name.endswith((".csv", ".tsv")):
        rows = _table_rows(text, "\t" if name.endswith(".tsv") else ",", path)
    else:
        rows = _text_rows(text, Path(name).stem)
    for row in rows:
        if not row.text.strip():
            skipped["empty text"] += 1
        elif not row.label:
            skipped["no label"] += 1
        else:
            label = NUMBERED.get(row.label, row.label) if numbered else row.label
            yield SuiteRow(" ".join(row.text.split()), label, row.capability)


def _table_rows(text: str, mark: str, path: Path) -> Iterator[SuiteRow]:
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=mark)
    columns = tuple(_cells(reader, path))
    chosen = [next((c for c in names if c in columns), None) for names in (TEXT, LABEL, CAPABILITY)]
    if chosen[0] is None or chosen[1] is None:
        missing, names = ("text", TEXT) if chosen[0] is None else ("label", LABEL)
        raise UsageError(
            f"{path}: no column for the {missing}; it may be called {', '.join(names)}"
            f"{suggest(missing, columns)}"
        )
    while (row := _next(reader, path)) is not None:
        capability = row[chosen[2]] if chosen[2] else path.stem
        yield SuiteRow(row[chosen[0]] or "", row[chosen[1]] or "", capability or path.stem)


def _cells(reader: csv.DictReader[str], path: Path) -> list[str]:
    try:
        return list(reader.fieldnames or ())
    except csv.Error as error:
        raise UsageError(f"{path}:{reader.line_num}: the header cannot be read: {error}") from None


def _next(reader: csv.DictReader[str], path: Path) -> dict[str, str] | None:
    try:
        return next(reader, None)
    except csv.Error as error:
        raise UsageError(f"{path}:{reader.line_num}: cannot be read as a table: {error}") from None


def _json_rows(text: str, path: Path, skipped: Counter[str]) -> Iterator[SuiteRow]:
    try:
        whole = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: not JSON: {error}") from None
    if isinstance(whole, list):
        for row in whole:
            if isinstance(row, dict):
                yield SuiteRow(*(_first(row, names) for names in (TEXT, LABEL, CAPABILITY)))
            else:
                skipped["not an object"] += 1
        return
    tests = whole.get("tests", whole) if isinstance(whole, dict) else None
    if not isinstance(tests, dict):
        raise UsageError(f"{path}: neither a list of rows nor an object of tests, each with data")
    for name, test in tests.items():
        if isinstance(test, dict) and isinstance(test.get("data"), list):
            yield from _test_rows(str(name), test)
        else:
            skipped["not a test with a list of data"] += 1


def _test_rows(name: str, test: dict[str, Any]) -> Iterator[SuiteRow]:
    """A test of CheckList: its data may be texts, or lists of texts of which the first is the original."""
    labels = test.get("labels")
    for number, item in enumerate(test["data"]):
        text = item[0] if isinstance(item, list) and item else item
        label = labels[number] if isinstance(labels, list) and number < len(labels) else labels
        yield SuiteRow(
            str(text), "" if label is None or isinstance(label, list) else str(label), name
        )


def _text_rows(text: str, name: str) -> Iterator[SuiteRow]:
    """Text or label, tab, text, a test a line; lines that start with # name the capability from there on."""
    for line in text.splitlines():
        if line.startswith("#"):
            name = line.lstrip("# ").strip() or name
        elif line.strip():
            label, tab, rest = line.partition("\t")
            yield SuiteRow(rest, label, name) if tab else SuiteRow(line, "", name)


def _first(row: dict[str, Any], names: tuple[str, ...]) -> str:
    found = next((row[name] for name in names if row.get(name) is not None), "")
    return str(found)
