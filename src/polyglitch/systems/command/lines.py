"""Digests of the files a system is made of, so that a changed program is a changed signature.

Inputs as lines for a program, and how many failures in a row are too many.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from polyglitch.errors import SystemFailed
from polyglitch.files.foreign import Foreign
from polyglitch.records import Input, digest

LENGTH = 12  # hexadecimal digits: enough to tell versions of a program apart, short enough to read


def fingerprint(paths: Iterable[Path]) -> str:
    """One digest over the contents of some files, whatever they are called."""
    return digest((_content(path) for path in paths), LENGTH)


def _content(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()


NEWLINES = re.compile(r"\r\n|\r|\n")
SEPARATORS = re.compile(r"[\r\n\t]+")
MOST_DEATHS = 5  # one bad input may kill a program; five in a row and it is the program


def as_line(item: Input) -> bytes:
    """The input as one line: newlines become spaces; a context follows its question after a tab."""
    if item.context is None:
        return NEWLINES.sub(" ", item.text).encode()
    return b"\t".join(SEPARATORS.sub(" ", part).encode() for part in (item.text, item.context))


class Deaths:
    """Counts the inputs in a row on which a program died."""

    def __init__(self, command: str) -> None:
        self._command, self._count = command, 0

    def died(self, how: Foreign) -> None:
        """One more; too many are the end of the run."""
        self._count += 1
        if self._count >= MOST_DEATHS:
            raise SystemFailed(
                f"command {self._command!r} died on {self._count} inputs in a row, the last time: "
                f"{how}; run it by hand with a line of text on its standard input"
            )

    def answered(self) -> None:
        """It works after all."""
        self._count = 0
