"""`polyglitch judge`: saved outputs in, verdicts out."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.needs("jieba")]

PAIR = {
    "id": "a1",
    "source": "委员会星期一批准了这项关于农村学校的计划。",
    "followup": "委员会星期一批准了这项关于农村医院的计划。",
    "source_output": "The committee approved the plan for rural schools on Monday.",
    "followup_output": "The committee approved the plan for rural hospitals on Monday.",
    "source_lang": "zh",
    "target_lang": "en",
    "relation": "similar",
}
WORSE = PAIR | {"id": 7, "followup_output": "Nobody knows what happened to the rural hospitals."}


def lines(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def test_verdicts_come_in_order_with_reasons_and_places(cli: Any, tmp_path: Path) -> None:
    source, target = lines(tmp_path / "p.jsonl", PAIR, WORSE), tmp_path / "v.jsonl"
    done = cli("judge", "-i", source, "-o", target)
    first, second = map(json.loads, target.read_text("utf-8").splitlines())
    assert (first["id"], second["id"]) == ("a1", 7)
    assert set(first) == {"id", "score", "violated", "reasons", "spans"}
    assert first["violated"] is False and second["violated"] is True
    assert first["score"] < second["score"]
    assert second["reasons"]
    for span in second["spans"]:
        text = WORSE["followup_output" if span["output"] else "source_output"]
        assert 0 <= span["start"] < span["end"] <= len(text)
    assert "2 pairs: 1 violated, 0 undecided" in done.stderr
    assert "aligned(" in done.stderr


def test_tables_in_and_out(cli: Any, tmp_path: Path) -> None:
    source, target = tmp_path / "p.csv", tmp_path / "v.csv"
    with source.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, PAIR)
        table.writeheader()
        table.writerows([PAIR, WORSE | {"relation": "", "source_lang": ""}])
    cli("judge", "-i", source, "-o", target, "-q")
    with target.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["violated"] for row in rows] == ["False", "True"]
    assert json.loads(rows[1]["spans"])


def test_a_published_oracle_by_name(cli: Any, tmp_path: Path) -> None:
    source = lines(tmp_path / "p.jsonl", WORSE)
    row = json.loads(cli("judge", "-i", source, "--oracle", "similar-enough").stdout)
    assert row["violated"] is True
    done = cli("judge", "-i", source, "--oracle", "raw-distance", "--threshold", "0.5", code=2)
    assert "has no such setting" in done.stderr


def test_empty_outputs_are_undecided_and_counted(cli: Any, tmp_path: Path) -> None:
    source = lines(tmp_path / "p.jsonl", PAIR | {"source_output": "", "followup_output": " "})
    done = cli("judge", "-i", source)
    row = json.loads(done.stdout)
    assert row["violated"] is None and row["score"] is None
    assert row["reasons"] == ["both outputs are empty"]
    assert "1 undecided" in done.stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"id": 1}\n', "line 1: Object missing required field `source`"),
        ("not json\n", "line 1:"),
        (json.dumps(PAIR | {"relation": "equal"}) + "\n", "similar, contained or different"),
    ],
)
def test_a_bad_line_is_named(cli: Any, tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "p.jsonl").write_text(content, "utf-8")
    assert said in cli("judge", "-i", tmp_path / "p.jsonl", code=2).stderr


def test_what_is_not_there_is_said(cli: Any, tmp_path: Path) -> None:
    assert "no such file" in cli("judge", "-i", "nowhere.jsonl", code=2).stderr
    source = lines(tmp_path / "p.jsonl", PAIR)
    assert (
        "did you mean 'aligned'" in cli("judge", "-i", source, "--oracle", "alined", code=2).stderr
    )
    (tmp_path / "p.csv").write_text("id,source\n1,x\n", "utf-8")
    assert "no column 'followup'" in cli("judge", "-i", tmp_path / "p.csv", code=2).stderr
