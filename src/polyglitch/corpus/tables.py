"""Rows of files that name their values: tables with a header, CSV, where quotes may hold line breaks, and TSV, a line a
row; and what is read as a whole: JSON, Parquet, Arrow, Excel.

Rows of question corpora: the one-line layout of UnifiedQA and QAQA, and SQuAD's JSON.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import zipfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

import msgspec

from polyglitch.corpus.rows import (
    Bad,
    Columns,
    Row,
    choose,
    chosen_row,
    json_kind,
    listed,
    no_text,
    row_of,
    value_row,
)
from polyglitch.corpus.source import Line, ReadLimits, Source
from polyglitch.errors import Missing, UsageError
from polyglitch.files.foreign import read_stream
from polyglitch.files.promptfoo import read_promptfoo

BREAK = " \\n "  # a backslash and an n: the layout writes line breaks this way
TITLED = re.compile(r"\((?P<title>[^()]*(?:\([^()]*\)[^()]*)*)\)\s+(?P<context>.+)", re.DOTALL)
NO_ANSWER = ("<no answer>", "no answer>", "no answer", "unanswerable")
YES_NO = ("yes", "no")
# A quoted cell goes on over this many lines at most: without an end to it, one forgotten quote
# would swallow the rest of the file. A passage of a hundred paragraphs still fits.
LINES_A_RECORD = 200
# Where the comma is in numbers, spreadsheets part cells by semicolons, and some say so in a line of their own.
OTHER_DELIMITERS = ";\t"
SEPARATOR = re.compile(r"\ufeff?sep=([,;\t|])\s*", re.IGNORECASE)


def is_question_line(line: Line | None) -> bool:
    """Whether a line reads `question \\n (title) context <tab> answer`."""
    return line is not None and not line.problem and BREAK in line.text.split("\t")[0]


def question_rows(lines: Iterable[Line]) -> Iterator[Row | Bad]:
    """A row a line of `question \\n (title) context <tab> answer`; title and answer may be absent."""
    for line in lines:
        if line.problem:
            yield Bad(line.number, line.problem, line.detail)
        elif not line.text.strip():
            yield Bad(line.number, "empty")
        else:
            yield _question_row(line)


def _question_row(line: Line) -> Row | Bad:
    asked, tab, answer = line.text.rpartition("\t")
    if not tab:
        asked, answer = line.text, ""
    question, found, passage = asked.partition(BREAK)
    if not found or not passage.strip():
        return Bad(line.number, "no context", f"{BREAK.strip()!r} and a passage are not in the row")
    titled = TITLED.fullmatch(passage.strip())
    title, context = (titled["title"], titled["context"]) if titled else (None, passage.strip())
    answer = answer.strip()
    data = {"kind": kind_of(answer)} if answer else {}
    return Row(line.number, question.strip(), context, answer or None, title, data=data)


def kind_of(answer: str) -> str:
    """The kind of question an answer belongs to, as far as the answer tells."""
    if answer.lower() in YES_NO:
        return "yes/no"
    return "no answer" if answer.lower() in NO_ANSWER else "extractive"


class _Answer(msgspec.Struct):
    text: str


class _Question(msgspec.Struct):
    question: str
    id: str | None = None
    answers: list[_Answer] = []
    is_impossible: bool = False


class _Paragraph(msgspec.Struct):
    context: str
    qas: list[_Question]


class _Article(msgspec.Struct):
    paragraphs: list[_Paragraph]
    title: str | None = None


class _Squad(msgspec.Struct):
    data: list[_Article]


def is_squad(whole: object) -> bool:
    """Whether some JSON has the shape of SQuAD: data, each with paragraphs."""
    data = whole.get("data") if isinstance(whole, dict) else None
    first = data[0] if isinstance(data, list) and data else None
    return isinstance(first, dict) and "paragraphs" in first


def squad_rows(raw: bytes, name: str) -> Iterator[Row | Bad]:
    """A row a question of SQuAD 1.1 or 2.0; all accepted answers are kept as aliases."""
    try:
        articles = msgspec.json.decode(raw, type=_Squad).data
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(
            f"{name}: not a SQuAD file: {error}; it is an object with data, "
            "paragraphs, qas; other questions go into .jsonl, a line each"
        ) from None
    number = 0
    for article in articles:
        for paragraph in article.paragraphs:
            for asked in paragraph.qas:
                number += 1
                yield _squad_row(number, article.title, paragraph.context, asked)


def _squad_row(number: int, title: str | None, context: str, asked: _Question) -> Row | Bad:
    texts = list(dict.fromkeys(answer.text for answer in asked.answers if answer.text.strip()))
    if not texts and not asked.is_impossible:
        return Bad(number, "no accepted answer", f"question {asked.question[:60]!r}")
    impossible = asked.is_impossible or not texts
    data = {"kind": "no answer" if impossible else "extractive", "aliases": texts[1:]}
    label = "no answer" if impossible else texts[0]
    readable = title.replace("_", " ") if title else None
    return Row(number, asked.question.strip(), context, label, readable, asked.id, data)


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
    mark = ","
    if first := next(rest, None):
        told = SEPARATOR.fullmatch(first.text)
        mark = told[1] if told else delimiter_of(first.text)
        pending.extend([] if told else [first])
    while True:
        line = pending.popleft() if pending else next(rest, None)
        if line is None:
            return
        if line.problem:
            yield Bad(line.number, line.problem, line.detail)
            continue
        used: list[Line] = []
        try:
            feed = _feed(line, pending, rest, used)
            cells = next(csv.reader(feed, delimiter=mark, strict=True), [])
        except csv.Error as error:
            pending.extendleft(reversed(used))
            reason = "quote not closed" if "unexpected end" in str(error) else "bad CSV"
            yield Bad(line.number, reason, str(error))
        else:
            yield TableRecord(line.number, cells)


def delimiter_of(header: str) -> str:
    """What parts the cells of a CSV: a comma, unless its header has none and is parted by a semicolon or a tab."""
    return next((m for m in OTHER_DELIMITERS if "," not in header and m in header), ",")


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


LISTS = ("data", "rows", "examples", "items", "records", "sentences")  # where a list of rows may be
ROWS_AT_ONCE = 512
OUT_OF_PROPORTION = "expands more than {:,} times, to over {:,} bytes, as no text does"


def json_file_rows(source: Source, limits: ReadLimits, columns: Columns) -> Iterator[Row | Bad]:
    """A row an item of a list of objects or strings, which may stand in an object; or SQuAD's questions."""
    with source.open(limits) as stream:
        raw = read_stream(stream, source.name)
    try:
        whole = msgspec.json.decode(source.in_utf8(raw))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        hint = "; a row a line is the format jsonl" if b"}\n{" in raw[:100_000] else ""
        raise UsageError(f"{source.name}: not JSON: {error}{hint}") from None
    if is_squad(whole):
        return squad_rows(raw, source.name)
    return (
        value_row(number, item, columns) for number, item in enumerate(_items(whole, source), 1)
    )


