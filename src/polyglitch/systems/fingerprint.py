"""Digests of the files a system is made of, so that a changed program is a changed signature."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from polyglitch.records import digest

LENGTH = 12  # hexadecimal digits: enough to tell versions of a program apart, short enough to read


def fingerprint(paths: Iterable[Path]) -> str:
    """One digest over the contents of some files, whatever they are called."""
    return digest((_content(path) for path in paths), LENGTH)


def _content(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()
