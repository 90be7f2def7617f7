"""Opens a corpus and reads its seeds lazily; what cannot be used is counted with its reason."""

from __future__ import annotations

import hashlib
import logging
import math
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path

from polyglitch.corpus.rows import (
    Bad,
    Columns,
    Row,
    json_rows,
    like_labels,
    listed,
    make_columns,
    no_text,
)
from polyglitch.corpus.source import (
    CHUNK,
    Line,
    ReadLimits,
    Source,
    find_source,
    read_lines,
    sample_language,
    too_long,
)
from polyglitch.corpus.tables import (
    arrow_rows,
    csv_records,
    excel_rows,
    is_question_line,
    json_file_rows,
    parquet_rows,
    promptfoo_rows,
    question_rows,
    table_rows,
    tsv_records,
)
from polyglitch.corpus.translation_files import po_rows, treebank_rows, xml_rows
from polyglitch.errors import UsageError
from polyglitch.records import Input, Seed, digest

log = logging.getLogger(__name__)
# A label before the text, as fastText has it.
FASTTEXT = re.compile(r"__label__(\S+)\s+(.+)", re.DOTALL)

WHOLE: dict[str, Callable[[Source, ReadLimits, Columns], Iterator[Row | Bad]]] = {
    "json": json_file_rows,
    "arrow": arrow_rows,
    "parquet": parquet_rows,
    "xlsx": excel_rows,
    "promptfoo": promptfoo_rows,
}
BY_LINE: dict[str, Callable[[Iterator[Line], Columns], Iterator[Row | Bad]]] = {
    "jsonl": json_rows,
    "po": po_rows,
    "conllu": treebank_rows,
}
BY_LINES = ("txt", "csv", "tsv", "jsonl")  # their rows say on which line they begin
COUNTED = 2000  # seeds are read to be counted; of more it is enough to know about how many
LOOKED_AT = 20  # rows among which one must have a text
LONGEST_ID = 64  # characters, as a store keeps them
HEAD = 1 << 24  # bytes: more than most corpora have, and read in a tenth of a second
EXAMPLES = 3  # a reason is understood by then, and a file of a million bad rows stays readable


@dataclass(frozen=True)
class Skipped:
    """Rows left out for one reason: how many, and the first few with file and line."""

    reason: str
    count: int
    examples: tuple[str, ...]