def _items(whole: object, source: Source) -> Iterable[object]:
    """The list of rows in a JSON file, wherever it is."""
    if isinstance(whole, list):
        return whole
    if not isinstance(whole, dict):
        raise UsageError(
            f"{source.name}: one JSON value, {json_kind(whole)}; a list of rows is needed"
        )
    lists = {key: value for key, value in whole.items() if isinstance(value, list)}
    for key in LISTS:
        if key in lists:
            return lists[key]
    if len(lists) == len(whole) and len({len(value) for value in lists.values()}) == 1:
        return [dict(zip(whole, cells, strict=True)) for cells in zip(*lists.values(), strict=True)]
    if len(lists) == 1:
        return next(iter(lists.values()))
    keys = ", ".join(repr(str(key)[:40]) for key in list(whole)[:12]) or "nothing"
    raise UsageError(
        f"{source.name}: an object with {keys}; a list of objects or strings is needed, alone or under "
        f"{', '.join(LISTS[:3])}, or SQuAD's data, paragraphs, qas; a row a line is the format jsonl"
    )


def promptfoo_rows(source: Source, limits: ReadLimits, columns: Columns) -> Iterator[Row | Bad]:
    """A row a test of a promptfoo configuration: its variables, and the answer that an assertion names."""
    config = read_promptfoo(source.name)
    for number, given in enumerate(config.rows, 1):
        data = dict(given)
        text, label = data.pop(config.text, ""), data.pop("__expected", None)
        context = data.pop(config.context, None) if config.context else None
        yield Row(number, text, context, label, data=data)


def arrow_rows(source: Source, limits: ReadLimits, columns: Columns) -> Iterator[Row | Bad]:
    """A row a row of the Arrow files of a dataset that Hugging Face's `save_to_disk` wrote."""
    pyarrow = _library("pyarrow", f"reading {source.name}", "parquet")

    def batches(raw: IO[bytes]) -> Iterator[tuple[Any, Any]]:
        with seekable(source, raw, limits) as stream, pyarrow.ipc.open_stream(stream) as reader:
            for batch in reader:
                yield batch, reader.schema

    return _batched_rows(source, columns, batches)


