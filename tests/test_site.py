"""The site builds offline without a broken link, holds a page for every command, and its Python runs as printed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.needs("mkdocs")
@pytest.mark.needs("material")
def test_the_site_builds_without_a_broken_link(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(tmp_path / "site")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr, done.stderr
    commands = (tmp_path / "site/reference/commands.html").read_text("utf-8")
    for name in ("run", "judge", "review", "store verify"):
        assert f"polyglitch {name}" in commands
    start = (tmp_path / "site/index.html").read_text("utf-8")
    assert not re.search(r'(?:src|href)="https?://fonts', start), (
        "nothing is fetched from elsewhere"
    )


@pytest.mark.parametrize("page", ["classifier", "llm"])
def test_the_python_of_a_tutorial_runs(page: str, tmp_path: Path) -> None:
    blocks = PYTHON.findall((ROOT / "docs" / "tutorial" / f"{page}.md").read_text("utf-8"))
    assert blocks
    for block in blocks:
        done = subprocess.run(
            [sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert "cases hold" in done.stdout
