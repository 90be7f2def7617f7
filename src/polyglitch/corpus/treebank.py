"""Rows of Universal Dependencies: the sentences of a CoNLL-U file as raw text has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from polyglitch.corpus.lines import Line
from polyglitch.corpus.rows import Bad, Columns, Row, chosen_row


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
