"""Text and files that somebody else made: a system's answer, a program's last words, what a service says of an error; a
file that may be gzipped and may be meant to harm: none is let grow out of proportion, none is a traceback.

`Foreign` is no `str`, so mypy keeps it from terminals, errors, logs, tables and code hosts; each of those takes it
through the function here that makes it harmless there. What is compared or escaped by a template asks for `raw`.
"""

from __future__ import annotations

import gzip
import io
import re
import unicodedata
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, NewType

from polyglitch.errors import UsageError

LONGEST_LINE = 300  # characters of foreign text in a message: enough to tell, too few to flood

Cell = NewType("Cell", str)  # harmless in a spreadsheet
Plain = NewType("Plain", str)  # harmless where a host draws links and hides what it hides

# What makes a spreadsheet take a text for a formula; the full-width forms do in some locales.
FORMULA = "[=+\\-@＝＋－＠]"
STARTS_FORMULA = re.compile(rf"\A(?:[\t\r\n]|[ \u00a0\"']*{FORMULA})")
# Where a table is cut at semicolons, tabs or ends of lines, what follows one starts a cell of its own.
LATER_FORMULA = re.compile(rf"([;\t\r\n][ \u00a0\"']*)(?={FORMULA})")
# SARIF reads [text](target) as a link, and hosts link addresses wherever they stand.
BRACKETS = re.compile(r"[\\\[\]]")
ADDRESS = re.compile(r":(?=//)|(?<=www)\.", re.IGNORECASE)


class Foreign:
    """Somebody else's text; formatted into a message it is one harmless line."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    @property
    def raw(self) -> str:
        """The text as it came, to compare it or to hand it to what escapes it."""
        return self._text

    def line(self, most: int = LONGEST_LINE) -> str:
        """One line for a terminal, an error or a log."""
        return one_line(self._text, most)

    __str__ = line

    def cell(self) -> Cell:
        """For a table that a spreadsheet opens."""
        return cell(self._text)

    def plain(self) -> Plain:
        """For the page of a code host."""
        return plain(self._text)

    def __repr__(self) -> str:
        return f"Foreign({self.line()!r})"

    def __bool__(self) -> bool:
        return bool(self._text)


def one_line(text: str, most: int = LONGEST_LINE) -> str:
    """Text on one line of at most so many characters, nothing in it hidden."""
    shown = spelled_out(" ".join(text[: 4 * most].split()))
    whole = len(shown) <= most and len(text) <= 4 * most
    return shown if whole else f"{shown[: most - 3]}..."


def cell(text: str) -> Cell:
    """Text that no spreadsheet runs, whether it cuts a row at commas, semicolons or tabs."""
    start = "'" if STARTS_FORMULA.match(text) else ""
    return Cell(start + LATER_FORMULA.sub(r"\1'", text))


def plain(text: str) -> Plain:
    """Text in which a host finds no link and nothing is hidden; a link's colon stands in brackets."""
    shown = BRACKETS.sub(r"\\\g<0>", spelled_out(text))
    return Plain(ADDRESS.sub(r"(\g<0>)", shown))


# Blank, yet letters, marks or symbols by their category: Hangul fillers, joiner, Braille blank.
BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
JOINERS = frozenset("\u200c\u200d")
# Control, format, surrogate, private use, unassigned; line and paragraph separators.
HIDDEN_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
# Cyrillic and Greek letters that look like Latin ones.
LOOK_ALIKE = frozenset("асԁеһіјорԛѕԝхуАВСЕНІЈКМОРЅТХοανρΑΒΕΖΗΙΚΜΝΟΡΤΥΧ")
# From Arabic on, joiners spell words (Persian, Hindi) and build emoji; before it, they only hide.
FIRST_JOINING = "\u0600"


@lru_cache(maxsize=4096)
def is_hidden(char: str) -> bool:
    """Whether a character cannot be seen, or changes how others are seen."""
    if char in "\n\t":
        return False
    if char in BLANK or "\ufe00" <= char <= "\ufe0e" or "\U000e0000" <= char <= "\U000e0fff":
        return True
    return unicodedata.category(char) in HIDDEN_CATEGORIES


def hidden_places(text: str) -> Iterator[int]:
    """Where a text hides something: joiners that do their duty are left alone, a false letter in a word is not."""
    if text.isascii() and text.isprintable():
        return
    for place, char in enumerate(text):
        unseen = is_hidden(char) and not (char in JOINERS and joins(text, place))
        if unseen or (char in LOOK_ALIKE and beside_latin(text, place)):
            yield place


def beside_latin(text: str, place: int) -> bool:
    """Whether a letter of another script stands beside a Latin one, for which a reader takes it, too."""
    around = text[max(place - 1, 0) : place] + text[place + 1 : place + 2]
    return any(char.isascii() and char.isalpha() for char in around)


