"""The user's own settings: their folder, TOML read with every mistake an error with file and line, its keys set while
all else stays as it stands, and which folders are trusted.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec
from platformdirs import user_config_path

from polyglitch.errors import UsageError
from polyglitch.records import digest


def config_folder() -> Path:
    """Where the user's decisions are kept: POLYGLITCH_CONFIG, else the user's folder of settings."""
    if base := os.environ.get("POLYGLITCH_CONFIG"):
        return Path(base) / "polyglitch"
    return user_config_path("polyglitch", appauthor=False)


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


Value = str | int | float | bool | Sequence[str] | Sequence[float]


def set_keys(text: str, table: Sequence[str], values: Mapping[str, Value]) -> str:
    """The text with these keys of a table set; refused where the file would then say anything else."""
    plain = {key: list(v) if isinstance(v, tuple) else v for key, v in values.items()}
    wanted = tomllib.loads(text)
    place = wanted
    try:
        for name in table:
            place = place.setdefault(name, {})
        place.update(plain)
        made = edited(text, table, plain)
        same = tomllib.loads(made) == wanted
    except (AttributeError, TypeError, ValueError):  # a value where a table should be
        same = False
    if not same:
        raise UsageError(
            f"the table [{'.'.join(table)}] is written in a way that cannot be edited safely; "
            f"set by hand: {shown(values)}"
        )
    return made


def edited(text: str, table: Sequence[str], values: Mapping[str, Any]) -> str:
    """The text with the keys replaced where they are, else added to the table, made where it is not there."""
    import tomlkit

    document = tomlkit.parse(text if not text or text.endswith("\n") else f"{text}\n")
    place: Any = document
    for depth, name in enumerate(table, 1):
        if name not in place:
            place.add(name, tomlkit.table(is_super_table=depth < len(table)))
        place = place[name]
    for key, value in values.items():
        place[key] = value
    return tomlkit.dumps(document)


def shown(values: Mapping[str, Value]) -> str:
    """Keys and values in one line."""
    return ", ".join(f"{key} = {written(value)}" for key, value in values.items())


def written(value: Any) -> str:
    """A value in TOML: texts, numbers and lists of them are written as in JSON."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


# Which folders the user trusts: their polyglitch.toml may run programs and connect, as it stood when it was read. The
# decision is kept in the user's own settings, never in the folder itself. It holds for exactly what the file named at
# that time: a file that names another program has to be trusted again; a changed limit changes nothing.
LENGTH = 32  # hexadecimal digits of a digest


def is_trusted(file: Path, acting: dict[str, str]) -> bool:
    """Whether the user trusted the folder of a file for what the file names now."""
    return read_trusted().get(folder_of(file)) == fingerprint(acting)


def trust_folder(file: Path, acting: dict[str, str]) -> None:
    """Remember that the user trusts what a file names."""
    write_trusted(read_trusted() | {folder_of(file): fingerprint(acting)})


def forget_folder(file: Path) -> bool:
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
