"""What every command may print: other people's text, of which nothing drives the terminal; what to do next, as a
command that works where the person is; and an error that nobody foresaw, in one line with exit code 70.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from polyglitch import __version__
from polyglitch.files.foreign import is_hidden, one_line, spelled_out

if TYPE_CHECKING:
    from polyglitch.results.history import History

BEYOND_ASCII = re.compile(r"[^\x00-\x7e]")


def say(text: str, *, err: bool = False) -> None:
    """Print a text, hidden characters in writing."""
    click.echo(spelled_out(text), err=err)


def say_json(value: Any, indent: int | None = None) -> None:
    """Print a value as JSON, hidden characters as JSON's own escapes: read back they are the same."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    click.echo(BEYOND_ASCII.sub(lambda found: escaped(found[0]), text))


def escaped(char: str) -> str:
    """A character, or its escape where it cannot be seen."""
    return json.dumps(char)[1:-1] if is_hidden(char) else char


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


EXIT = 70  # as sysexits.h has it: an error inside the software, never one that a gate takes for a verdict
KEPT = 20  # files of details; older ones go


def tell(error: Exception) -> int:
    """Say what happened in one line; the exit code."""
    if isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith("polyglitch"):
        return tell_missing(error)
    return tell_unexpected(error)


def tell_missing(error: ModuleNotFoundError) -> int:
    """Say which package is lacking; the exit code."""
    name = (error.name or "a package").partition(".")[0]
    say(
        f"polyglitch: {one_line(name)} is not installed, and this command needs it: pip install {one_line(name)} "
        "(`polyglitch doctor` shows which extra brings it)",
        err=True,
    )
    return 2


def tell_unexpected(error: Exception) -> int:
    """Say in one line what happened and where the details are; the exit code."""
    what = one_line(f"{type(error).__name__}: {error}")
    try:
        where = f"the details are in {write_details(error)}"
    except OSError as cause:
        where = f"the details could not be written ({cause.strerror or cause})"
    say(f"polyglitch: unexpected error, a bug of ours: {what}; {where}", err=True)
    return EXIT


def write_details(error: Exception) -> Path:
    """Keep the traceback where only the user reads it."""
    from polyglitch.nlp.models.downloads import cache_folder

    folder = cache_folder() / "errors"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    told = "".join(traceback.format_exception(error)).encode("utf-8", "backslashreplace")
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(handle, "wb") as out:
        out.write(f"polyglitch {__version__}\n".encode() + told)
    for old in sorted(folder.glob("*.txt"))[:-KEPT]:
        old.unlink(missing_ok=True)
    return path
