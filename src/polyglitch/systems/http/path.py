"""Paths into JSON: `data.translations[0].text`, as a request template or a prompt names its answer."""

from __future__ import annotations

import re
from typing import Any

from polyglitch.errors import UsageError
from polyglitch.systems.http.api import Fault

STEP = re.compile(r"\.?([^.\[\]]+)|\[(-?\d+)\]")

Path = tuple[str | int, ...]


def parse_path(text: str, where: str) -> Path:
    """The steps of a path; `$` and a leading dot may stand before it."""
    rest = text.strip().removeprefix("$")
    steps: list[str | int] = []
    while rest:
        found = STEP.match(rest)
        if not found:
            raise UsageError(
                f"{where}: {text!r} is no path into JSON; write keys and places, such as data.answers[0].text"
            )
        steps.append(found[1] if found[1] is not None else int(found[2]))
        rest = rest[found.end() :]
    return tuple(steps)


def follow(data: Any, path: Path) -> Any:
    """What stands at a path, or the fault that names the step that leads nowhere."""
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            kind = type(data).__name__
            raise Fault(f"no {step!r} in the {kind} of the answer", billed=True) from None
    return data
