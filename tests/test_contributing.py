"""The recipes of CONTRIBUTING.md, as they stand there, make a package whose parts work."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from tests.conftest import ROOT, Cli

PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """The files of the page, and beside them what `pip install -e .` would write: the entry points."""
    for name, text in re.findall(r"^# file: (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text("utf-8"))["project"]
    about = tmp_path / "mine-0.1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 0.1\n")
    lines = [
        line
        for group, points in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {target}" for name, target in points.items()))
    ]
    (about / "entry_points.txt").write_text("\n".join(lines))
    (tmp_path / "texts.txt").write_text("The bridge is old.\nWe left early!\nNo mark here\n")
    return tmp_path


@pytest.mark.slow
def test_a_method_and_a_system(mine: Path, cli: Cli) -> None:
    assert "final-mark" in cli("list", "methods").stdout
    campaign = ("run", "--corpus", "texts.txt", "--method", "final-mark", "--json")
    letters = json.loads(cli(*campaign, "--system", "backwards:letters").stdout)
    assert (letters["cases"], letters["undecided"]) == (2, 0)
    strict = cli(*campaign, "--system", "backwards:words", "--param", "final-mark.least=1")
    assert json.loads(strict.stdout)["violations"] == 2  # "old. is" without its mark is "old is"
    assert "backwards:words or" in cli(*campaign, "--system", "backwards:x", code=2).stderr


@pytest.mark.slow
def test_a_metric(mine: Path, cli: Cli) -> None:
    done = cli(
        "measure",
        "--metric",
        "length-ratio",
        "-i",
        "-",
        stdin='{"id": 1, "a": "one two", "b": "one"}',
    )
    assert "0.428" in done.stdout


@pytest.mark.slow
@pytest.mark.needs("spacy", "vaderSentiment")
def test_a_relation(mine: Path, cli: Cli) -> None:
    done = cli(
        "run", "--system", "vader", "--corpus", "texts.txt", "--method", "alict", "--param", "alict.suite=relations",
        "--param", "alict.expansions=0", "-o", "out.jsonl", "--json",
    )  # fmt: skip
    assert json.loads(done.stdout)["cases"] == 3
    written = (mine / "out.jsonl").read_text("utf-8")
    assert re.search(r"(note|know): The bridge is old", written)
