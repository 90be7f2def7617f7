"""The site builds offline without a broken link, holds a page for every command, and its Python runs as printed."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [
        "tutorial/classifier",
        "tutorial/llm",
        "how-to/use-from-python",
        "how-to/use-in-a-notebook",
    ],
)
def test_the_python_of_a_page_runs(page: str, tmp_path: Path) -> None:
    blocks = PYTHON.findall((ROOT / "docs" / f"{page}.md").read_text("utf-8"))
    assert blocks
    for block in blocks:
        done = subprocess.run(
            [sys.executable, "-c", f"{block}\nprint(result.summary)"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        assert "cases hold" in done.stdout


@pytest.mark.slow
def test_who_follows_the_tutorial_meets_the_bug_and_then_passes_the_gate(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "tutorial" / "translator.md").read_text("utf-8")
    program = PYTHON.findall(page)[0]
    sentences = page.split("```text\n")[1].split("```")[0]
    (tmp_path / "sentences.txt").write_text(sentences, "utf-8")
    commands = [line for line in page.splitlines() if line.startswith("polyglitch run")]
    looked, gate = (shlex.split(line)[1:] for line in commands[:2])

    def follow(words: list[str], program: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "translate").write_text(program, "utf-8")
        (tmp_path / "translate").chmod(0o755)
        return subprocess.run(
            [sys.executable, "-m", "polyglitch", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )

    first = follow(looked, program)
    assert first.returncode == 0, first.stderr
    told = "'not' stands in the source, and the translation has no negation"
    assert f"1 suspected bug; behind several issues:\n  2 issues: {told}" in first.stdout
    assert first.stdout.count(told) == 3, "as the bug, and in the two sentences that show it"
    assert (tmp_path / "report.html").exists()
    failed = follow(gate, program)
    assert failed.returncode == 1
    assert "66.7% of 6 decided cases hold (limit 95%): failed." in failed.stderr
    mended = follow(gate, program.replace('"not": ""', '"not": "não"'))
    assert mended.returncode == 0, mended.stderr
    assert "100.0% of 6 decided cases hold" in mended.stdout + mended.stderr
