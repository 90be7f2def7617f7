"""What people type every day: help with an example, completion, pipes, colours, a large file."""

from __future__ import annotations

import json
import os
import pty
import resource
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from polyglitch.cli.main import COMMANDS, examples, own_program, polyglitch
from polyglitch.cli.run import how_far, progress_bar
from polyglitch.run.budget import Progress
from tests.conftest import ROOT, Cli

LABELS = "def label(text):\n    return 'good' if 'good' in text else 'bad'\n"


def rows(count: int) -> str:
    """A table of so many labelled rows."""
    lines = (f"the number {n} is a good one,{'good' if n % 3 else 'bad'}\n" for n in range(count))
    return "text,label\n" + "".join(lines)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(LABELS)
    (tmp_path / "rows.csv").write_text(rows(12))
    return tmp_path


RUN = ["run", "--system", "python:mine:label", "--corpus", "rows.csv", "--method", "suite"]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_that_parses(command: str) -> None:
    shown = CliRunner().invoke(polyglitch, [command, "--help"])
    assert shown.exit_code == 0
    assert "Example: polyglitch" in shown.output
    words = shlex.split(examples()[command])[1:]
    inner: click.Command = polyglitch
    context = click.Context(inner, info_name="polyglitch")
    while isinstance(inner, click.Group):
        found = inner.get_command(context, words.pop(0))
        assert found is not None
        inner = found
    inner.make_context(command, words, parent=context)  # refuses an option that is not there


def test_help_shows_the_defaults_of_a_campaign() -> None:
    shown = CliRunner().invoke(polyglitch, ["run", "--help"]).output
    assert "[default: (60.0)]" in shown and "[default: (polyglitch.sqlite)]" in shown


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        (["run", "--method", "tran"], "transrepair"),
        (["run", "--method", "sit,tran"], "sit,transrepair"),
        (["run", "--system", "firef"], "firefox:"),
        (["comp"], "compare"),
    ],
)
def test_the_shell_completes_names(typed: list[str], found: str) -> None:
    from click.shell_completion import BashComplete

    shell = BashComplete(polyglitch, {}, "polyglitch", "_POLYGLITCH_COMPLETE")
    assert found in [item.value for item in shell.get_completions(typed[:-1], typed[-1])]


@pytest.mark.slow
def test_a_report_goes_down_a_pipe_alone(cli: Cli, folder: Path) -> None:
    done = cli(*RUN, "-o", "-")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == 4 and all(line["violations"][0][1]["reason"] for line in lines)
    assert "decided cases hold" in done.stderr
    again = cli("report", "-o", "-")
    assert again.stdout == done.stdout
    figures = json.loads(cli("report", "--json").stdout)
    assert (figures["state"], figures["violations"], figures["holds"]) == ("done", 4, 0.666667)
    assert not (folder / "report.html").exists()


@pytest.mark.slow
def test_findings_of_classifiers_show_label_and_reason(cli: Cli, folder: Path) -> None:
    shown = cli(*RUN).stdout
    assert "    -> good\n" in shown
    assert "Suite: expected bad, said good" in shown


@pytest.mark.slow
def test_what_happens_is_told_to_who_asks(cli: Cli, folder: Path) -> None:
    assert cli(*RUN, "-q").stderr == ""
    told = cli(*RUN, "-v", "--fresh").stderr
    assert "starts: suite on python:mine:label" in told and "corpus rows.csv" in told


def test_list_alone_shows_what_kinds_there_are(cli: Cli) -> None:
    shown = cli("list").stdout
    assert "methods     sit, transrepair" in shown and "languages   de, en" in shown
    assert {row["name"] for row in json.loads(cli("list", "--json").stdout)} >= {
        "methods",
        "systems",
    }


def terminal(folder: Path, *arguments: str, **environment: str) -> str:
    """What a terminal shows of a command."""
    ours, theirs = pty.openpty()
    path = f"{ROOT / 'src'}{os.pathsep}{folder}"
    child = subprocess.Popen(
        [sys.executable, "-m", "polyglitch", *arguments],
        cwd=folder, stdout=theirs, stderr=theirs, stdin=theirs,
        env=os.environ | {"PYTHONPATH": path, "TERM": "xterm-256color"} | environment,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    child.wait(timeout=60)
    os.close(ours)
    return shown.decode("utf-8", "replace")


@pytest.mark.slow
def test_no_color_is_heeded(folder: Path) -> None:
    coloured = terminal(folder, *RUN, "--fresh")
    assert "\x1b[36m" in coloured  # cyan answers
    assert "\x1b[36m" not in terminal(folder, *RUN, "--fresh", NO_COLOR="1")


def test_progress_counts_queries() -> None:
    step = Progress(seeds=10, seeds_total=10, queries=12, queries_known=250, queries_expected=250)
    assert how_far(step) == "12/250 queries · 0 cases judged · 0 violated"
    step.queries_expected = 900
    assert how_far(step).startswith("12/~900 queries")
    with progress_bar() as watch:  # standard error of a test is no terminal
        watch(step)


@pytest.mark.slow
def test_a_slow_system_is_seen_at_work(folder: Path) -> None:
    slow = "import time\ndef label(text):\n    time.sleep(0.4)\n    return 'good'\n"
    (folder / "mine.py").write_text(slow)
    told = terminal(folder, *RUN, "-j", "1", "--fresh")
    counts = [part for part in told.replace("\r", "\n").split("\n") if "/12 queries" in part]
    assert any(" 4/12 queries" in part or " 5/12 queries" in part for part in counts), told


@pytest.mark.slow
def test_a_million_lines_are_not_read_for_five(cli: Cli, folder: Path) -> None:
    (folder / "large.csv").write_text(rows(1_000_000))

    def cpu(corpus: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        cli(
            "run",
            "--system",
            "python:mine:label",
            "--corpus",
            corpus,
            "--method",
            "suite",
            "--limit",
            "5",
            "-q",
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime

    assert cpu("large.csv") - cpu("rows.csv") < 1.0


def test_the_program_that_is_named_is_there() -> None:
    program = own_program()
    assert subprocess.run([*program, "--version"], capture_output=True).returncode == 0
