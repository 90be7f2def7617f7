"""Sets keys of a table in a TOML file and leaves everything else as it stands, comments included."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from polyglitch.errors import UsageError

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
