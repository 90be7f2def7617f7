"""The papers' tables from one command each: meaning from readings, capabilities from stored runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyglitch.results.tables import published_rates
from tests.conftest import Cli

ROOT = Path(__file__).parents[2]
READ = ROOT / "benchmarks" / "readings" / "round_trips.jsonl"
MIDDLES = ROOT / "benchmarks" / "readings" / "round_trips_middles.jsonl"
OWN = ROOT / "tests" / "represent" / "own_descriptions.tsv"


@pytest.mark.slow
def test_round_trips_that_were_read(cli: Cli) -> None:
    run = ("evaluate", "meaning", "--round-trips", str(READ), "--descriptions", str(OWN))
    found = json.loads(cli(*run, "--style", "search", "--metric", "semmt-r", "--json").stdout)
    assert found["round_trips"] == {"held_out": 100, "bugs": 13, "all": 200}
    (row,) = found["metrics"]
    assert row["auc"] >= 0.82 and row["interval"][0] < row["auc"] < row["interval"][1]
    assert found["descriptions"]["right"] >= 95
    told = cli(*run, "--style", "search", "--metric", "semmt-r").stdout
    assert "100 round trips held out, 13 bugs" in told and "0.563" in told


@pytest.mark.slow
def test_how_common_relations_are(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("At least two ships left.\nThe sea was calm.\nNobody came.\n")
    found = json.loads(cli("evaluate", "meaning", "--corpus", "c.txt", "--json").stdout)
    counts = found["prevalence"]["c.txt"]
    assert counts["sentences"] == 3
    assert [counts[key]["found"] for key in ("quantifier", "logic", "either")] == [1, 1, 2]
    assert "17.0%" in cli("evaluate", "meaning", "--corpus", "c.txt").stdout  # the published share


@pytest.mark.slow
def test_what_metrics_find_together(cli: Cli) -> None:
    run = ("evaluate", "meaning", "--round-trips", str(READ), "--round-trips", str(MIDDLES))
    found = json.loads(cli(*run, "--json").stdout)
    assert found["round_trips"] == {"held_out": 205, "bugs": 36, "all": 410}
    best = {row["metric"]: row["auc"] for row in found["metrics"]}
    assert best["semmt-h"] >= 0.85
    overlap = {row["metric"]: row for row in found["overlap"]}
    assert overlap["semmt-r"]["shared"]["semmt-d"] == overlap["semmt-d"]["shared"]["semmt-r"]
    assert all(row["alone"] <= row["bugs"] <= 36 for row in found["overlap"])
    more = {(row["first"], row["second"]): row["bugs"] for row in found["improvement"]}
    assert more["leven", "semmt-r"] == (
        overlap["semmt-r"]["bugs"] - overlap["leven"]["shared"]["semmt-r"]
    )
    assert [row["k"] for row in found["k"]][::5] == [0.0, 0.5, 1.0]
    assert found["k"][-1]["auc"] == best["semmt-r"] and found["k"][0]["auc"] == best["semmt-d"]
    assert sum(row["bugs"] for row in found["kinds"].values()) == 36
    assert [row["trips"] for row in found["middles"]] == [170, 170, 70]
    told = cli(*run).stdout
    assert "+102, +0.03, +0.16" in told and "apertium:eng-cat" in told  # figure 8; point by middle


@pytest.mark.slow
def test_what_is_wrong_with_the_readings_is_told(cli: Cli, tmp_path: Path) -> None:
    assert "nothing to evaluate" in cli("evaluate", "meaning", code=2).stderr
    (tmp_path / "r.jsonl").write_text('{"source": "a", "back": "b", "bug": true}\n')
    told = cli("evaluate", "meaning", "--round-trips", "r.jsonl", code=2).stderr
    assert "both kinds are needed" in told
    (tmp_path / "d.tsv").write_text("lines with a vowel\t[(\n")
    assert "d.tsv:1" in cli("evaluate", "meaning", "--descriptions", "d.tsv", code=2).stderr


@pytest.mark.slow
def test_capabilities_of_stored_runs(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def same(text):\n    return 'positive'\n")
    rows = [{"text": "a good film", "label": "positive", "capability": "praise"}] * 2
    rows[1] = {"text": "a bad film", "label": "negative", "capability": "blame"}
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    cli("run", "--system", "python:m:same", "--corpus", "s.jsonl", "--method", "suite", "-q")
    told = cli("evaluate", "capabilities", "-o", "table.md").stdout
    assert "1 of 1: 100.0% (20.7 to 100.0)" in told
    assert "python:m:same" in told  # no colons are read as a picture
    assert "| Blame | 1 of 1: 100.0%" in (tmp_path / "table.md").read_text()
    (tmp_path / "t.txt").write_text("The old bridge was closed.\nThe new road is open.\n")
    other = ("run", "--system", "python:m:same", "--corpus", "t.txt", "--method", "llm")
    cli(*other, "--store", "other.sqlite", "-q")
    lost = cli("evaluate", "capabilities", "other.sqlite:", code=2).stderr
    assert "tested no capability" in lost


def test_published_rates_stand_beside_the_capabilities_of_the_paper() -> None:
    found = published_rates()
    assert found["Short sentences with neutral adjectives and nouns"].startswith("BERT 85.7%")
    assert found["Hate expressed using a slur"].endswith("GPT-3.5 0.7%")
    assert len(found) == 25 and all(found.values())