def parquet_rows(source: Source, limits: ReadLimits, columns: Columns) -> Iterator[Row | Bad]:
    """A row a row of a Parquet file."""
    _library("pyarrow", f"reading {source.name}", "parquet")
    from pyarrow import parquet

    def batches(raw: IO[bytes]) -> Iterator[tuple[Any, Any]]:
        with seekable(source, raw, limits) as stream:
            file = parquet.ParquetFile(stream)
            _refuse_bomb(source, limits, *_parquet_sizes(file.metadata))
            for batch in file.iter_batches(ROWS_AT_ONCE):
                yield batch, file.schema_arrow

    return _batched_rows(source, columns, batches)


def _batched_rows(
    source: Source, columns: Columns, batches: Callable[[IO[bytes]], Iterator[tuple[Any, Any]]]
) -> Iterator[Row | Bad]:
    """The rows of each batch of each file; what pyarrow says of damage comes as errors of many kinds."""
    number = 0
    for raw in source.streams():
        with raw:
            try:
                for batch, schema in batches(raw):
                    names = class_names(schema.metadata)
                    for cells in batch.to_pylist():
                        number += 1
                        yield chosen_row(number, named(cells, names), columns)
            except (OSError, ValueError, NotImplementedError, OverflowError) as error:
                told = str(error).strip().splitlines()
                raise UsageError(
                    f"{source.name}: cannot be read as {source.format}: {told[0] if told else error!r}"
                ) from None


def excel_rows(source: Source, limits: ReadLimits, columns: Columns) -> Iterator[Row | Bad]:
    """Rows of the first sheet of a workbook that is not empty, by the names in its first row."""
    openpyxl = _library("openpyxl", f"reading {source.name}", "excel")
    with source.raw() as raw, seekable(source, raw, limits) as stream:
        try:
            with zipfile.ZipFile(stream) as packed:
                parts = packed.infolist()
            sizes = sum(part.compress_size for part in parts), sum(part.file_size for part in parts)
            _refuse_bomb(source, limits, *sizes)
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
        except (zipfile.BadZipFile, KeyError, OSError, ValueError) as error:
            raise UsageError(
                f"{source.name}: cannot be read as an Excel workbook (.xlsx): {error}; save it again, or as CSV"
            ) from None
        sheet = next((each for each in book.worksheets if any(each.values)), None)
        if sheet is None:
            raise UsageError(f"{source.name}: every sheet is empty")
        records = (
            TableRecord(number, [_cell(value) for value in cells])
            for number, cells in enumerate(sheet.values, 1)
        )
        yield from table_rows(records, columns, f"{source.name}, sheet {sheet.title!r}")


def seekable(source: Source, raw: IO[bytes], limits: ReadLimits) -> IO[bytes]:
    """A stream in which one can go back, as columns need it; a gzipped one is held in memory."""
    return (
        io.BytesIO(read_stream(source.unpacked(raw, limits), source.name))
        if source.gzipped
        else raw
    )


def class_names(metadata: Mapping[bytes, bytes] | None) -> dict[str, list[str]]:
    """What the numbers of a column are called, where a dataset of Hugging Face says so."""
    try:
        features = json.loads((metadata or {}).get(b"huggingface", b"{}"))["info"]["features"]
        return {
            column: [str(name) for name in feature["names"]]
            for column, feature in features.items()
            if isinstance(feature, dict) and feature.get("_type") == "ClassLabel"
        }
    except (ValueError, KeyError, TypeError):
        return {}


def named(cells: Mapping[str, Any], names: Mapping[str, list[str]]) -> dict[str, Any]:
    """The cells of a row as JSON has them, with the names of classes for their numbers."""
    row = {str(column): as_json(value) for column, value in cells.items()}
    for column, classes in names.items():
        value = row.get(column)
        if type(value) is int and 0 <= value < len(classes):
            row[column] = classes[value]
    return row


def as_json(value: Any) -> Any:
    """A value as JSON can have it: a date becomes text, bytes only say how many they are."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): as_json(held) for key, held in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(held) for held in value]
    if isinstance(value, (bytes, bytearray)):
        return f"{len(value):,} bytes"
    return as_json(value.tolist()) if hasattr(value, "tolist") else str(value)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "" if value is None else str(value)


def _parquet_sizes(metadata: Any) -> tuple[int, int]:
    """Bytes of all columns as they are stored and as they expand."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    chunks = [group.column(number) for group in groups for number in range(group.num_columns)]
    return sum(c.total_compressed_size for c in chunks), sum(
        c.total_uncompressed_size for c in chunks
    )


def _refuse_bomb(source: Source, limits: ReadLimits, stored: int, expanded: int) -> None:
    if expanded > limits.expanded and expanded > limits.expansion * max(stored, 1):
        told = OUT_OF_PROPORTION.format(limits.expansion, limits.expanded)
        raise UsageError(f"{source.name} {told}")


def _library(name: str, needed_for: str, extra: str) -> Any:
    """A package that not everybody needs."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise Missing(name, needed_for, f"pip install 'polyglitch[{extra}]'") from None
