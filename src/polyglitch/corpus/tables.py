"""Rows of tables with a header: CSV, where quotes may hold line breaks, and TSV, a line a row."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from polyglitch.corpus.lines import Line
from polyglitch.corpus.rows import Bad, Columns, Row, choose, listed, no_text, row_of
from polyglitch.errors import UsageError

# A quoted cell goes on over this many lines at most: without an end to it, one forgotten quote
# would swallow the rest of the file. A passage of a hundred paragraphs still fits.
LINES_A_RECORD = 200


@dataclass(frozen=True, slots=True)
class TableRecord:
    """The cells of one row and the line it starts on."""

    line: int
    cells: list[str]


def table_rows(
    records: Iterable[TableRecord | Bad], columns: Columns, name: str
) -> Iterator[Row | Bad]:
    """Rows by the names in the header, which is the first record that is not empty."""
    header: list[str] | None = None
    chosen: dict[str, str] = {}
    for record in records:
        if isinstance(record, Bad):
            if header is None:
                raise _no_header(name, record)
            yield record
        elif not any(cell.strip() for cell in record.cells):
            yield Bad(record.line, "empty")
        elif header is None:
            header = record.cells
            chosen = _columns(header, columns, f"{name}:{record.line}")
        elif len(record.cells) > len(header):
            # Most often a comma in a sentence without quotes: the text would be cut short.
            detail = f"{len(record.cells)} cells under {len(header)} columns"
            yield Bad(record.line, "more cells than columns", detail)
        else:
            cells = dict(zip(header, record.cells, strict=False))
            yield row_of(record.line, cells, chosen, columns)


def csv_records(lines: Iterable[Line]) -> Iterator[TableRecord | Bad]:
    """Records of a CSV. One that does not parse costs its first line, and reading goes on below."""
    pending: deque[Line] = deque()
    rest = iter(lines)
    while True:
        line = pending.popleft() if pending else next(rest, None)
        if line is None:
            return
        if line.problem:
            yield Bad(line.number, line.problem, line.detail)
            continue
        used: list[Line] = []
        try:
            cells = next(csv.reader(_feed(line, pending, rest, used), strict=True), [])
        except csv.Error as error:
            pending.extendleft(reversed(used))
            reason = "quote not closed" if "unexpected end" in str(error) else "bad CSV"
            yield Bad(line.number, reason, str(error))
        else:
            yield TableRecord(line.number, cells)


def _feed(
    first: Line, pending: deque[Line], rest: Iterator[Line], used: list[Line]
) -> Iterator[str]:
    """The first line of a record, then as many as its open quote asks for, noted in `used`."""
    yield first.text + "\n"
    while len(used) < LINES_A_RECORD:
        line = pending.popleft() if pending else next(rest, None)
        if line is None:
            return
        used.append(line)
        if line.problem:
            return
        yield line.text + "\n"


def tsv_records(lines: Iterable[Line]) -> Iterator[TableRecord | Bad]:
    """Records of a TSV: a line each. Quotes count only where they make sense as in a CSV."""
    for line in lines:
        if line.problem:
            yield Bad(line.number, line.problem, line.detail)
            continue
        try:
            cells = next(csv.reader([line.text], delimiter="\t", strict=True), [])
        except csv.Error:
            cells = line.text.split("\t")  # "No," she said: a quote that is part of the sentence
        yield TableRecord(line.number, cells)


def _columns(header: list[str], columns: Columns, where: str) -> dict[str, str]:
    """Which column is which, or why that cannot be told."""
    chosen = choose(header, columns)
    for role, name in columns.asked().items():
        if role not in chosen:
            raise UsageError(
                f"{where}: no column is called {name!r} ({role}); there are {listed(header)}"
            )
    if "text" not in chosen:
        headless = "" if len(header) > 1 else ", or add a line with its name if there is none"
        raise UsageError(no_text(where, f"there are {listed(header)}") + headless)
    for name in chosen.values():
        if header.count(name) > 1:
            raise UsageError(f"{where}: two columns are called {name!r}; rename one of them")
    return chosen


def _no_header(name: str, bad: Bad) -> UsageError:
    detail = f" ({bad.detail})" if bad.detail else ""
    return UsageError(
        f"{name}:{bad.line}: the header cannot be read: {bad.reason}{detail}; "
        "a table starts with a line of column names, in UTF-8 unless --encoding says otherwise"
    )
