"""Which folders the user trusts: their polyglitch.toml may run programs and connect, as it stood when it was read.

The decision is kept in the user's own settings, never in the folder itself. It holds for exactly what the file named
at that time: a file that names another program has to be trusted again; a changed limit changes nothing.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import msgspec

from polyglitch.errors import UsageError
from polyglitch.files.folders import config_folder
from polyglitch.records import digest

LENGTH = 32  # hexadecimal digits of a digest


def is_trusted(file: Path, acting: dict[str, str]) -> bool:
    """Whether the user trusted the folder of a file for what the file names now."""
    return read_trusted().get(folder_of(file)) == fingerprint(acting)


def trust(file: Path, acting: dict[str, str]) -> None:
    """Remember that the user trusts what a file names."""
    write_trusted(read_trusted() | {folder_of(file): fingerprint(acting)})


def forget(file: Path) -> bool:
    """Trust a folder no longer; whether it was trusted."""
    known = read_trusted()
    found = known.pop(folder_of(file), None)
    write_trusted(known)
    return found is not None


def folder_of(file: Path) -> str:
    """The folder as it is remembered: links resolved, so that none can be put in its place."""
    return str(file.resolve().parent)


def fingerprint(acting: dict[str, str]) -> str:
    """One digest over all that a file has executed or connected to."""
    return digest([json.dumps(acting, sort_keys=True)], LENGTH)


def register() -> Path:
    """The file with the decisions."""
    return config_folder() / "trusted.json"


def read_trusted() -> dict[str, str]:
    """Folders and digests; nothing where nothing was trusted yet."""
    try:
        return msgspec.json.decode(register().read_bytes(), type=dict[str, str])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError) as error:
        raise UsageError(
            f"{register()}: cannot be read: {error}; delete it to start anew"
        ) from None


def write_trusted(known: dict[str, str]) -> None:
    """Keep the decisions where only the user can write."""
    path = register()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        draft.touch(mode=0o600)
        draft.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", "utf-8")
        draft.replace(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from None
