"""What to do next, as a command that works where the person is: in this folder, with this installation."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polyglitch.results.history import History


def own_command(*words: str) -> str:
    """`polyglitch WORDS` as it can be pasted: by its path where the shell would not find this installation."""
    return " ".join([*map(shlex.quote, own_program()), *map(shlex.quote, words)])


def own_program() -> list[str]:
    """How this installation is called: by name, by path, or as a module of its interpreter."""
    beside = Path(sys.executable).parent / "polyglitch"
    on_path = shutil.which("polyglitch")
    if on_path and (not beside.exists() or Path(on_path).resolve() == beside.resolve()):
        return ["polyglitch"]
    if beside.exists():
        return [shortest(beside)]
    return [sys.executable, "-m", "polyglitch"]


def shortest(path: Path) -> str:
    """A path from here where that is below this folder, else the whole of it."""
    here = Path(os.path.abspath(path))
    return f"{here.relative_to(Path.cwd())}" if here.is_relative_to(Path.cwd()) else str(here)


def of_run(history: History, name: str) -> list[str]:
    """The options that name a run; its store only where it is not the one that is looked into anyway."""
    from polyglitch.campaign import find_file, make_campaign

    where = history.store.where
    usual = make_campaign({}, find_file()).store
    same = "://" not in where and Path(where).resolve() == Path(usual).resolve()
    return [*(() if same else ("--store", where)), "--run", name]


def look_at(history: History, name: str) -> str:
    """How to look at a run in the browser."""
    return f"Look: {own_command('review', *of_run(history, name))}"
