"""Files that may be gzipped and may be meant to harm: none is let grow out of proportion, none is a traceback."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from polyglitch.errors import UsageError

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
