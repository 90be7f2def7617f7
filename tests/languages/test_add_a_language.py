"""docs/how-to/add-a-language.md, as it stands there, makes a language that the package does not have."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.conftest import ROOT, Cli

PAGE = (ROOT / "docs/how-to/add-a-language.md").read_text("utf-8")
FACTS = (
    "run --system cmd:cat --corpus ca.txt --source-language ca --target-language ca --method facts "
    "--store ca.sqlite"
)


@pytest.fixture
def catalan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of the page, in a folder that the environment names."""
    for name, text in re.findall(r"^# file: (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    monkeypatch.setenv("POLYGLITCH_LANGUAGES", str(tmp_path / "mine"))
    (tmp_path / "ca.txt").write_text("El govern no va dir res dels 12 pobles.\n", "utf-8")
    return tmp_path / "mine" / "ca"


@pytest.mark.slow
def test_the_folder_of_the_page_is_a_language(catalan: Path, cli: Cli) -> None:
    assert (catalan / "language.toml").is_file() and f"polyglitch {FACTS}" in PAGE
    rows = {row["name"]: row for row in json.loads(cli("list", "languages", "--json").stdout)}
    mine = rows["ca"]
    assert mine["parts"]["negation"]["ready"] == "8 words"
    assert mine["witnesses"]["facts"]["state"] == "ready"
    assert mine["methods"]["facts"]["state"] == "weaker"  # until somebody writes facts.toml
    assert "ca_core_news_sm" in mine["methods"]["rti"]["command"]
    # The first languages are those with a folder, and Catalan has one now.
    assert list(rows).index("ca") < list(rows).index("de")


@pytest.mark.slow
@pytest.mark.needs("vaderSentiment")
def test_its_sentences_are_tested_by_what_needs_no_parser(catalan: Path, cli: Cli) -> None:
    done = cli(*FACTS.split(), code=None)
    assert "1 queries" in done.stdout and done.returncode in (0, 1), done.stderr
    command = "run --system vader --corpus ca.txt --source-language ca --method relations --json"
    told = json.loads(cli(*command.split(), "--store", "r.sqlite").stdout)
    assert told["cases"] >= 10
    refused = cli(
        *command.replace("vader", "cmd:cat").replace("relations", "semmt").split(), code=2
    )
    assert "semmt reads English only" in refused.stderr or "--back" in refused.stderr


@pytest.mark.slow
def test_a_field_that_nobody_knows_is_named_with_its_file(catalan: Path, cli: Cli) -> None:
    file = catalan / "language.toml"
    file.write_text("colour = 'red'\n" + file.read_text("utf-8"), "utf-8")
    refused = cli("list", "languages", code=2)
    assert "ca/language.toml" in refused.stderr and "colour" in refused.stderr
