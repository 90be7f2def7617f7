"""Names of parts, looked up lazily: built-in ones from data files, others from entry points.

A kind (`methods`, `systems`, ...) has a file in `resources/registry/` with a table for each name: `target` is
`module:attribute`, `about` a line for `list`. Another package adds its own with an entry point in the group
`polyglitch.KIND`. Nothing is imported before it is asked for. What such a part is, `list` reads from the object: its
`about` if it has one, else the first line of its docstring.
"""

from __future__ import annotations

import inspect
import tomllib
import warnings
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

import msgspec

from polyglitch.errors import UsageError

KINDS = (
    "methods", "systems", "metrics", "parsers", "proposers", "embedders", "ranks", "oracles", "changes",
    "lenses",
)  # fmt: skip


class Entry(msgspec.Struct, frozen=True):
    """A registered name: where it is found and what it is."""

    name: str
    target: str
    about: str
    data: dict[str, Any] = {}


@cache
def entries(kind: str) -> dict[str, Entry]:
    """All names of a kind, built-in ones first."""
    if kind not in KINDS:
        raise UsageError(f"no kind of part is called {kind!r}{suggest(kind, KINDS)}")
    found: dict[str, Entry] = {}
    table = files("polyglitch").joinpath("resources", "registry", f"{kind}.toml")
    if table.is_file():
        for name, row in tomllib.loads(table.read_text("utf-8")).items():
            more = {key: row[key] for key in row if key not in ("target", "about")}
            found[name] = Entry(name, row["target"], row["about"], more)
    for point in installed_points():
        if point.group != f"polyglitch.{kind}":
            continue
        if point.name in found and found[point.name].target != point.value:
            raise UsageError(
                f"{kind}: {point.name!r} is registered twice, as {found[point.name].target} and as "
                f"{point.value}; uninstall one of the packages or rename its entry point"
            )
        found[point.name] = Entry(point.name, point.value, "")
    return found


@cache
def installed_points() -> tuple[Any, ...]:
    """The entry points of all installed packages, looked through once, not once a kind."""
    from importlib.metadata import entry_points  # a fifth of what `--help` took

    found: Any = entry_points()
    if not hasattr(found, "values"):
        return tuple(found)
    with (
        warnings.catch_warnings()
    ):  # up to Python 3.11 they come by group, which has no other way to all
        warnings.simplefilter("ignore", DeprecationWarning)
        return tuple(point for some in found.values() for point in some)


def about(kind: str, name: str) -> str:
    """A line for `list`: built-in parts have it in their file, those of other packages say it themselves."""
    found = entry(kind, name)
    if found.about:
        return found.about
    package = f"from {found.target.partition(':')[0].partition('.')[0]}"
    try:
        made = load(kind, name)
    except Exception as error:
        return f"{package}, which cannot be imported: {type(error).__name__}: {error}"
    own = made if callable(made) else type(made)
    said = getattr(made, "about", None) or inspect.getdoc(own) or ""
    line = str(said).strip().partition("\n")[0]
    return f"{line} ({package})" if line else package


def entry(kind: str, name: str) -> Entry:
    """One registered name, or an error that says what was probably meant."""
    known = entries(kind)
    if name not in known:
        raise UsageError(f"no {kind[:-1]} is called {name!r}{suggest(name, tuple(known))}")
    return known[name]


def load(kind: str, name: str) -> Any:
    """Import what a name stands for."""
    target = entry(kind, name).target
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)


def suggest(name: str, known: tuple[str, ...]) -> str:
    """The tail of an error message: the nearest known name and all there are."""
    from rapidfuzz import process

    if not known:
        return "; none is registered"
    near = process.extractOne(name.lower(), known, score_cutoff=60)
    meant = f"; did you mean {near[0]!r}?" if near else ";"
    return f"{meant} available: {', '.join(sorted(known))}"
