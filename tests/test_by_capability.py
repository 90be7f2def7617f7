"""Results by capability: counted once, under titles, in every report; a limit for each; systems side by side."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.mutate.suite import in_words
from polyglitch.results.answer import gate_of
from polyglitch.results.tables import capability_results, table_rows
from polyglitch.store.verdicts import Tally
from tests.conftest import Cli

SYSTEMS = """
def words(text):
    return "positive" if any(word in text for word in ("good", "great")) else "negative"

def careful(text):
    return "negative" if " not " in text or "No." in text else words(text)
"""
ROWS = [
    ("praise-plain", "a good film", "positive"), ("praise-plain", "a great actor", "positive"),
    ("praise-denied", "this is not good", "negative"), ("praise-denied", "this is not nice <b>", "negative"),
    ("praise-denied", "this is not great", "negative"), ("blame", "an awful actor", "negative"),
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "models.py").write_text(SYSTEMS)
    rows = [json.dumps({"text": t, "label": label, "capability": c}) for c, t, label in ROWS]
    (tmp_path / "suite.jsonl").write_text("\n".join(rows) + "\n")
    return tmp_path


def suite(*systems: str) -> list[str]:
    named = [word for name in systems for word in ("--system", f"python:models:{name}")]
    return ["run", *named, "--corpus", "suite.jsonl", "--method", "suite"]


@pytest.mark.slow
def test_every_report_has_the_capabilities(cli: Cli, folder: Path) -> None:
    done = cli(*suite("words"), "-o", "r.html", "-o", "r.md", "-o", "r.xml")
    assert "Praise denied" in done.stdout and "66.7% (20.8 to 93.9)" in done.stdout
    assert "expected negative, said positive" in done.stdout
    assert (
        "| Praise denied | 3 | 2 | 66.7% (20.8 to 93.9) | 0 | - |" in (folder / "r.md").read_text()
    )
    page = (folder / "r.html").read_text()
    assert "Praise denied" in page and "20.8 to 93.9%" in page
    found = ElementTree.parse(folder / "r.xml").getroot()
    suites = {each.get("name"): (each.get("tests"), each.get("failures")) for each in found}
    assert suites["suite: Praise denied"] == ("3", "2")
    told = {case.get("name"): case.find("failure") for case in found.iter("testcase")}
    assert told["Praise denied"].get("message") == "2 of 3 failed: 66.7% (20.8 to 93.9)"
    assert told["Blame"] is None, "what holds is a test that passed"
    rows = json.loads(cli(*suite("words"), "--json").stdout)["by_capability"]
    assert [(row["name"], row["cases"], row["failed"]) for row in rows] == [
        ("blame", 1, 0), ("praise-denied", 3, 2), ("praise-plain", 2, 0),
    ]  # fmt: skip


@pytest.mark.slow
def test_a_limit_for_one_capability(cli: Cli, folder: Path) -> None:
    limit = ("--fail-under", "0.5", "--fail-under", "praise-denied=0.8")
    done = cli(*suite("words"), *limit, code=1)
    assert "Praise denied (praise-denied): 33.3% of 3 decided cases hold, limit 80%." in done.stderr
    cli(*suite("careful"), *limit)
    lost = cli(*suite("careful"), "--fail-under", "praise-denid=.8", code=1)
    assert "No case of capability 'praise-denid' was tested" in lost.stderr
    (folder / "polyglitch.toml").write_text("[capability_limits]\npraise-denied = 0.8\n")
    cli(*suite("words"), code=1)
    cli(*suite("careful"))


def test_a_limit_that_no_method_can_meet_is_refused_before_the_run(cli: Cli, folder: Path) -> None:
    run = ("run", "--system", "python:models:words", "--corpus", "suite.jsonl", "--method", "alict")
    done = cli(*run, "--fail-under", "10-question-mo=.8", code=2)
    assert "did you mean '10-question-no'?" in done.stderr
    assert not (folder / "polyglitch.sqlite").exists()


@pytest.mark.slow
def test_systems_side_by_side(cli: Cli, folder: Path) -> None:
    done = cli(*suite("words", "careful"), "-o", "all.html", "-o", "all.md")
    row = next(line for line in done.stdout.splitlines() if line.startswith("Praise denied"))
    assert "2 of 3: 66.7% (20.8 to 93.9)" in row and "0 of 3: 0.0%" in row
    page = (folder / "all.html").read_text()
    assert 'href="all-python-models-words.html"' in page and "66.7%" in page
    assert (folder / "all-python-models-careful.html").is_file()
    assert "Praise denied | 2 of 3: 66.7%" in (folder / "all.md").read_text()
    figures = json.loads(cli(*suite("words", "careful"), "--json").stdout)["systems"]
    assert [row["system"] for row in figures] == ["python:models:words", "python:models:careful"]
    cli(*suite("words", "careful"), "--fail-under", "praise-denied=.8", "-q", code=1)
    told = json.loads(cli("evaluate", "capabilities", "polyglitch.sqlite:", "--json").stdout)
    found = {row["system"]: row["results"] for row in told["systems"]}
    assert set(found) == {"python:models:words", "python:models:careful"}
    failed = {row["name"]: row["failed"] for row in found["python:models:words"]}
    assert failed["praise-denied"] == 2, "of the tests that both were given"


@pytest.mark.slow
def test_two_runs_are_compared_by_capability(cli: Cli, folder: Path) -> None:
    cli(*suite("words"), "--store", "old.sqlite", "-q")
    cli(*suite("careful"), "--store", "new.sqlite", "-q")
    told = cli("compare", "old.sqlite:", "new.sqlite:").stdout
    assert "Praise denied: 66.7% -> 0.0% of 3 violated, 2 fixed, 0 broken" in told


TALLIES = st.builds(
    Tally,
    method=st.sampled_from(["alict", "suite"]),
    relation=st.just("label:x"),
    outcome=st.sampled_from(["holds", "violated", "undecided"]),
    capability=st.sampled_from(["", "01-a", "02-b"]),
    expansion=st.booleans(),
)


@pytest.mark.slow
@given(st.dictionaries(TALLIES, st.integers(1, 50)))
def test_nothing_is_lost_in_the_count(tallies: dict[Tally, int]) -> None:
    results = capability_results(tallies)
    assert sum(row.cases for row in results) == sum(
        count for told, count in tallies.items() if told.capability
    )
    for row in results:
        assert row.failed + row.undecided <= row.cases
        if row.rate is not None and row.interval is not None:
            assert row.interval[0] - 1e-6 <= row.rate <= row.interval[1] + 1e-6
        else:
            assert not row.decided and row.holds == 0.0


def test_nothing_decided_passes_no_limit() -> None:
    tallies = {Tally("suite", "label:x", "undecided", "x", "A title"): 3}
    figures = {
        "cases": 10,
        "undecided": 0,
        "violations": 0,
        "by_capability": [
            {**{name: getattr(row, name) for name in row.__struct_fields__}}
            for row in capability_results(tallies)
        ],
    }
    gate = gate_of(figures, by_capability={"x": 0.0})
    assert gate.passed is False
    assert gate.failures == ("A title (x): none of 3 cases was decided.",)


def test_names_without_a_title_are_put_in_words() -> None:
    assert in_words("derog_neg_emote_h") == "Derog neg emote h"
    assert in_words("10-question-no") == "Question no"
    assert table_rows([]) == []
