"""`cmd:` and `cmd-once:`: any program that reads lines and writes lines. No shell is involved.

Newlines inside an input are sent as spaces. A question with a context is sent as
`question<TAB>context`.
"""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

from polyglitch.errors import UsageError
from polyglitch.systems.command.child import cannot_start
from polyglitch.systems.command.lines import fingerprint
from polyglitch.systems.command.lock_step import LockStep
from polyglitch.systems.command.once import Once


def open_command(rest: str, timeout: float) -> LockStep:
    """A program that stays up: a line in, a line out."""
    argv = _split(rest)
    return LockStep(argv, _signature("cmd", argv), timeout)


def open_once(rest: str, timeout: float) -> Once:
    """A program run once a batch: all lines in, then all lines out."""
    argv = _split(rest)
    return Once(argv, _signature("cmd-once", argv), timeout)


def _split(rest: str) -> list[str]:
    try:
        argv = shlex.split(rest)
    except ValueError as error:
        raise UsageError(f"command {rest!r} cannot be split into words ({error})") from error
    if not argv:
        raise UsageError(
            f"command {rest!r} names no program; for example cmd:./translate --from en"
        )
    # Not through Path, which drops `./` and so turns a program of this folder into one of the search path.
    argv[0] = os.path.expanduser(argv[0])
    if shutil.which(argv[0]) is None:
        raise cannot_start(argv, _why_not(argv[0]))
    return argv


def _why_not(program: str) -> str:
    """What is wrong with a program that cannot be run."""
    if Path(program).is_dir():
        return "a folder"
    if not Path(program).exists():
        return "no such program"
    if os.path.dirname(program) or not os.access(program, os.X_OK):
        return "no execute permission"
    return f"not on the search path; the one in this folder is cmd:./{program}"


def _signature(scheme: str, argv: list[str]) -> str:
    """The command line and a digest of the files it names: an edited script is a new system."""
    named = [Path(word) for word in argv if Path(word).is_file()]
    return f"{scheme}:{shlex.join(argv)}" + (f"#{fingerprint(named)}" if named else "")
