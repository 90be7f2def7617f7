"""Rows of files with a grammar of their own: TMX and XLIFF, read as a stream by a parser that expands no entity;
gettext's PO; sentences of Universal Dependencies in CoNLL-U, as raw text has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from xml.parsers import expat

from polyglitch.corpus.rows import Bad, Columns, Row, chosen_row
from polyglitch.corpus.source import CHUNK, Line, ReadLimits, Source
from polyglitch.errors import UsageError
from polyglitch.files.foreign import BROKEN, cause

DEEPEST = 200  # elements inside one another; files of the field have a dozen
CODES = {"bpt", "ept", "ph", "it", "ut"}  # what these hold is markup of another program, not text
UNITS = {"tu", "trans-unit", "segment"}  # a row each, in TMX, XLIFF 1.2 and XLIFF 2
ELSEWHERE = {
    "alt-trans",
    "matches",
    "seg-source",
    "ignorable",
}  # other people's translations, pieces
CELLS = {"seg", "source", "target", "note"}
QUOTED = re.compile(r'\A[^"]*"((?:[^"\\]|\\.)*+)"\s*\Z')
ESCAPED = re.compile(r"\\(.)")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


@dataclass
class _Unit:
    """What was read of one unit so far."""

    line: int
    cells: dict[str, str] = field(default_factory=dict)
    bad: str = ""


class _UnitReader:
    """Handlers of one file; finished units wait in `rows`."""

    def __init__(self, source: Source, limits: ReadLimits, language: str | None) -> None:
        self.rows: list[_Unit] = []
        self._source, self._limits, self._wanted = source, limits, (language or "").lower()
        self._path: list[str] = []
        self._unit: _Unit | None = None
        self._outer = ""  # the id of the unit around an XLIFF 2 segment
        self._language = self._original = ""
        self._text: list[str] | None = None
        self._size = 0
        self.parser = parser = expat.ParserCreate(source.encoding, namespace_separator=None)
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler, parser.EntityDeclHandler = self._data, self._entity

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        self._path.append(name)
        if len(self._path) == 1 and name not in ("tmx", "xliff"):
            raise UsageError(
                f"{self._source.name}: the XML of <{name[:40]}>; TMX and XLIFF can be read (.tmx .xlf .xliff)"
            )
        if len(self._path) > DEEPEST:
            raise UsageError(f"{self._source.name}: elements are nested more than {DEEPEST} deep")
        self._original = attributes.get("srclang", self._original)
        if name == "unit":
            self._outer = attributes.get("id", "")
        elif name in UNITS:
            self._unit = _Unit(self.parser.CurrentLineNumber)
            own = attributes.get("tuid") or attributes.get("id") or ""
            number = "/".join(part for part in (self._outer, own) if part)
            if number:
                self._unit.cells["id"] = number
            if attributes.get("translate") == "no":
                self._unit.bad = "marked as not to be translated"
        elif name == "tuv":
            self._language = (attributes.get("xml:lang") or attributes.get("lang") or "").lower()
        elif name in CELLS and self._unit and not ELSEWHERE & set(self._path):
            self._text, self._size = [], 0

    def _end(self, tag: str) -> None:
        name = self._path.pop()
        if name in CELLS and self._text is not None and self._unit:
            text, self._text = "".join(self._text), None
            key = self._language or "source" if name == "seg" else name
            self._unit.cells.setdefault(key, text)
        elif name in UNITS and self._unit:
            self._name_source(self._unit.cells)
            self.rows.append(self._unit)
            self._unit = None
        elif name == "unit":
            self._outer = ""

    def _data(self, data: str) -> None:
        if self._text is None or self._unit is None or CODES & set(self._path[-4:]):
            return
        self._size += len(data)
        if self._size > self._limits.line:
            self._unit.bad = f"text longer than {self._limits.line:,} characters"
        else:
            self._text.append(data)

    def _entity(self, name: str, *_: object) -> None:
        raise UsageError(
            f"{self._source.name}:{self.parser.CurrentLineNumber}: declares the entity {name[:40]!r}; "
            "files that do are not read, since an entity can stand for anything"
        )

    def _name_source(self, cells: dict[str, str]) -> None:
        """A translation memory has a text a language: the campaign's, or the one it was made from, is the source."""
        if "source" in cells:
            return
        for wanted in (self._wanted, self._original.lower()):
            for language in cells:
                if wanted and language.partition("-")[0] == wanted.partition("-")[0]:
                    cells["source"] = cells[language]
                    return


