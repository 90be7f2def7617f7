"""What the tests share: where the reference data is, and how to run the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.postgres import Server, programs, running

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Data that is not part of the project: beside it, or where POLYGLITCH_SHARED says."""
    folder = Path(os.environ.get("POLYGLITCH_SHARED", ROOT.parent / "shared")) / "data"
    if not folder.is_dir():
        pytest.skip(
            "no reference data beside the project; set POLYGLITCH_SHARED to the folder that has it"
        )
    return folder


Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """Run `polyglitch ARGS` in a folder of its own and give back what it printed."""

    def run(
        *arguments: str, code: int | None = 0, stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "polyglitch", *map(str, arguments)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            input=stdin,
            timeout=240,
            env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{tmp_path}"},
        )
        if code is not None:
            assert done.returncode == code, done.stderr + done.stdout
        return done

    return run


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server of this session's own."""
    binaries = programs()
    if binaries is None:
        pytest.skip("no PostgreSQL server: apt-get install postgresql (make test does, as root)")
    if find_spec("psycopg") is None:
        pytest.skip("no driver for PostgreSQL: pip install 'polyglitch[postgres]'")
    with running(binaries) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new store goes: a file, then a database on a server."""
    if request.param == "sqlite":
        return str(tmp_path / "runs.sqlite")
    url: str = request.getfixturevalue("postgres").new_database()
    return url