def joins(text: str, place: int) -> bool:
    """Whether a joiner stands between two characters of a script that needs it."""
    around = text[max(place - 1, 0) : place] + text[place + 1 : place + 2]
    return len(around) == 2 and all(c >= FIRST_JOINING and not is_hidden(c) for c in around)


def code_point(char: str) -> str:
    """A hidden character in writing, as `⟨U+202E⟩`."""
    return f"⟨U+{ord(char):04X}⟩"


def split_hidden(text: str) -> Iterator[tuple[str, bool]]:
    """The text in order, as runs that are fit to be seen and single characters that are not."""
    start = 0
    for place in hidden_places(text):
        if place > start:
            yield text[start:place], False
        yield text[place], True
        start = place + 1
    if start < len(text):
        yield text[start:], False


def spelled_out(text: str) -> str:
    """The text with every hidden character in writing."""
    return "".join(code_point(run) if hidden else run for run, hidden in split_hidden(text))


BROKEN = (EOFError, OSError, zlib.error)  # what a damaged gzip file raises while it is read


@dataclass(frozen=True)
class Growth:
    """How far a file may expand; what goes beyond is refused."""

    # Deflate reaches 1032 at most, and only on endless repetition: above 1000 it is no text.
    expansion: int = 1_000
    expanded: int = 100_000_000  # bytes; below this a high ratio does no harm
    whole: int = 300_000_000  # bytes of a file that has to be held in memory as a whole


GROWTH = Growth()


class Gunzip(io.RawIOBase):
    """Decompresses a stream and refuses one that grows out of all proportion."""

    def __init__(self, name: str, raw: IO[bytes], growth: Growth = GROWTH) -> None:
        self._name, self._raw, self._growth = name, raw, growth
        self._text = gzip.GzipFile(fileobj=raw, mode="rb")
        self._expanded = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        count = self._text.readinto(buffer)
        self._expanded += count
        growth = self._growth
        ratio = self._expanded / max(1, self._raw.tell())
        if self._expanded > growth.expanded and ratio > growth.expansion:
            raise UsageError(
                f"{self._name} expands more than {growth.expansion:,} times, to over "
                f"{growth.expanded:,} bytes, as no text does; "
                "decompress it yourself if it is what you want"
            )
        return count

    def close(self) -> None:
        self._text.close()
        self._raw.close()
        super().close()


def gunzipped(name: str, raw: IO[bytes], growth: Growth = GROWTH) -> IO[bytes]:
    """The bytes of a gzipped stream, decompressed while they are read."""
    return io.BufferedReader(Gunzip(name, raw, growth), 1 << 16)


def read_whole(path: Path, growth: Growth = GROWTH) -> bytes:
    """All bytes of a file, decompressed if it is gzipped; refused when that is more than memory should hold."""
    try:
        with path.open("rb") as plain:
            zipped = plain.read(2) == b"\x1f\x8b"
            plain.seek(0)
            stream = gunzipped(str(path), plain, growth) if zipped else plain
            return read_stream(stream, str(path), growth)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {cause(error)}") from None


def read_stream(stream: IO[bytes], name: str, growth: Growth = GROWTH) -> bytes:
    """All bytes of a stream, refused when that is more than memory should hold."""
    raw = bytearray()
    try:
        while chunk := stream.read(
            1 << 20
        ):  # asked for at once, all of the limit would be allocated
            raw += chunk
            if len(raw) > growth.whole:
                raise UsageError(
                    f"{name}: more than {growth.whole:,} bytes, too much to read at once; split it"
                )
    except BROKEN as error:
        raise UsageError(f"{name}: cannot be read: {cause(error)}") from None
    return bytes(raw)


def read_whole_text(path: Path, growth: Growth = GROWTH) -> str:
    """The text of a file in UTF-8, gzipped or not; errors name the line."""
    raw = read_whole(path, growth)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise UsageError(
            f"{path}:{line}: not UTF-8: byte 0x{raw[error.start]:02x}; save the file as UTF-8"
        ) from None


def decoded_lines(lines: Iterable[bytes], name: str) -> Iterator[str]:
    """Lines of UTF-8 without their ends; errors name the line."""
    for number, line in enumerate(lines, 1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            fault = f"byte 0x{line[error.start]:02x}"
            raise UsageError(f"{name}:{number}: not UTF-8: {fault}; save it as UTF-8") from None


def cause(error: BaseException) -> str:
    """What is wrong with bytes that cannot be read to the end."""
    if isinstance(error, EOFError):
        return "the gzip data ends too early"
    if isinstance(error, (gzip.BadGzipFile, zlib.error)):
        return f"this is no valid gzip data ({error})"
    return str(getattr(error, "strerror", None) or error)
