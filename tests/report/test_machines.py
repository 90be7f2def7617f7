"""Reports for machines: JUnit tells failure from error, SARIF points at the corpus, both hold hostile text."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from polyglitch.errors import UsageError
from polyglitch.report.html import write_report

from .samples import HOSTILE, finding, hostile_finding, summary


def test_junit_tells_violations_from_what_could_not_be_judged(tmp_path: Path) -> None:
    told = msgspec.structs.replace(summary(), undecided_reasons={"timeout: no answer in 5 s": 3})
    path = write_report(tmp_path / "r.xml", told, [finding(further=1)])
    root = ElementTree.parse(path).getroot()
    failures = root.findall(".//failure")
    errors = root.findall(".//error")
    assert len(failures) == 1
    assert "O moinho está fechado." in (failures[0].text or "")
    assert [error.get("message") for error in errors] == ["3 cases: timeout: no answer in 5 s"]


@pytest.mark.parametrize("text", [*HOSTILE, "\x00\ufffe nul"])
def test_hostile_text_stays_text_in_xml(tmp_path: Path, text: str) -> None:
    path = write_report(tmp_path / "r.xml", summary(text), [hostile_finding(text)])
    names = {element.tag for element in ElementTree.parse(path).iter()}
    assert names <= {"testsuites", "testsuite", "testcase", "failure", "error"}


def test_sarif_points_at_the_line_of_the_corpus(tmp_path: Path) -> None:
    found = finding()
    found = msgspec.structs.replace(
        found, seed=msgspec.structs.replace(found.seed, origin="data/mine.txt:17")
    )
    path = write_report(tmp_path / "r.sarif", summary(), [found, hostile_finding(HOSTILE[0])])
    run = json.loads(path.read_text())["runs"][0]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "data/mine.txt"
    assert place["region"]["startLine"] == 17
    assert "locations" not in run["results"][1]
    assert run["results"][0]["partialFingerprints"]["polyglitch/issue"] == found.issue.id


def test_logs_of_other_tools_hold_every_violation(tmp_path: Path) -> None:
    shown = [finding(), finding(name="2", further=1)]
    logs = {}
    for name in ("inspect", "promptfoo"):
        path = write_report(tmp_path / f"found.{name}.json", summary(), shown)
        logs[name] = json.loads(path.read_text("utf-8"))
    samples = logs["inspect"]["samples"]
    assert len(samples) == 3 and logs["inspect"]["version"] == 2
    keys = list(logs["inspect"])  # its viewer reads all of these, and none after the samples
    assert {"status", "eval", "plan", "results", "stats"} <= set(keys[: keys.index("samples")])
    assert samples[0]["scores"]["polyglitch"]["explanation"] == "the structure changed"
    assert samples[0]["metadata"]["original_answer"] == "A ponte está fechada."
    rows = logs["promptfoo"]["results"]["results"]
    assert [row["response"]["output"] for row in rows] == ["O moinho está fechado."] * 3
    assert [row["testIdx"] for row in rows] == [0, 1, 2]
    with pytest.raises(UsageError, match="inspect"):
        write_report(tmp_path / "found.json", summary(), shown)
