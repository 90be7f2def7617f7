"""Where the bytes of a corpus come from: a file, a dataset's folder, a pipe or the bundled sample, gzipped or plain."""

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

from polyglitch.corpus.encodings import in_utf8, known_encoding
from polyglitch.corpus.rows import KNOWN
from polyglitch.errors import UsageError
from polyglitch.files.gzip import GROWTH, Growth, gunzipped
from polyglitch.registry import suggest

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
SAMPLES = {
    "sample": "news.en.txt",
    "sample:qa": "qa.en.jsonl",
    "sample:logic": "logic.en.txt",
    "sample:pt": "sentiment.pt.jsonl",
    # The first fifty sentences of `sample` in other languages, line by line.
    **{f"sample:news-{code}": f"news.{code}.txt" for code in ["de", "es", "fr", "it", "pt", "zh"]},
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


def sample_language(source: str) -> str:
    """The language of a bundled corpus, as its file is named: news.en.txt."""
    return SAMPLES[source].split(".")[1]


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
