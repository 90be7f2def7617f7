"""Reading TOML that somebody else wrote: bounded, and every mistake an error with file and line."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Protocol

from polyglitch.errors import UsageError

LARGEST = 1_000_000  # bytes; settings are written by people
LANGUAGE = r"^[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8}){0,3}$"  # en, pt-BR, zh_Hans: never a path


class Readable(Protocol):
    """A file on disk or a bundled one."""

    def read_bytes(self) -> bytes:
        """All of it."""


def read_text(path: Path | Readable, name: str | None = None) -> str:
    """A small text file in UTF-8."""
    shown = name or str(path)
    try:
        raw = path.read_bytes()
        if len(raw) > LARGEST:
            raise UsageError(f"{shown}: {len(raw):,} bytes are too many for a file of settings")
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise UsageError(f"{shown}:{line}: not UTF-8: {error.reason}; save it as UTF-8") from None
    except OSError as error:
        raise UsageError(f"{shown}: cannot be read: {error.strerror or error}") from None


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """The keys of a TOML text."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = (re.search(r"at line (\d+)", str(error)) or ["", str(text.count("\n") + 1)])[1]
        raise UsageError(f"{name}:{line}: not TOML: {error}") from None
    except RecursionError:
        raise UsageError(f"{name}: too many brackets inside each other") from None
    except ValueError as error:  # a number of thousands of digits
        raise UsageError(f"{name}: not TOML: {error}") from None
