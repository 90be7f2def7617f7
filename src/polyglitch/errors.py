"""Errors that reach the user: each names argument, value, cause and remedy, and carries an exit code."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path


class PolyglitchError(Exception):
    """Base of every error meant for a person; anything else that escapes is a bug of ours."""

    exit_code = 70  # never 1, which gates read as "under the limit"


class UsageError(PolyglitchError):
    """Bad option, configuration, corpus or name."""

    exit_code = 2


class SystemFailed(PolyglitchError):
    """The system under test, or a resource that is needed, does not work."""

    exit_code = 3


class LimitReached(PolyglitchError):
    """The run has used what it may of characters or money; what is left to ask can go on later."""

    exit_code = 4


class NothingToTest(PolyglitchError):
    """No seed, or no case came of them."""

    exit_code = 5


class Missing(UsageError):
    """A resource that is not installed; the message says what installs it, as it works from where the user is."""

    def __init__(self, what: str, needed_for: str, install: str) -> None:
        self.what, self.needed_for, self.install = what, needed_for, as_works_here(install)
        super().__init__(f"{what} is not installed, and {needed_for} needs it: {self.install}")


EXTRAS = re.compile(r"pip install 'polyglitch\[([\w,]+)\]'")
OWN_COMMAND = re.compile(r"(?<![\w./-])(?<!-m )polyglitch(?= get )")
OTHER_PACKAGE = re.compile(r"(?<![\w./-])(?<!-m )pip(?= install )")
INTERPRETER = re.compile(r"(?<![\w./-])python(?= -[cm] )")


def as_works_here(install: str) -> str:
    """A hint with its commands as they can be pasted: this package is on no index, and may not be on the PATH."""
    found = EXTRAS.sub(lambda match: install_extras(match[1].split(",")), install)
    found = OTHER_PACKAGE.sub(lambda _: program("pip", "-m pip"), found)
    found = INTERPRETER.sub(lambda _: program("python", "").strip(), found)
    return OWN_COMMAND.sub(lambda _: program("polyglitch", "-m polyglitch"), found)


def install_extras(extras: Sequence[str]) -> str:
    """What installs extras of this package: from its folder where that is there, else their requirements by name."""
    import shlex

    pip = f"{program('pip', '-m pip')} install"
    folder, editable = source_folder()
    if folder is not None:
        wanted = f"{folder}[{','.join(extras)}]"
        return f"{pip} {'-e ' if editable else ''}{shlex.quote(wanted)}"
    return " ".join([pip, *map(shlex.quote, sorted(requirements(extras)))])


def program(name: str, module: str) -> str:
    """How a program of this interpreter's environment is started from here."""
    import shlex
    import shutil

    found = shutil.which(name)
    if found and Path(found).parent == Path(sys.executable).parent:
        return name
    return f"{shlex.quote(sys.executable)} {module}"


def source_folder() -> tuple[Path | None, bool]:
    """The folder that this package was installed from, if it is still there, and whether it is used in place."""
    import json
    from importlib import metadata
    from urllib.parse import unquote, urlsplit

    here = Path(__file__).resolve().parents[2]
    if (here / "pyproject.toml").is_file():
        return here, True
    try:
        said = json.loads(metadata.distribution("polyglitch").read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return None, False
    folder = Path(unquote(urlsplit(str(said.get("url", ""))).path))
    usable = "dir_info" in said and (folder / "pyproject.toml").is_file()
    return (folder, False) if usable else (None, False)


def requirements(extras: Sequence[str]) -> set[str]:
    """The requirements of extras by name, those of extras they name among them."""
    from importlib import metadata

    try:
        declared = metadata.requires("polyglitch") or []
    except metadata.PackageNotFoundError:
        declared = []
    found: set[str] = set()
    for one in declared:
        name, _, condition = one.partition(";")
        if any(re.search(rf"extra == ['\"]{extra}['\"]", condition) for extra in extras):
            own = re.fullmatch(r"polyglitch\[([\w,]+)\]", name.strip())
            found |= requirements(own[1].split(",")) if own else {name.strip()}
    return found


class LeaseLost(Exception):
    """A lease that ended or expired has no claims and gets none."""
