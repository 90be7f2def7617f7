"""Text that is not UTF-8: brought over while it is read, and advice where nobody said what it is."""

from __future__ import annotations

import codecs
import io
from typing import IO

from polyglitch.errors import UsageError

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
