"""What the tests share: where the reference data is, and how to run the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def shared_data(name: str) -> Path:
    """A file of the reference data, which lies beside the project where there is any."""
    path = Path(os.environ.get("POLYGLITCH_SHARED", ROOT.parent / "shared")) / "data" / name
    if not path.exists():
        pytest.skip(f"reference data {name} is not beside the project")
    return path


Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """Run `polyglitch ARGS` in a folder of its own and give back what it printed."""

    def run(*arguments: str, code: int | None = 0, stdin: str = "") -> subprocess.CompletedProcess[str]:
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