class Corpus:
    """The seeds of a source. May be iterated again: each time it is read from the start."""

    def __init__(
        self,
        source: Source,
        columns: Columns,
        language: str | None,
        limits: ReadLimits,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.name, self.language = source.name, language
        self._source, self._columns, self._limits = source, columns, limits
        self._variables = dict(variables or {})
        self._skipped: dict[str, Skipped] = {}
        self._advised = False  # on an encoding, once

    def __iter__(self) -> Iterator[Seed]:
        skipped = self._skipped = {}
        names = _Names()
        for row in self._rows():
            good = row if isinstance(row, Bad) else _checked(row, self._limits)
            values = good if isinstance(good, Bad) else self._values(good)
            if isinstance(values, Bad):
                self._count(skipped, values)
                continue
            if isinstance(good, Bad):
                continue
            name = names.give(good, values)
            if isinstance(name, Bad):
                self._count(skipped, name)
                continue
            # An id that could not be used is still worth having.
            spare = {"id": good.id} if good.id and good.id != name else {}
            named = (good.text, good.context, good.title, self.language)
            text = Input(*named, turns=good.turns, values=values)
            origin = f"{self.name}:{good.line}"
            yield Seed(name, text, good.label, origin, {**good.data, **spare})

    def _values(self, row: Row) -> dict[str, str] | Bad:
        """What a row has for the variables of the prompt; one without a value of its own must be there."""
        found: dict[str, str] = {}
        for name, usual in self._variables.items():
            value = row.data.get(name)
            if isinstance(value, (int, float, str)) and str(value).strip():
                found[name] = str(value)
            elif not usual:
                return Bad(row.line, "no variable", f"no {name!r}; there are {listed(row.data)}")
        return found

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """What the latest reading left out so far, the most frequent reason first."""
        return tuple(sorted(self._skipped.values(), key=lambda each: -each.count))

    def digest(self, limited: bool = False) -> str:
        """A name for the content and the way it is read: the same means the same seeds.

        Of a large file from which only some seeds are taken the first `HEAD` bytes count, with its size and the time
        of its last change: what lies beyond cannot change without one of these.
        """
        state = hashlib.blake2b(digest_size=16)
        for stream in self._source.streams():
            with stream:
                left = HEAD if limited else math.inf
                while left > 0 and (chunk := stream.read(CHUNK)):
                    state.update(chunk)
                    left -= len(chunk)
                if left <= 0:
                    about = os.fstat(stream.fileno())
                    state.update(f"{about.st_size} {about.st_mtime_ns}".encode())
        options = (self._source.format, self._source.gzipped, self._limits, self._columns)
        read = [repr(sorted(self._variables))] if self._variables else []
        return digest(
            [state.hexdigest(), *map(repr, options), self._source.encoding, self.language, *read]
        )

    def count(self, limit: int | None = None) -> int:
        """How many seeds there are: of a large file of lines about so many, by its lines and its first seeds."""
        source, last, found = self._source, "", 0
        countable = source.format in BY_LINES and not source.gzipped
        most = COUNTED if countable else None
        for found, seed in enumerate(islice(iter(self), limit), 1):
            if found == most:
                last = seed.origin
                break
        if not last:
            return found
        lines = 0
        for stream in source.streams():
            with stream:
                while chunk := stream.read(CHUNK):
                    lines += chunk.count(b"\n")
        guess = round(found * max(1.0, lines / int(last.rpartition(":")[2])))
        return guess if limit is None else min(guess, limit)

    def _rows(self) -> Iterator[Row | Bad]:
        source, limits, columns = self._source, self._limits, self._columns
        if source.format in WHOLE:
            return WHOLE[source.format](source, limits, columns)
        if source.format in ("tmx", "xliff"):
            return xml_rows(source, limits, columns, self.language)
        lines = read_lines(source, limits)
        if source.format == "txt":
            return sentence_rows(lines)
        if source.format in BY_LINE:
            return BY_LINE[source.format](lines, columns)
        if source.format == "tsv":
            first = next(lines, None)
            lines = chain([] if first is None else [first], lines)
            if is_question_line(first):  # no header: the layout of BoolQ, as QAQA publishes it
                return question_rows(lines)
        records = csv_records if source.format == "csv" else tsv_records
        return table_rows(records(lines), columns, self.name)

    def check(self) -> None:
        """Refuse at once what cannot be read, or has no text where one is looked for."""
        rows = list(islice(self._rows(), LOOKED_AT))
        bad = [row for row in rows if isinstance(row, Bad)]
        wrong = [row for row in bad if row.reason in ("no text", "no such field")]
        if wrong and len(wrong) == len(rows):
            where, found = f"{self.name}:{wrong[0].line}", wrong[0].detail
            asked = wrong[0].reason == "no such field"
            raise UsageError(
                f"{where}: {found}" if asked else no_text(where, found.rpartition("; ")[2])
            )
        good = [row for row in rows if isinstance(row, Row)]
        unlabelled = any(row.data for row in good) and not any(row.label for row in good)
        if unlabelled and (column := like_labels(good)):
            log.warning(
                "%s has no column that is known as label, and %r looks like one: if it is, name it with "
                "--field label=%s (in Python, fields={'label': %r})",
                Path(self.name).name,
                column,
                column,
                column,
            )

    def _count(self, skipped: dict[str, Skipped], bad: Bad) -> None:
        known = skipped.get(bad.reason, Skipped(bad.reason, 0, ()))
        examples = known.examples
        if len(examples) < EXAMPLES:
            examples += (f"{self.name}:{bad.line}: {bad.detail or bad.reason}",)
        if bad.reason == "not UTF-8" and not self._advised:
            self._advised = True
            log.warning("%s:%s is not UTF-8 and is left out: %s", self.name, bad.line, bad.detail)
        skipped[bad.reason] = replace(known, count=known.count + 1, examples=examples)


class _Names:
    """Names for the rows of one reading. Only digests are held, whatever the size of the rows."""

    def __init__(self) -> None:
        self._lines: dict[str, int] = {}  # digest of the content, to the line that had it first
        self._given: set[str] = set()  # digests of the ids in use

    def give(self, row: Row, values: Mapping[str, str]) -> str | Bad:
        """The row's own id if it is free, else a digest of what it says; not for a duplicate."""
        more = [f"{turn.role}: {turn.text}" for turn in row.turns]
        content = digest([row.text, row.context, *more, *values.values()])
        # The same text may be a test of two capabilities; the first of them has the plain name.
        capability = str(row.data.get("capability") or "")
        whole = digest([content, capability]) if capability else content
        first = self._lines.setdefault(whole, row.line)
        if first != row.line:
            return Bad(row.line, "duplicate", f"duplicate of line {first}")
        if self._lines.setdefault(content, row.line) != row.line:
            content = whole
        usable = row.id and len(row.id) <= LONGEST_ID and row.id.isprintable()
        if row.id and usable and row.id not in self._lines:
            key = digest([row.id])
            if key not in self._given:
                self._given.add(key)
                return row.id
        taken = self._given and digest([content]) in self._given
        return digest([content, row.id]) if taken else content


def open_corpus(
    source: str,
    *,
    text: str | None = None,
    label: str | None = None,
    context: str | None = None,
    fields: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    language: str | None = None,
    limits: ReadLimits | None = None,
    variables: Mapping[str, str] | None = None,
) -> Corpus:
    """The corpus at a path, on standard input (`-`) or bundled (`sample`), checked at once.

    `fields` says which column holds which field (`{"text": "review", "label": "stars"}`); `text`, `label` and
    `context` do so one by one. `variables` are a prompt's, with the value that each has where a row gives none.
    """
    limits = limits or ReadLimits()
    named = fields or text or label or context
    columns = make_columns(fields or {}, text=text, label=label, context=context) if named else None
    found = find_source(source, format, encoding)
    if found.format == "txt" and columns:
        role, name = next(iter(columns.asked().items()))
        raise UsageError(
            f"{role} column {name!r}: {found.name} is read as plain sentences, without columns; "
            "leave it out, or give the format, such as --format csv"
        )
    if source == "sample" or source.startswith("sample:"):
        language = language or sample_language(source)
    corpus = Corpus(found, columns or Columns(), language, limits, variables)
    corpus.check()  # a missing column or bad compression shows before anything is run
    return corpus


def _checked(row: Row, limits: ReadLimits) -> Row | Bad:
    """The row, or what makes it useless as a test input."""
    if not row.text.strip():
        return Bad(row.line, "empty")
    if len(row.text) > limits.text:
        return Bad(row.line, too_long(limits), f"{len(row.text):,} characters")
    for role, value, allowed in (
        ("text", row.text, "\t\r\n"),  # a review or a message has paragraphs, as a passage has
        ("context", row.context or "", "\t\r\n"),
        ("title", row.title or "", "\t"),
        *(("chat", turn.text, "\t\r\n") for turn in row.turns),
    ):
        if (control := _control(value, allowed)) is not None:
            return Bad(row.line, "control character", f"U+{ord(control):04X} in the {role}")
    if not any(character.isalpha() for character in row.text):
        return Bad(row.line, "no letters", f"{row.text[:40]!r}")
    return row


def _control(text: str, allowed: str) -> str | None:
    """The first control character that is not allowed."""
    if text.isprintable():
        return None
    return next((c for c in text if unicodedata.category(c) == "Cc" and c not in allowed), None)


def sentence_rows(lines: Iterable[Line]) -> Iterator[Row | Bad]:
    """A row a line."""
    for line in lines:
        if line.problem:
            yield Bad(line.number, line.problem, line.detail)
        elif labelled := FASTTEXT.match(line.text):
            yield Row(line.number, labelled[2], label=labelled[1])
        else:
            yield Row(line.number, line.text)