def xml_rows(
    source: Source, limits: ReadLimits, columns: Columns, language: str | None
) -> Iterator[Row | Bad]:
    """A row a unit of a TMX or XLIFF file: cells `source`, `target`, `note`, `id`, or a cell a language."""
    reader = _UnitReader(source, limits, language)
    with source.open(limits) as stream:
        while True:
            try:
                chunk = stream.read(CHUNK)
                reader.parser.Parse(chunk, not chunk)
            except BROKEN as error:
                raise UsageError(f"{source.name}: cannot be read: {cause(error)}") from None
            except (expat.ExpatError, LookupError) as error:
                raise UsageError(f"{source.name}: not well-formed XML: {error}") from None
            for unit in reader.rows:
                yield (
                    Bad(unit.line, unit.bad)
                    if unit.bad
                    else chosen_row(unit.line, unit.cells, columns)
                )
            reader.rows.clear()
            if not chunk:
                return


def po_rows(lines: Iterable[Line], columns: Columns) -> Iterator[Row | Bad]:
    """A row a message of gettext: cells `msgid`, `msgstr`, `msgctxt`, `msgid_plural`, `flags`."""
    entry: dict[str, str] = {}
    start, key = 0, ""
    for line in lines:
        text = line.text.strip()
        if line.problem:
            yield Bad(line.number, line.problem, line.detail)
        elif text.startswith("#~"):
            yield Bad(line.number, "obsolete message")
        elif text.startswith("#,"):
            yield from _message(entry, start, columns)
            entry, key = {"flags": text[2:].strip()}, ""
        elif not text or text.startswith("#"):
            if key:
                yield from _message(entry, start, columns)
                entry, key = {}, ""
        else:
            word = text.partition(" ")[0] if not text.startswith('"') else ""
            if word and (word == "msgctxt" or word == "msgid") and ("msgid" in entry):
                yield from _message(entry, start, columns)
                entry = {}
            value = QUOTED.search(text)
            key = word or key
            if value is None or not key.startswith("msg"):
                yield Bad(line.number, "no line of a PO file", f"{text[:40]!r}")
                continue
            start = line.number if key == "msgid" and word else start
            entry[key] = entry.get(key, "") + ESCAPED.sub(_unescaped, value[1])
    yield from _message(entry, start, columns)


def _unescaped(match: re.Match[str]) -> str:
    return ESCAPES.get(match[1], match[1])


def _message(entry: dict[str, str], line: int, columns: Columns) -> Iterator[Row | Bad]:
    """One finished message; the empty one at the top is the file's header."""
    if entry.get("msgid"):
        yield chosen_row(line, entry, columns)


def treebank_rows(lines: Iterable[Line], columns: Columns) -> Iterator[Row | Bad]:
    """A row a sentence of CoNLL-U: its `text`, or its words put together, and what its comments say."""
    cells: dict[str, str] = {}
    words: list[str] = []
    start, covered = 0, 0
    for line in chain(lines, [Line(0, "")]):
        text = line.text.strip()
        if line.problem:
            yield Bad(line.number, line.problem, line.detail)
        elif not text:
            if words or "text" in cells:
                cells.setdefault("text", "".join(words).strip())
                yield chosen_row(start, cells, columns)
            cells, words, start, covered = {}, [], 0, 0
        elif text.startswith("#"):
            start = start or line.number
            name, equals, value = text[1:].partition("=")
            if equals:
                cells[name.strip()] = value.strip()
        else:
            start = start or line.number
            row = line.text.split("\t")
            if len(row) != 10:
                yield Bad(line.number, "no row of CoNLL-U", f"{len(row)} columns instead of 10")
                continue
            first, dash, last = row[0].partition("-")
            if "." in first or (first.isdigit() and not dash and int(first) <= covered):
                continue  # an empty node, or a part of a contraction that stands in the text as one
            covered = int(last) if dash and last.isdigit() else covered
            words.append(row[1] + ("" if "SpaceAfter=No" in row[9] else " "))
