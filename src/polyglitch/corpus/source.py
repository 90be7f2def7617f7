"""Lines of a source, decoded one by one, so that one bad line costs itself and nothing else.

Where the bytes of a corpus come from: a file, a pipe or the bundled sample, gzipped or not.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import IO

from polyglitch.errors import UsageError
from polyglitch.files.gzip import BROKEN, GROWTH, Growth, cause, gunzipped
from polyglitch.registry import suggest

CHUNK = 1 << 16
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end, or what is wrong with it."""

    number: int
    text: str
    problem: str = ""
    detail: str = ""


def read_lines(source: Source, limits: ReadLimits) -> Iterator[Line]:
    """Every line of the source in order. Only a line feed ends one, never U+2028 and its like."""
    # A line of sentences needs no more bytes than its longest sentence; UTF-8 takes at most 4 each.
    longest = 4 * limits.text + len(BOM) + 2 if source.format == "txt" else limits.line
    number = 0
    with source.open(limits) as stream:
        while True:
            try:
                raw = stream.readline(longest + 1)
                whole = len(raw) <= longest or raw.endswith(b"\n")
                part = raw
                while not whole and part and not part.endswith(b"\n"):
                    part = stream.readline(CHUNK)
            except BROKEN as error:
                raise _broken(source, number + 1, error) from None
            if not raw:
                return
            number += 1
            yield _decode(number, raw) if whole else _too_long(number, source, limits)


def _decode(number: int, raw: bytes) -> Line:
    """The text of one line."""
    utf16 = number == 1 and raw[:2] in (b"\xff\xfe", b"\xfe\xff")
    if number == 1:
        raw = raw.removeprefix(BOM)
    raw = raw.removesuffix(b"\n").removesuffix(b"\r")
    try:
        return Line(number, raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        detail = f"byte {error.start + 1} is 0x{raw[error.start]:02x}"
        if utf16:
            detail += "; the file looks like UTF-16: save it as UTF-8"
        return Line(number, "", "not UTF-8", detail)


def _too_long(number: int, source: Source, limits: ReadLimits) -> Line:
    """A line that was passed over without keeping it."""
    if source.format == "txt":
        return Line(number, "", too_long(limits))
    return Line(number, "", f"line longer than {limits.line:,} bytes")


def too_long(limits: ReadLimits) -> str:
    """Why a text is not taken, for every format the same."""
    return f"longer than {limits.text:,} characters"


def _broken(source: Source, line: int, error: Exception) -> UsageError:
    """What to tell of bytes that cannot be read to the end."""
    if not source.gzipped:
        return UsageError(f"{source.name}:{line}: cannot be read: {error}; check the file")
    return UsageError(
        f"{source.name}:{line}: {cause(error)}; test it with `gzip -t` and fetch or compress it again"
    )


FORMATS = ("txt", "csv", "tsv", "jsonl", "json")
SAMPLES = {
    "sample": "news.en.txt",
    "sample:qa": "qa.en.jsonl",
    "sample:logic": "logic.en.txt",
    "sample:pt": "sentiment.pt.jsonl",
}


@dataclass(frozen=True)
class ReadLimits:
    """How much is taken at face value; what goes beyond is skipped and counted, or refused."""

    text: int = 10_000  # characters; no translator or classifier is meant for longer sentences
    line: int = 1_000_000  # bytes of one line of a table: a passage with its question fits easily
    expansion: int = GROWTH.expansion
    expanded: int = GROWTH.expanded


@dataclass(frozen=True)
class Source:
    """Bytes that can be opened again and again, and how to read them."""

    name: str
    format: str
    gzipped: bool
    reopen: Callable[[], IO[bytes]]

    def raw(self) -> IO[bytes]:
        """The bytes as they are stored."""
        try:
            return self.reopen()
        except OSError as error:
            raise UsageError(
                f"{self.name} cannot be opened: {error.strerror}; check its name and permissions"
            ) from None

    def open(self, limits: ReadLimits) -> IO[bytes]:
        """The bytes of the text, decompressed while they are read."""
        raw = self.raw()
        if not self.gzipped:
            return raw
        return gunzipped(self.name, raw, Growth(limits.expansion, limits.expanded))


def find_source(source: str, format: str | None) -> Source:
    """What `source` stands for: a bundled sample, `-` for standard input, or the path of a file."""
    if source in SAMPLES:
        sample = files("polyglitch").joinpath("resources", "sample", SAMPLES[source])
        return Source(source, sample.name.rpartition(".")[2], False, lambda: sample.open("rb"))
    if source.startswith("sample:"):
        raise UsageError(f"no bundled corpus is called {source!r}{suggest(source, tuple(SAMPLES))}")
    if source == "-":
        kind, gzipped = _known(format or "txt")
        return Source("<stdin>", kind, gzipped, _spooled(sys.stdin.buffer))
    path = Path(source)
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        cause = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(
            f"corpus {source!r} cannot be read: {cause}; "
            "give the path of a file, `-` for standard input, or `sample` for the bundled sentences"
        ) from None
    if stat.S_ISDIR(mode):
        raise UsageError(f"corpus {source!r} is a folder; give one of the files in it")
    kind, gzipped = _known(format) if format else _by_extension(path)
    gzipped = gzipped or path.suffix.lower() == ".gz"
    if stat.S_ISREG(mode):
        return Source(source, kind, gzipped, lambda: path.open("rb"))
    if not stat.S_ISFIFO(mode):
        raise UsageError(f"corpus {source!r} is neither a file nor a pipe; give one of these")
    with path.open("rb") as pipe:
        return Source(source, kind, gzipped, _spooled(pipe))


def sample_language(source: str) -> str:
    """The language of a bundled corpus, as its file is named: news.en.txt."""
    return SAMPLES[source].split(".")[1]


def _by_extension(path: Path) -> tuple[str, bool]:
    """Format and compression as the name of a file tells them."""
    suffixes = [suffix.lower().removeprefix(".") for suffix in path.suffixes]
    gzipped = suffixes[-1:] == ["gz"]
    named = (suffixes[:-1] if gzipped else suffixes)[-1:]
    if named and named[0] in FORMATS:
        return named[0], gzipped
    shown = f"the extension {'.' + named[0]!r}" if named else "no extension"
    raise UsageError(
        f"corpus {str(path)!r} has {shown}, which does not tell its format; rename it to one of "
        f"{', '.join('.' + known for known in FORMATS)} (also with .gz), or give the format"
    )


def _known(format: str) -> tuple[str, bool]:
    """A format given by name, with `.gz` for compressed."""
    name = format.lower().removeprefix(".")
    kind = name.removesuffix(".gz")
    if kind not in FORMATS:
        raise UsageError(f"no corpus format is called {format!r}{suggest(kind, FORMATS)}")
    return kind, name.endswith(".gz")


def _spooled(stream: IO[bytes]) -> Callable[[], IO[bytes]]:
    """Keep what can be read only once in a temporary file, for as long as the result is held."""
    with tempfile.NamedTemporaryFile(prefix="polyglitch-", delete=False) as spool:
        shutil.copyfileobj(stream, spool)
    name = spool.name

    def reopen() -> IO[bytes]:
        return open(name, "rb")

    weakref.finalize(reopen, os.unlink, name)
    return reopen
