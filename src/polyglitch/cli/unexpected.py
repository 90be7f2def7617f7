"""An error that nobody foresaw: one line for the person, the details in a file, exit code 70."""

from __future__ import annotations

import os
import time
import traceback
from pathlib import Path

from polyglitch import __version__
from polyglitch.cli.say import say
from polyglitch.files.folders import cache_folder
from polyglitch.files.foreign import one_line

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
