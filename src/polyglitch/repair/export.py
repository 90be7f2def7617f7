"""Corrected outputs and agreed ones as files that other tools train on: JSONL, TSV, TMX."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import msgspec

from polyglitch import __version__
from polyglitch.errors import UsageError
from polyglitch.registry import suggest

Languages = tuple[str | None, str | None]


class Row(msgspec.Struct, frozen=True, omit_defaults=True):
    """A source with the output it should have, and what it is known by."""

    source: str
    target: str
    before: str = ""  # what the system said, where that was wrong
    origin: str = ""  # the issue or seed it comes from


def write_rows(path: Path, rows: Iterable[Row], languages: Languages) -> int:
    """Write rows in the format that the extension names; how many there are. Each source comes once."""
    extension = path.suffix.lower()
    if extension not in FORMATS:
        raise UsageError(
            f"cannot export to {str(path)!r}: no format has the extension {extension!r}"
            f"{suggest(extension, tuple(FORMATS))}"
        )
    once = list({row.source: row for row in rows}.values())
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(FORMATS[extension](once, languages))
    return len(once)


def jsonl(rows: Iterable[Row], languages: Languages) -> Iterator[str]:
    """A line a row, with the keys that `datasets` and `replay:` read."""
    for row in rows:
        yield json.dumps(msgspec.to_builtins(row), ensure_ascii=False) + "\n"


def tsv(rows: Iterable[Row], languages: Languages) -> Iterator[str]:
    """Source and target, a tab between; tabs and line ends inside become blanks."""
    for row in rows:
        yield "\t".join(" ".join(text.split()) for text in (row.source, row.target)) + "\n"


def tmx(rows: Iterable[Row], languages: Languages) -> Iterator[str]:
    """A translation memory, TMX 1.4, as translation tools import it."""
    source, target = (language or "und" for language in languages)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
    yield (
        f'<header creationtool="polyglitch" creationtoolversion={quoteattr(__version__)} datatype="plaintext" '
        f'segtype="sentence" adminlang="en" srclang={quoteattr(source)} o-tmf="polyglitch"/>\n<body>\n'
    )
    for row in rows:
        pairs = ((source, row.source), (target, row.target))
        told = "".join(
            f"<tuv xml:lang={quoteattr(language)}><seg>{escape(text)}</seg></tuv>"
            for language, text in pairs
        )
        yield f"<tu>{told}</tu>\n"
    yield "</body>\n</tmx>\n"


FORMATS: dict[str, Callable[[Iterable[Row], Languages], Iterator[str]]] = {
    ".jsonl": jsonl,
    ".tsv": tsv,
    ".tmx": tmx,
}
