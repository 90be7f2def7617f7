"""The plugin as a project uses it: the example runs, and a failing check shows the worst issue."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT


def run_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin(), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(folder)])},
    )


def plugin() -> list[str]:
    """Where the project is not installed, as in a bare checkout, its entry point is named by hand."""
    from importlib.metadata import entry_points

    known = any(point.name == "polyglitch" for point in entry_points(group="pytest11"))
    return [] if known else ["-p", "polyglitch.testing.plugin"]


def test_the_example_project_passes_and_writes_its_reports(tmp_path: Path) -> None:
    folder = tmp_path / "translator"
    shutil.copytree(ROOT / "examples" / "translator", folder)
    done = run_pytest(folder, "--polyglitch-report", str(tmp_path / "out" / "r.html"))
    assert done.returncode == 0, done.stdout + done.stderr
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["r-test_forgetful_is_found_out.html", "r-test_translator_is_consistent.html"]
    assert "polyglitch report:" in done.stdout


def test_a_failing_check_prints_the_worst_issue(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "translator", tmp_path, dirs_exist_ok=True)
    (tmp_path / "test_translator.py").rename(tmp_path / "test_options.py")
    (tmp_path / "test_gate.py").write_text(
        "import polyglitch, toy\n"
        "from test_options import OPTIONS\n"
        "@polyglitch.check(method='sit', system=toy.forgetful, max_violation_rate=0.0, **OPTIONS)\n"
        "def test_it(): ...\n"
    )
    done = run_pytest(tmp_path, "test_gate.py")
    assert done.returncode == 1
    assert "more than 0.0%" in done.stdout
    assert "-> não sei" in done.stdout
