"""The plugin as a project uses it: the example runs, and a failing check shows the worst issue."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import polyglitch
from tests.conftest import ROOT

THINGS = ("film", "soup", "song", "book", "walk", "game", "lamp", "room", "trip", "show")


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


@pytest.mark.slow
def test_the_example_project_passes_and_writes_its_reports(tmp_path: Path) -> None:
    folder = tmp_path / "translator"
    shutil.copytree(ROOT / "examples" / "translator", folder)
    done = run_pytest(folder, "--polyglitch-report", str(tmp_path / "out" / "r.html"))
    assert done.returncode == 0, done.stdout + done.stderr
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    checks = ["r-test_forgetful_is_found_out.html", "r-test_translator_is_consistent.html"]
    assert names == [*checks, "r.html"]
    page = (tmp_path / "out" / "r.html").read_text()
    assert all(f'href="{name}"' in page for name in checks)
    assert f"polyglitch report: {tmp_path}/out/r.html" in done.stdout


@pytest.mark.slow
def test_a_failing_check_prints_the_worst_issue(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "translator", tmp_path, dirs_exist_ok=True)
    (tmp_path / "test_translator.py").rename(tmp_path / "test_options.py")
    (tmp_path / "test_gate.py").write_text(
        "import polyglitch, toy\n"
        "from test_options import OPTIONS\n"
        "@polyglitch.check(method='sit', system=toy.forgetful, max_violation_rate=0.0, **OPTIONS)\n"
        "def test_it(): ...\n"
    )
    done = run_pytest(tmp_path, "test_gate.py", "--polyglitch-report", "gate.html")
    assert done.returncode == 1
    assert (tmp_path / "gate.html").is_file(), "of a single check the report has the very name"
    assert "more than 0.0%" in done.stdout
    assert "output   [não sei]" in done.stdout


CLASSIFIER = """
import polyglitch

def moods(text):
    return "glad" if text[0].isupper() else "sad"

@polyglitch.check(method="relations", system=moods, corpus=["The film was good."], source_language="en",
                  parameters={"relations": {"relations": ["lower-case"]}})
def test_case_does_not_matter(): ...

def test_by_fixture(polyglitch):
    result = polyglitch(moods, "relations", ["The film was good."], source_language="en",
                        parameters={"relations": {"relations": ["lower-case"]}})
    result.assert_rate(0.05)
"""


@pytest.mark.slow
def test_a_failure_says_what_had_to_hold_and_shows_what_differs(tmp_path: Path) -> None:
    (tmp_path / "test_mood.py").write_text(CLASSIFIER)
    done = run_pytest(tmp_path, "test_mood.py")
    assert done.returncode == 1, done.stdout
    for line in (
        "100.0% of 1 decided cases are violated, more than 5.0%",
        "must     No capitals: both must get the same answer",
        "input    [The] film was good.",
        "output   [glad]",
        "changed  [the] film was good.",
        "output   [sad]",
        "why      'glad' became 'sad'",
    ):
        assert done.stdout.count(line) >= 2, f"{line}\n{done.stdout}"
    assert "result.assert_rate(0.05)" in done.stdout, "the line of the test itself"
    assert "api/result.py" not in done.stdout and "testing/check.py" not in done.stdout, done.stdout


@pytest.mark.slow
def test_a_report_in_no_known_format_is_refused_before_any_test(tmp_path: Path) -> None:
    (tmp_path / "test_mood.py").write_text(CLASSIFIER)
    done = run_pytest(tmp_path, "--polyglitch-report", "x.pdf")
    assert done.returncode == 4
    assert "no format has the extension '.pdf'" in done.stderr


def test_a_system_that_says_one_thing_passes_no_check() -> None:
    @polyglitch.check(
        method="relations",
        system=lambda text: "yes",
        corpus=[f"The {thing} was good." for thing in THINGS],
        source_language="en",
    )
    def gate() -> None: ...

    with pytest.raises(BaseException, match="The system is degenerate"):
        gate()
