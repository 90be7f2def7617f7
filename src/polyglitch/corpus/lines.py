"""Lines of a source, decoded one by one, so that one bad line costs itself and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from polyglitch.corpus.encodings import CHUNK, advice
from polyglitch.corpus.source import BOM, ReadLimits, Source
from polyglitch.errors import UsageError
from polyglitch.files.gzip import BROKEN, cause


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
            if not whole:
                yield _too_long(number, source, limits)
            else:
                yield _decode(number, raw, source.encoding)


def _decode(number: int, raw: bytes, encoding: str | None) -> Line:
    """The text of one line."""
    utf16 = number == 1 and raw[:2] in (b"\xff\xfe", b"\xfe\xff")
    if number == 1:
        raw = raw.removeprefix(BOM)
    raw = raw.removesuffix(b"\n").removesuffix(b"\r")
    try:
        return Line(number, raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        detail = f"byte {error.start + 1} is 0x{raw[error.start]:02x}"
        hint = "" if encoding else advice(raw, error.start, utf16)
        return Line(number, "", f"not {encoding or 'UTF-8'}", detail + hint)


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
