"""Where a corpus comes from: the bytes of a file, a dataset's folder, a pipe or the bundled sample, gzipped or plain,
brought over from any encoding, and its lines decoded one by one, so that a bad one costs itself and nothing else.
"""

from __future__ import annotations

import codecs
import io
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

from polyglitch.corpus.rows import KNOWN
from polyglitch.errors import UsageError
from polyglitch.files.foreign import BROKEN, GROWTH, Growth, cause, gunzipped
from polyglitch.registry import suggest

CHUNK = 1 << 16


class Transcoded(io.RawIOBase):
    """A stream in another encoding as one in UTF-8; a byte that has no meaning in it stays what it is."""

    def __init__(self, stream: IO[bytes], encoding: str, name: str) -> None:
        wide = codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))
        self._stream, self._name, self._encoding = stream, name, encoding
        errors = "strict" if wide else "surrogateescape"
        self._decoder = codecs.getincrementaldecoder(encoding)(errors)
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._ready:
            chunk = self._stream.read(CHUNK)
            try:
                text = self._decoder.decode(chunk, not chunk)
            except UnicodeError as error:
                raise UsageError(
                    f"{self._name}: not {self._encoding}: {error}; try another --encoding"
                ) from None
            self._ready = text.encode("utf-8", "surrogateescape")
            if not chunk:
                break
        count = min(len(buffer), len(self._ready))
        buffer[:count], self._ready = self._ready[:count], self._ready[count:]
        return count

    def close(self) -> None:
        self._stream.close()
        super().close()


def in_utf8(stream: IO[bytes], encoding: str, name: str) -> IO[bytes]:
    """The bytes of a stream in UTF-8, brought over while they are read."""
    return io.BufferedReader(Transcoded(stream, encoding, name), CHUNK)


def known_encoding(encoding: str | None) -> str | None:
    """An encoding by the name Python has for it; nothing for UTF-8, which is the rule."""
    if encoding is None:
        return None
    try:
        found = codecs.lookup(encoding)
        "a".encode(encoding)  # some codecs are not about text
    except (LookupError, UnicodeError, ValueError):
        raise UsageError(
            f"encoding {encoding!r}: no such encoding of text; common ones are utf-8, utf-16, cp1252 (Windows), "
            "latin-1, cp1251, shift_jis, gb18030"
        ) from None
    return None if found.name == "utf-8" else found.name


def advice(raw: bytes, place: int, utf16: bool) -> str:
    """Which encoding to try, and what the line would read."""
    if utf16:
        return "; the file looks like UTF-16: try --encoding utf-16"
    for encoding in ("cp1252", "latin-1"):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        around = text[max(0, place - 20) : place + 20].strip()
        return f"; with --encoding {encoding} it would read {around!r}"
    return ""


BOM = b"\xef\xbb\xbf"
FIRST_LINE = 1024  # bytes of standard input that are looked at to guess its kind


