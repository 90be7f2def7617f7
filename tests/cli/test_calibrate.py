"""From labels to a better run: review, evaluate, calibrate, run again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyglitch.campaign import make_method, read_file
from polyglitch.records import Label
from polyglitch.results.history import History
from polyglitch.store.store import Store
from polyglitch.tools import Toolbox
from tests.conftest import Cli

pytestmark = pytest.mark.slow

# A translator that shouts. Every third text it asks nicely about (harmless), of every fifth it loses half (a bug).
SHOUTING = """
def translate(text):
    words = text.upper().split()
    if sum(map(ord, text)) % 5 == 0:
        return " ".join(words[: len(words) // 2])
    return " ".join(["PLEASE", *words] if len(text) % 3 == 0 else words)
"""
CONFIGURATION = """# our translator
system = "python:shouting.py:translate"
corpus = "sample"
limit = 40
methods = ["{method}"]
source_language = "en"
target_language = "en"
store = "runs.sqlite"

[parameters.{method}]
# few candidates: this is a test
top = 4
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "shouting.py").write_text(SHOUTING)
    return tmp_path


def label_all(store: Path, limit: int | None = None) -> tuple[int, int]:
    """Label as a careful person would: losing words is a bug, politeness is not. How many of each."""
    opened = Store(str(store))
    history = History(opened)
    counts = [0, 0]
    for number, finding in enumerate(history.findings()):
        if limit is not None and number >= limit:
            break
        lost = [
            trial.case.id
            for trial, _ in finding.violations
            if any(
                len(o.text.split()) < len(i.text.split())
                for i, o in zip(trial.case.inputs, trial.outputs, strict=True)
            )
        ]
        said = Label(
            finding.issue.id, "bug" if lost else "not a bug", "ann", "2026-01-01",
            "under-translation" if lost else "", "", lost[0] if lost else "",
        )  # fmt: skip
        opened.labels.set(history.run_id, said)
        counts[bool(lost)] += 1
    opened.close()
    return counts[1], counts[0]


def test_a_goal_of_precision_is_written_read_back_and_reached(cli: Cli, project: Path) -> None:
    toml = project / "polyglitch.toml"
    toml.write_text(CONFIGURATION.format(method="sit") + 'structure = "raw"\nthreshold = 3\n')
    cli("trust")
    before = json.loads(cli("run", "--json", "-q").stdout)
    bugs, fine = label_all(project / "runs.sqlite")
    assert bugs >= 5 and fine >= 5, "the story needs both"
    shown = cli("evaluate", "labels").stdout
    found = json.loads(cli("evaluate", "labels", "--json").stdout)["methods"]["sit"]
    assert found["precision"]["value"] == pytest.approx(bugs / (bugs + fine), abs=1e-3)
    assert found["precision"]["value"] < 0.8
    assert "under-translation" in shown and f"{found['precision']['value']:.2f}" in shown

    told = cli("calibrate", "--goal", "precision>=.8", "--write", "-o", "curves.svg").stdout
    assert "set in" in told and "held-out precision" in told
    text = toml.read_text()
    assert "# few candidates: this is a test" in text and "# our translator" in text
    assert (project / "curves.svg").read_text().count("<polyline") == 4

    after = json.loads(cli("run", "--json", "-q").stdout)
    assert after["run"] != before["run"]
    assert after["queries"] == 0, "every output is in the store"
    assert 0 < after["issues"] < before["issues"]
    again = json.loads(cli("evaluate", "labels", "--json", "-o", "figures.json").stdout)["methods"][
        "sit"
    ]
    assert again["labelled"] == again["issues"], "what was said of the cases holds in the new run"
    assert again["precision"]["value"] >= 0.8
    assert again["recall"]["of"] == bugs, "also what is now without an issue"
    assert again["recall"]["value"] >= 0.8
    assert json.loads((project / "figures.json").read_text())["methods"]["sit"] == again


def test_the_aligned_oracle_gets_a_threshold_of_its_own(cli: Cli, project: Path) -> None:
    toml = project / "polyglitch.toml"
    toml.write_text(CONFIGURATION.format(method="sit") + 'oracle = "aligned:0.01"\n')
    cli("trust")
    before = json.loads(cli("run", "--json", "-q").stdout)
    bugs, fine = label_all(project / "runs.sqlite")
    assert bugs >= 5 and fine >= 5, "the story needs both"
    told = cli("calibrate", "--goal", "precision>=.8", "--write").stdout
    assert "or: --param sit.oracle=aligned:0." in told
    assert 'oracle = "aligned:0.' in toml.read_text()
    after = json.loads(cli("run", "--json", "-q").stdout)
    assert after["queries"] == 0 and 0 < after["issues"] < before["issues"]
    again = json.loads(cli("evaluate", "labels", "--json").stdout)["methods"]["sit"]
    assert again["precision"]["value"] >= 0.8


def test_a_fitted_combination_is_what_a_run_would_report_by(cli: Cli, project: Path) -> None:
    toml = project / "polyglitch.toml"
    settings = CONFIGURATION.format(method="transrepair").replace("limit = 40", "limit = 12")
    toml.write_text(settings + 'vote = "any"\nproposer = "ngrams"\n')
    cli("trust")
    cli("run", "-q")
    label_all(project / "runs.sqlite")
    data = json.loads(cli("calibrate", "--json", "--write").stdout)
    names = [one["name"] for one in data["candidates"]]
    assert names[:4] == ["lcs", "ed", "tfidf", "bleu"] and len(names) == 5
    assert f"threshold = {data['settings']['threshold']}" in toml.read_text()

    opened = Store(str(project / "runs.sqlite"))
    history = History(opened)
    pairs = [pair for finding in history.findings() for pair in finding.violations]
    method = make_method("transrepair", read_file(toml)["parameters"]["transrepair"])
    verdicts = method.compare([trial for trial, _ in pairs], Toolbox())
    weights = dict(zip(data["settings"]["metrics"], data["settings"]["weights"], strict=True))
    for (_, before), now in zip(pairs, verdicts, strict=True):
        mean = sum(weight * before.details[name] for name, weight in weights.items())
        assert now.score == pytest.approx(mean / sum(weights.values()))
        assert (now.outcome == "violated") == (now.score < data["settings"]["threshold"])
    opened.close()


def test_a_table_of_labels_will_do(cli: Cli, tmp_path: Path) -> None:
    rows = ["text,distance,verdict"] + [
        f"s{n},{n},{'bug' if n > 30 else 'correct'}" for n in range(60)
    ]
    (tmp_path / "t.csv").write_text("\n".join([*rows, "s60,60,unclear"]))
    told = cli(
        "calibrate", "t.csv", "--score", "distance", "--label", "verdict", "--report", "above"
    ).stdout
    assert "29 bugs, 31 not; left out: {\"verdict 'unclear'\": 1}" in told
    data = json.loads(
        cli("calibrate", "t.csv", "--score", "distance", "--label", "verdict", "--report", "above",
            "--method", "sit", "--json").stdout
    )  # fmt: skip
    assert data["settings"] == {"threshold": 30}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["calibrate", "gone.csv"], "no such file"),
        (["calibrate", "t.csv", "--score", "dist"], "did you mean 'distance'"),
        (["calibrate", "t.csv", "--score", "distance", "--goal", "precision"], "precision>=.8"),
        (["calibrate", "t.csv", "--score", "distance", "--write"], "no parameter to set"),
        (["calibrate", "--store", "gone.sqlite"], "no such file"),
        (["evaluate", "labels", "-o", "figures.txt"], ".json"),
        (["evaluate", "label"], "did you mean 'labels'"),
    ],
)  # fmt: skip
def test_what_cannot_be_calibrated_is_explained(
    cli: Cli, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "t.csv").write_text("distance,label\n1,bug\n2,correct\n3,bug\n")
    done = cli(*arguments, code=2)
    assert message in done.stderr and "Traceback" not in done.stderr
