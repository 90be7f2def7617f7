"""Sets keys of a table in a TOML file and leaves everything else as it stands, comments included."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from polyglitch.errors import UsageError

Value = str | int | float | bool | Sequence[str] | Sequence[float]
HEADER = re.compile(r"\s*\[")


def set_keys(text: str, table: Sequence[str], values: Mapping[str, Value]) -> str:
    """The text with these keys of a table set; refused where they are written in a way that cannot be edited safely."""
    wanted = tomllib.loads(text)
    place = wanted
    for name in table:
        place = place.setdefault(name, {})
    place.update(
        {key: tomllib.loads(f"v = {written(value)}")["v"] for key, value in values.items()}
    )
    made = "\n".join(edited(text.splitlines(), table, values)) + "\n"
    try:
        same = tomllib.loads(made) == wanted
    except tomllib.TOMLDecodeError:
        same = False
    if not same:
        raise UsageError(
            f"the table [{'.'.join(table)}] is written in a way that cannot be edited safely; "
            f"set by hand: {shown(values)}"
        )
    return made


def edited(lines: list[str], table: Sequence[str], values: Mapping[str, Value]) -> list[str]:
    """Lines with the keys replaced where they are, else added under the header, else at the end."""
    header = re.compile(r"\s*\[\s*" + r"\s*\.\s*".join(map(name_pattern, table)) + r"\s*\]")
    start = next((place for place, line in enumerate(lines) if header.match(line)), None)
    if start is None:
        gap = [""] if lines and lines[-1].strip() else []
        return [
            *lines,
            *gap,
            f"[{'.'.join(table)}]",
            *(f"{k} = {written(v)}" for k, v in values.items()),
        ]
    end = next((n for n in range(start + 1, len(lines)) if HEADER.match(lines[n])), len(lines))
    body, new = lines[start + 1 : end], []
    for key, value in values.items():
        pattern = re.compile(rf"(\s*){name_pattern(key)}\s*=")
        found = next((n for n, line in enumerate(body) if pattern.match(line)), None)
        if found is None:
            new.append(f"{key} = {written(value)}")
        else:
            body[found] = f"{key} = {written(value)}{comment_of(body[found])}"
    return [*lines[: start + 1], *new, *body, *lines[end:]]


def comment_of(line: str) -> str:
    """The comment at the end of a line that sets a key."""
    for place in [n for n, char in enumerate(line) if char == "#"]:
        try:
            tomllib.loads(line[:place])
        except tomllib.TOMLDecodeError:
            continue  # the sign stands inside a text
        return f"  {line[place:]}"
    return ""


def name_pattern(name: str) -> str:
    """A key as it may be written, bare or in quotes."""
    return rf"[\"']?{re.escape(name)}[\"']?"


def written(value: Any) -> str:
    """A value in TOML: texts, numbers and lists of them are written as in JSON."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


def shown(values: Mapping[str, Value]) -> str:
    """Keys and values in one line."""
    return ", ".join(f"{key} = {written(value)}" for key, value in values.items())