# A format to the extensions that tell of it.
EXTENSIONS = {
    "txt": ("txt",),
    "csv": ("csv",),
    "tsv": ("tsv", "tab"),
    "jsonl": ("jsonl", "ndjson"),
    "json": ("json",),
    "parquet": ("parquet",),
    "xlsx": ("xlsx", "xlsm"),
    "tmx": ("tmx",),
    "xliff": ("xliff", "xlf"),
    "po": ("po", "pot"),
    "conllu": ("conllu",),
    "arrow": ("arrow",),
    "promptfoo": ("yaml", "yml"),
}
FORMATS = tuple(EXTENSIONS)
BINARY = ("parquet", "xlsx", "arrow")  # an encoding of text means nothing to these
UNREAD = {
    "xls": "save it as .xlsx or .csv",
    "ods": "save it as .xlsx or .csv",
    "zip": "unpack it and give the file in it",
    "docx": "save it as .txt, a sentence a line",
    "pdf": "copy its text to a .txt, a sentence a line",
    "pkl": "a pickle can run anything; write .parquet or .jsonl from it",
    "bz2": "unpack it, or compress it with gzip",
    "xz": "unpack it, or compress it with gzip",
    "zst": "unpack it, or compress it with gzip",
    "mo": "give the .po file that it was compiled from",
}
NEWS = "sample:news-"
SAMPLES = {
    "sample": "news.en.txt",
    "sample:qa": "qa.en.jsonl",
    "sample:logic": "logic.en.txt",
    "sample:pt": "sentiment.pt.jsonl",
    # The first fifty sentences of `sample` in other languages, line by line.
    **{f"{NEWS}{code}": f"news.{code}.txt" for code in ["de", "es", "fr", "it", "pt", "zh"]},
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
    encoding: str | None = None  # where it is not UTF-8
    more: tuple[Path, ...] = ()  # the further files of a dataset in parts

    def raw(self) -> IO[bytes]:
        """The bytes as they are stored."""
        return next(self.streams())

    def streams(self) -> Iterator[IO[bytes]]:
        """The bytes of each file as they are stored."""
        for reopen in (self.reopen, *map(_opener, self.more)):
            try:
                yield reopen()
            except OSError as error:
                raise UsageError(
                    f"{self.name} cannot be opened: {error.strerror}; check its name and permissions"
                ) from None

    def open(self, limits: ReadLimits) -> IO[bytes]:
        """The bytes of the text, decompressed and brought to UTF-8 while they are read."""
        stream = self.unpacked(self.raw(), limits)
        # A parser of XML is told the encoding; JSON is decoded as a whole.
        whole = self.encoding is None or self.format in ("json", "tmx", "xliff")
        return stream if whole else in_utf8(stream, self.encoding or "", self.name)

    def unpacked(self, raw: IO[bytes], limits: ReadLimits) -> IO[bytes]:
        """The bytes, decompressed while they are read."""
        growth = Growth(limits.expansion, limits.expanded)
        return gunzipped(self.name, raw, growth) if self.gzipped else raw

    def in_utf8(self, raw: bytes) -> bytes:
        """All bytes of the source as UTF-8, without a mark of their order."""
        if self.encoding is None:
            return raw.removeprefix(BOM)
        try:
            return raw.decode(self.encoding).removeprefix("\ufeff").encode()
        except UnicodeError as error:
            raise UsageError(f"{self.name}: not {self.encoding}: {error}") from None


def find_source(source: str, format: str | None, encoding: str | None = None) -> Source:
    """What `source` stands for: a bundled sample, `-` for standard input, or the path of a file or dataset."""
    encoding = known_encoding(encoding)
    source = sample_name(source)
    if source in SAMPLES:
        sample = files("polyglitch").joinpath("resources", "sample", SAMPLES[source])
        return Source(source, sample.name.rpartition(".")[2], False, lambda: sample.open("rb"))
    if source.startswith("sample:"):
        raise UsageError(f"no bundled corpus is called {source!r}{suggest(source, tuple(SAMPLES))}")
    if source == "-":
        spooled = _spooled(sys.stdin.buffer)
        kind, gzipped = _known(format) if format else _plain_text(spooled)
        return Source("<stdin>", kind, gzipped, spooled, encoding)
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
        return _dataset(path, source)
    kind, gzipped = _known(format) if format else _by_extension(path)
    gzipped = gzipped or path.suffix.lower() == ".gz"
    if encoding and kind in BINARY:
        raise UsageError(
            f"encoding {encoding!r}: {source} is read as {kind}, which has none; leave it out"
        )
    if stat.S_ISREG(mode):
        return Source(source, kind, gzipped, _opener(path), encoding)
    if not stat.S_ISFIFO(mode):
        raise UsageError(f"corpus {source!r} is neither a file nor a pipe; give one of these")
    with path.open("rb") as pipe:
        return Source(source, kind, gzipped, _spooled(pipe), encoding)


def _opener(path: Path) -> Callable[[], IO[bytes]]:
    return lambda: path.open("rb")


def _plain_text(reopen: Callable[[], IO[bytes]]) -> tuple[str, bool]:
    """Standard input is plain sentences unless it says otherwise; JSON would be tested brackets and all.

    So would a table, commas and all.
    """
    with reopen() as stream:
        start = stream.read(FIRST_LINE).removeprefix(BOM).lstrip()
    if start.startswith(b"\x1f\x8b"):
        raise UsageError("standard input is gzipped; say what is in it, such as --format txt.gz")
    if start.startswith((b'{"', b"[{", b'["', b"{\n", b"[\n")):
        kind = "jsonl" if start.startswith(b"{") else "json"
        raise UsageError(
            f"standard input looks like JSON; say --format {kind}, or --format txt to test its lines as they are"
        )
    head = start.split(b"\n")[0].decode("utf-8", "replace")
    for kind, mark in (("tsv", "\t"), ("csv", ","), ("csv", ";")):
        columns = {cell.strip(' \r"').casefold() for cell in head.split(mark)}
        if (
            len(columns) > 1
            and columns & {*KNOWN["text"]}
            and columns & {*KNOWN["label"], *KNOWN["id"]}
        ):
            raise UsageError(
                f"standard input looks like a table with the columns {head.strip()!r}; say --format {kind}, or "
                "--format txt to test its lines as they are"
            )
    return "txt", False


def _dataset(folder: Path, source: str) -> Source:
    """A dataset in a folder: as Hugging Face's `save_to_disk` writes it, or a table in parts."""
    splits = sorted(each.parent.name for each in folder.glob("*/state.json"))
    if not (folder / "state.json").is_file() and splits:
        if len(splits) > 1:
            raise UsageError(
                f"corpus {source!r} is a dataset with the splits {', '.join(splits)}; give one of them, such as "
                f"{folder / splits[-1]}"
            )
        folder = folder / splits[0]
    for kind in ("arrow", "parquet"):
        found = [*sorted(folder.glob(f"*.{kind}")), *sorted(folder.glob(f"data/*.{kind}"))]
        if found:
            return Source(source, kind, False, _opener(found[0]), more=tuple(found[1:]))
    names = sorted(each.name for each in folder.iterdir())
    shown = ", ".join(map(repr, names[:8])) or "nothing"
    raise UsageError(
        f"corpus {source!r} is a folder with {shown}; give one of the files in it, or a dataset that Hugging Face's "
        "save_to_disk wrote (.arrow files)"
    )


def sample_name(source: str) -> str:
    """A bundled corpus by its full name: `sample:de`, which has no other meaning, is the news in German."""
    news = source.replace("sample:", NEWS, 1)
    return news if source not in SAMPLES and news in SAMPLES else source


def sample_language(source: str) -> str:
    """The language of a bundled corpus, as its file is named: news.en.txt."""
    return SAMPLES[sample_name(source)].split(".")[1]


def _by_extension(path: Path) -> tuple[str, bool]:
    """Format and compression as the name of a file tells them."""
    suffixes = [suffix.lower().removeprefix(".") for suffix in path.suffixes]
    gzipped = suffixes[-1:] == ["gz"]
    named = (suffixes[:-1] if gzipped else suffixes)[-1:]
    for kind, known in EXTENSIONS.items():
        if named and named[0] in known:
            return kind, gzipped
    shown = f"the extension {'.' + named[0]!r}" if named else "no extension"
    if named and named[0] in UNREAD:
        raise UsageError(f"corpus {str(path)!r} has {shown}, which is not read: {UNREAD[named[0]]}")
    raise UsageError(
        f"corpus {str(path)!r} has {shown}, which does not tell its format; rename it to one of "
        f"{', '.join('.' + known[0] for known in EXTENSIONS.values())} (also with .gz), or give the format, "
        "such as --format txt"
    )


def _known(format: str) -> tuple[str, bool]:
    """A format given by name, with `.gz` for compressed."""
    name = format.lower().removeprefix(".")
    kind = name.removesuffix(".gz")
    kind = next((known for known, names in EXTENSIONS.items() if kind in names), kind)
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
