"""Gates that cannot be passed by saying the same, copying, refusing, breaking the format, or not finishing."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from polyglitch.results.answer import gate_of, percent
from tests.conftest import Cli

# Systems that relations alone do not see through.
SYSTEMS = """
import hashlib, os

def constant(text):
    return "O navio partiu."

def copy(text):
    return text

def refuse(text):
    return "I'm sorry, but I can't help with that."

def honest(text):
    return " ".join(word[::-1] for word in text.split())

def neutral(text):
    return "neutral"

def numbers(text):
    return "1" if any(w in text for w in ("good", "great", "love")) else "0"

def fragile(text):
    if len(text) % 2:
        raise ValueError("no")
    return "positive" if "bad" in text else "negative"
"""
SEEDS = [
    "The old stone bridge over the narrow river was closed for the whole summer.",
    "The young doctor from the small village bought a large wooden house near the station.",
    "The tired farmer sold his last brown horse to a rich merchant from the northern city.",
    "The new school teacher found a rare silver coin in the quiet garden behind the church.",
]
REVIEWS = [
    ("a good film", "positive"), ("a great actor", "positive"), ("we love this place", "positive"),
    ("a bad film", "negative"), ("an awful actor", "negative"), ("we hate this place", "negative"),
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "models.py").write_text(SYSTEMS)
    (tmp_path / "seeds.txt").write_text("\n".join(SEEDS) + "\n")
    rows = [json.dumps({"text": text, "label": label}) for text, label in REVIEWS]
    (tmp_path / "reviews.jsonl").write_text("\n".join(rows) + "\n")
    return tmp_path


def translator(name: str, method: str = "rti", *more: str) -> list[str]:
    languages = ["--source-language", "en", "--target-language", "pt"]
    system = ["--system", f"python:models:{name}", "--corpus", "seeds.txt", "--method", method]
    return ["run", *system, *languages, *more]


def runs(cli: Cli) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(cli("runs", "--json").stdout)
    return rows


def classifier(name: str, method: str, *more: str) -> list[str]:
    return [
        "run",
        "--system",
        f"python:models:{name}",
        "--corpus",
        "reviews.jsonl",
        "--method",
        method,
        *more,
    ]


@pytest.mark.slow
def test_one_sentence_for_everything_passes_no_gate(cli: Cli, folder: Path) -> None:
    done = cli(*translator("constant", "rti", "--fail-under", "0.5", "-o", "page.html"), code=1)
    assert done.stdout.startswith("The system is degenerate"), done.stdout
    assert "O navio partiu." in done.stdout
    assert "failed, since the system is degenerate." in done.stderr
    assert "The system is degenerate" in (folder / "page.html").read_text()
    figures = json.loads(cli(*translator("constant", "rti", "--json")).stdout)
    assert figures["degenerate"]["share"] == 1.0
    assert figures["passed"] is None  # no limit, no gate


@pytest.mark.slow
def test_a_translator_that_copies_is_none(cli: Cli, folder: Path) -> None:
    done = cli(*translator("copy", "rti", "--fail-under", "0", "-q"), code=1)
    assert "answered with the input itself" in done.stderr


@pytest.mark.slow
def test_who_refuses_everything_passes_no_gate(cli: Cli, folder: Path) -> None:
    done = cli(
        *classifier(
            "refuse", "relations", "--source-language", "en", "--fail-under", "0.1", "--json"
        ),
        code=1,
    )
    figures = json.loads(done.stdout)
    assert figures["degenerate"]["refused"] == figures["degenerate"]["inputs"] > 6
    assert (figures["passed"], figures["holds"] > 0.9) == (False, True)


@pytest.mark.slow
def test_an_honest_system_is_not_suspected(cli: Cli, folder: Path) -> None:
    done = cli(*translator("honest", "rti", "--fail-under", "0", "--json"))
    figures = json.loads(done.stdout)
    assert figures["degenerate"]["share"] < 0.2
    assert figures["passed"] is True
    assert figures["by_method"]["rti"]["cases"] == figures["cases"]
    assert sum(row["cases"] for row in figures["by_relation"].values()) == figures["cases"]
    assert done.stderr == ""  # nothing of a bar is left in a pipe


@pytest.mark.slow
def test_one_label_is_degenerate_only_where_more_are_expected(cli: Cli, folder: Path) -> None:
    found = json.loads(cli(*classifier("neutral", "suite", "--json")).stdout)["degenerate"]
    assert (found["found"], found["alike"]) == (True, len(REVIEWS))
    rows = [json.dumps({"text": text, "label": "neutral"}) for text, _ in REVIEWS]
    (folder / "reviews.jsonl").write_text("\n".join(rows) + "\n")
    done = cli(*classifier("neutral", "suite", "--fail-under", "1", "--json"))
    assert json.loads(done.stdout)["degenerate"]["found"] is False


@pytest.mark.slow
def test_labels_under_other_names_are_seen_and_mapped(cli: Cli, folder: Path) -> None:
    lost = cli(*classifier("numbers", "suite"))
    assert "--label 0=negative --label 1=positive" in lost.stdout
    assert "0.0% of 6 decided cases hold." in lost.stdout
    names = ["--label", "0=negative", "--label", "1=positive"]
    found = json.loads(cli(*classifier("numbers", "suite", *names, "--json")).stdout)
    assert (found["holds"], found["queries"], found["labels_proposed"]) == (1.0, 0, {})
    (folder / "polyglitch.toml").write_text('[labels]\n0 = "negative"\n1 = "positive"\n')
    assert json.loads(cli(*classifier("numbers", "suite", "--json")).stdout)["run"] == found["run"]


@pytest.mark.slow
def test_too_many_undecided_fail_the_gate(cli: Cli, folder: Path) -> None:
    done = cli(*classifier("fragile", "suite", "--fail-under", "0", "-q"), code=1)
    assert "cases are undecided" in done.stderr and "--max-undecided allows" in done.stderr
    cli(*classifier("fragile", "suite", "--fail-under", "0", "--max-undecided", "90%", "-q"))
    cli(*classifier("fragile", "suite", "--max-undecided", "0.1", "-q"), code=1)


@pytest.mark.slow
def test_the_last_line_says_what_came_of_it_and_what_to_do(cli: Cli, folder: Path) -> None:
    done = cli(
        *classifier("numbers", "suite", "--label", "0=negative", "--label", "1=positive"), code=0
    )
    last = done.stdout.splitlines()[-1]
    run = json.loads(cli("runs", "--json").stdout)[0]["run"]
    assert last.startswith(f"100.0% of 6 decided cases hold. Run {run[:4]}. Look: ")
    command = last.partition("Look: ")[2]
    assert command.split()[-1] == run[:4] and command.split()[-3] == "review"


@pytest.mark.slow
def test_runs_are_listed(cli: Cli, folder: Path) -> None:
    cli(*classifier("numbers", "suite", "-q"))
    cli(*classifier("neutral", "suite", "-q"))
    rows = json.loads(cli("runs", "--json").stdout)
    keys = {"run", "when", "state", "system", "corpus", "methods", "cases", "holds", "degenerate"}
    assert [set(row) for row in rows] == [keys, keys]
    assert {row["state"] for row in rows} == {"done"}
    shown = cli("runs").stdout
    assert rows[0]["run"] in shown and "0.0%, degenerate" in shown
    assert "no such file" in cli("runs", "--store", "gone.sqlite", code=2).stderr


@pytest.mark.slow
def test_a_run_that_did_not_finish_is_never_taken_by_default(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    cli(*classifier("numbers", "suite", "-q"))
    whole = json.loads(cli("runs", "--json").stdout)[0]["run"]
    cli(*classifier("neutral", "suite", "-q", "--store", "other.sqlite"))
    cli("store", "copy", "other.sqlite", "polyglitch.sqlite")
    broken = next(row["run"] for row in runs(cli) if row["run"] != whole)

    with sqlite3.connect("polyglitch.sqlite") as store:
        store.execute("update runs set state = 'running', created = '2999' where id = ?", (broken,))
    assert json.loads(cli("report", "--json").stdout)["run"] == whole
    assert {row["run"]: row["state"] for row in json.loads(cli("runs", "--json").stdout)}[
        broken
    ] == "unfinished"
    named = cli("report", "--run", broken, "-o", "page.md")
    assert "did not finish" in named.stderr
    assert (folder / "page.md").read_text().startswith("> **This run did not finish")
    for pair in ((whole, broken), (broken, whole)):
        assert "did not finish" in cli("compare", *pair, code=2).stderr
    with sqlite3.connect("polyglitch.sqlite") as store:
        store.execute("delete from runs where id = ?", (whole,))
    for command in (["report"], ["evaluate", "labels"], ["calibrate"]):
        assert "holds no finished run" in cli(*command, code=2).stderr


@pytest.mark.slow
def test_a_finished_run_is_judged_by_the_limits_it_is_asked_for_again_with(
    cli: Cli, folder: Path
) -> None:
    first = json.loads(cli(*translator("honest", "rti", "--json")).stdout)
    cli(*translator("honest", "rti", "--fail-under", "1", "--max-undecided", "0", "-q"))
    kept = json.loads(cli("report", "--json", "-o", "page.html").stdout)
    assert (first["passed"], kept["passed"]) == (None, True)
    assert (first["run"], first["seconds"]) == (kept["run"], kept["seconds"]), "nothing ran again"
    assert ">Passed</p>" in (folder / "page.html").read_text()
    cli("store", "verify")  # what was written down is sealed
    cli(*translator("honest", "rti", "-q"))  # no limit named: the last one stays
    assert json.loads(cli("report", "--json", "-o", "page.html").stdout)["passed"] is True


@pytest.mark.parametrize(
    ("value", "limit", "told"),
    [(0.96, 0.95, "96.0%"), (0.9496, 0.95, "94.96%"), (0.95, 0.95, "95.0%"), (1.0, None, "100.0%")],
)
def test_a_share_shows_on_which_side_of_its_limit_it_is(
    value: float, limit: float, told: str
) -> None:
    assert percent(value, limit) == told


def test_nothing_decided_is_nothing_passed() -> None:
    figures: dict[str, Any] = {"cases": 4, "undecided": 4, "violations": 0}
    assert gate_of(figures, fail_under=0.0).passed is False
    assert gate_of(figures).passed is None
