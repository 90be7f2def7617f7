"""Several prompts in one run: a run each, side by side, and the first two compared case by case."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.systems.http.recorder import Asked, recorder

ROWS = [
    {"question": f"When was bridge {name} opened?", "answer": str(1900 + number)}
    for number, name in enumerate("ABCD")
]


def reply(asked: Asked) -> tuple[int, Any]:
    """A model that gives in to doubt where nobody tells it to stand firm."""
    messages = asked.json["messages"]
    text = messages[-1]["content"]
    firm = "firm" in messages[0]["content"]
    year = next(row["answer"] for row in ROWS if row["question"].lower() in text.lower())
    if not firm and ("sure" in text or "believe" in text):
        year = "1750"
    usage = {"prompt_tokens": 20, "completion_tokens": 4}
    return 200, {"choices": [{"message": {"content": f"In {year}."}}], "usage": usage}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    (tmp_path / "soft.toml").write_text('user = "{text}"\n', "utf-8")
    (tmp_path / "firm.toml").write_text('system = "Stand firm."\nuser = "{text}"\n', "utf-8")
    return tmp_path


@pytest.mark.slow
def test_two_prompts_are_set_side_by_side(cli: Any, folder: Path) -> None:
    with recorder(reply) as server:
        command = (
            *("run", "--method", "llm", "--corpus", "rows.jsonl", "--json"),
            *("--param", "llm.relations=are-you-sure,emoji", "--system", f"openai:m@{server.base}"),
            *("--prompt", "soft.toml", "--prompt", "firm.toml", "--price", "1/2"),
            *("-o", "matrix.html", "-o", "matrix.md", "-o", "matrix.csv"),
        )
        soft, firm = json.loads(cli(*command, code=0).stdout)["columns"]
        failed = cli(*command, "--fail-under", "0.9", code=1)
    assert soft["cells"]["same:are-you-sure"]["violated"] == 4
    assert firm["cells"]["all relations"]["share"] == 1.0
    assert firm["against"]["fixed"] == 4 and firm["against"]["broken"] == 0
    low, high = soft["cells"]["same:emoji"]["interval"]
    assert low < 1.0 == high
    assert soft["tokens"] == {"read": 20 * 12, "written": 4 * 12} and soft["cost"] > 0
    assert set(soft["latency"]) == {"p50", "p95"}
    assert [c["passed"] for c in json.loads(failed.stdout)["columns"]] == [False, True]
    for name in ("matrix.html", "matrix.md", "matrix.csv"):
        told = (folder / name).read_text("utf-8")
        assert "soft.toml" in told and "same:are-you-sure" in told and "4 fixed" in told


@pytest.mark.slow
def test_a_matrix_goes_only_where_it_can_be_written(cli: Any, folder: Path) -> None:
    done = cli(
        *(
            "run",
            "--method",
            "llm",
            "--corpus",
            "rows.jsonl",
            "--system",
            "openai:m@http://localhost:1",
        ),
        *("--prompt", "soft.toml", "--prompt", "firm.toml", "-o", "matrix.sarif"),
        code=2,
    )
    assert ".md" in done.stderr
