"""Two people read the tests of a study in the browser, blind, and the figures of the paper come out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from polyglitch.cli.review import suite_of
from polyglitch.errors import UsageError
from polyglitch.evaluate.study import read_readings, read_tests, study_rows
from polyglitch.mutate.capabilities.spec import load_suite
from polyglitch.review.access import Hosts, Sessions
from polyglitch.review.study import Study, make_study
from tests.conftest import Cli

BASE = "http://127.0.0.1:8765"
FROM_US = {"origin": BASE}
TESTS = [
    {
        "text": "The film is good.",
        "label": "positive",
        "capability": "praise",
        "capability_title": "Plain words of praise",
    },
    {
        "text": "The new film is good.",
        "label": "positive",
        "capability": "praise",
        "parent": "1",
        "inputs": ["The film is good.", "The new film is good."],
    },
    {"text": "<b>Not</b> bad.", "label": "positive|neutral", "capability": "denied"},
]


@pytest.fixture
def study(tmp_path: Path) -> Study:
    path = tmp_path / "sentiment.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in TESTS))
    return Study(read_tests(path), tmp_path / "readings.jsonl", "sentiment")


def reader(study: Study, name: str) -> TestClient:
    client = TestClient(
        make_study(study, Hosts("127.0.0.1", 8765), Sessions(8765)),
        base_url=BASE,
        follow_redirects=False,
    )
    assert client.get("/").headers["location"] == "/name"
    token = field(client.get("/name").text, "token")
    client.post("/name", data={"token": token, "name": name}, headers=FROM_US)
    return client


def field(page: str, name: str) -> str:
    found = re.search(f'name="{name}" value="([^"]*)"', page)
    assert found, page
    return found[1]


def read_all(client: TestClient, label: str) -> list[str]:
    """Answer until nothing is left; the pages that were shown."""
    shown = []
    while "Keep, and the next one" in (page := client.get("/").text):
        shown.append(page)
        said = {"token": field(page, "token"), "test": field(page, "test"), "label": label}
        said |= {"relevance": "5", "validity": "4", "natural": "yes"}
        assert client.post("/keep", data=said, headers=FROM_US).status_code == 303
    return shown


@pytest.mark.slow
def test_two_readers_and_their_agreement(study: Study, cli: Cli) -> None:
    pages = read_all(reader(study, "Ana"), "positive")
    assert len(pages) == 3
    # Nothing tells which label is expected, and a test's markup is text.
    assert all("checked" not in page for page in pages)
    assert sum("&lt;b&gt;Not" in page for page in pages) == 1
    assert sum("It grew from" in page for page in pages) == 1
    assert sum("it show: Plain words of praise<" in page for page in pages) == 1
    assert sum("it show: denied<" in page for page in pages) == 1, "no title is given"
    again = reader(study, "Bo")
    assert len(read_all(again, "neutral")) == 3, "each reader reads everything"
    assert "All read" in again.get("/").text
    seed, grown = sorted(study_rows(read_readings(study.path)), key=lambda row: -row.tests)
    assert (seed.tests, seed.label, seed.relevance) == (2, 0.75, 1.0)
    assert (grown.type, grown.validity, grown.natural) == ("expansion", 0.8, 1.0)
    told = cli("evaluate", "study", str(study.path)).stdout
    assert "read by Ana, Bo" in told and "0.862" in told  # table 7 beside ours
    assert "label: Ana and Bo agree on 0 of 3" in told
    found = json.loads(cli("evaluate", "study", str(study.path), "--who", "Ana", "--json").stdout)
    assert found["readers"] == ["Ana"] and found["agreement"] == {}
    assert (
        "no reading by Cy"
        in cli("evaluate", "study", str(study.path), "--who", "Cy", code=2).stderr
    )


def test_what_is_no_answer_is_refused(study: Study) -> None:
    client = reader(study, "Ana")
    page = client.get("/").text
    said = {"token": field(page, "token"), "test": field(page, "test"), "label": "positive"}
    assert client.post("/keep", data={**said, "relevance": "9"}, headers=FROM_US).status_code == 400
    assert client.post("/keep", data={**said, "label": "x"}, headers=FROM_US).status_code == 400
    assert client.post("/keep", data={**said, "token": "x"}, headers=FROM_US).status_code == 403
    assert client.post("/keep", data=said, headers={"origin": "http://other"}).status_code == 403
    assert not study.path.exists()


def test_a_sample_is_drawn_evenly(tmp_path: Path) -> None:
    rows = [{"text": f"a {n}", "label": "x", "capability": "many"} for n in range(50)]
    rows += [{"text": f"b {n}", "label": "x", "capability": "few"} for n in range(3)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    drawn = read_tests(tmp_path / "t.jsonl", 8)
    assert sum(test.capability == "few" for test in drawn) == 3
    assert drawn == read_tests(tmp_path / "t.jsonl", 8)
    (tmp_path / "empty.jsonl").write_text('{"text": "a"}\n')
    with pytest.raises(UsageError, match="no test has a text and a label"):
        read_tests(tmp_path / "empty.jsonl")


def test_published_figures_are_those_of_the_suite_that_the_tests_are_of() -> None:
    hate = {each.title for each in load_suite("hate")[:2]}
    assert suite_of(Path("tests.jsonl"), hate) == "hate"
    assert suite_of(Path("sentiment-2.jsonl"), {"another"}) == "sentiment"
    assert suite_of(Path("tests.jsonl"), {"another", *hate}) == ""
