"""SemMT end to end with translators whose faults are known, and the command that writes regexes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from polyglitch import registry
from polyglitch.errors import UsageError
from polyglitch.methods.semmt import semmt
from polyglitch.records import Case, Input, Output, Trial
from polyglitch.review.evidence import evidence
from polyglitch.tools import Toolbox

pytestmark = pytest.mark.slow

SYSTEMS = """
def there(text): return text.replace("at least", "at most") if "dogs" in text else text
def back(text): return text.replace("not ", "") if "cats" in text else text
def plain(text): return text
"""


def trial(text: str, there: str, back: str) -> Trial:
    case = Case("c", "s", "same meaning", (Input(text, language="en"),))
    return Trial(case, ((Output(there), Output(back)),))


def test_a_campaign_reports_both_trips_and_says_which_is_at_fault(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "fakes.py").write_text(SYSTEMS)
    (tmp_path / "seeds.txt").write_text(
        "They keep at least five dogs.\nThe cats did not eat.\nOnly two birds sing.\nHe sleeps.\n"
    )
    cli(
        "run", "--system", "python:fakes:there", "--back", "python:fakes:back", "--corpus", "seeds.txt",
        "--method", "semmt", "--source-language", "en", "--target-language", "en", "-o", "out.jsonl", "-q",
        "--param", "semmt.mutants=0", "--param", "semmt.cross=python:fakes:plain",
        "--param", "semmt.cross_back=python:fakes:plain",
    )  # fmt: skip
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    found = [json.dumps(row) for row in rows if "dogs" in str(row) or "cats" in str(row)]
    text = " ".join(found)
    assert "At least" not in text and "at most five dogs" in text
    assert "probably the backward trip" in next(row for row in found if "cats" in row)
    assert not any("birds" in str(row.get("seed", "")) for row in rows)


@pytest.mark.skipif(
    not Path("/usr/share/apertium/modes/es-pt.mode").exists(),
    reason="apertium-es-pt is not installed",
)
def test_another_translator_tells_which_trip_of_a_real_one_is_at_fault(
    cli: Any, tmp_path: Path
) -> None:
    """English and Portuguese by Firefox's models, and for cross reference through Spanish by rules."""
    (tmp_path / "back.sh").write_text("apertium -u pt-es | apertium -u spa-eng\n")
    (tmp_path / "seeds.txt").write_text(
        "lines that contain at most five digits\n"  # there: "não máximo"
        "The ferry runs every day apart from Monday.\n"  # there: "além de", beyond
        "The museum is closed on every second Tuesday of the month.\n"  # back: "Monday Tuesday"
    )
    done = cli(
        "run", "--system", "firefox:en-pt", "--back", "firefox:pt-en", "--corpus", "seeds.txt", "--method", "semmt",
        "--param", "semmt.mutants=0", "--param", "semmt.cross_back=cmd-once:sh back.sh", "-o", "out.jsonl", "-q",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    found = {
        row["seed"]["input"]["text"].split()[1]: row["violations"][0][1]["reasons"][-1].split()[2]
        for row in rows
        if "violations" in row
    }
    assert found == {"that": "forward", "ferry": "forward", "museum": "backward"}


def test_without_an_answer_to_compare_no_trip_is_blamed(tmp_path: Path) -> None:
    (tmp_path / "down.py").write_text("def back(text): raise ConnectionError('no route')\n")
    method = semmt(cross_back=f"python:{tmp_path / 'down.py'}:back")
    lost = trial("At least 9 of them left.", "x", "At most 9 of them left.")
    (verdict,) = method.compare([lost], Toolbox())
    assert verdict.outcome == "violated"
    assert verdict.reasons[-1].startswith("which trip is at fault cannot be told")


def test_cross_reference_one_way_is_refused() -> None:
    with pytest.raises(UsageError, match="cross_back"):
        semmt(cross="apertium:eng-spa")


def test_sentence_vectors_are_a_metric_like_the_others() -> None:
    texts = [
        ("At least 9 of them left.", "No fewer than nine of them left."),
        ("At least 9 of them left.", "The soup was served cold in the garden."),
    ]
    alike, other = registry.load("metrics", "sbert").score(texts)
    assert 0.6 < alike <= 1 and other < 0.3
    verdict = semmt(("sbert",), (0.4,)).compare([trial(texts[1][0], "x", texts[1][1])], Toolbox())[
        0
    ]
    assert verdict.outcome == "violated" and verdict.details["sbert"] == pytest.approx(other)


def test_metrics_join_by_either_or_or_by_weights() -> None:
    lost = trial("At least 9 of them left.", "x", "At most 9 of them left.")
    for method in (
        semmt(("semmt-r", "leven"), (0.79, 0.2)),
        semmt(("leven", "semmt-d"), (0.2, 0.5)),
        semmt(("semmt-r", "semmt-d"), (0.7,), weights=(0.5, 0.5)),
        semmt(("semmt-h",), (0.7,), k=0.1),
    ):
        verdict = method.compare([lost], Toolbox())[0]
        assert verdict.outcome == "violated"
        assert verdict.severity >= 0
    kept = trial("At least 9 of them left.", "x", "No fewer than nine of them left.")
    assert semmt().compare([kept], Toolbox())[0].outcome == "holds"
    with pytest.raises(UsageError, match="as many thresholds"):
        semmt(("semmt-r", "semmt-d"), (0.5,))


def test_a_violation_leaves_its_regexes_and_automata_to_be_drawn() -> None:
    text, back = "lines that contain at least 3 digits", "lines that contain at most 3 digits"
    (verdict,) = semmt().compare([trial(text, "...", back)], Toolbox())
    assert verdict.outcome == "violated"
    one, other = verdict.drawn["regexes"].values()
    assert "{3,}" in one and "3}" in other and one != other
    assert len(verdict.drawn["automata"]) == 2
    seen = evidence(Case("c", "s", "same meaning", ()), verdict)
    assert len(seen.regexes) == len(seen.automata) == 2


def test_what_has_nothing_to_compare_is_undecided() -> None:
    verdict = semmt().compare([trial("He sleeps.", "x", "He sleeps.")], Toolbox())[0]
    assert (verdict.outcome, verdict.reason) == ("undecided", "no quantifier or logical relation")


def test_regex_command(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("lines with a vowel before a number\nblah blah\n")
    cli("regex", "-i", "in.txt", "-o", "out.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert rows[0]["regex"] == "([AEIOUaeiou]).*([0-9]).*"
    assert 0 < rows[0]["confidence"] <= 1
    assert (rows[1]["regex"], rows[1]["confidence"]) == ("", 0.0)
    assert cli("regex", "-i", "nowhere.txt", code=2).stderr.count("nowhere.txt") == 1


@pytest.mark.parametrize("name", ["chrf", "ter", "lcs", "levenshtein", "bag", "bleu"])
def test_any_listed_metric_has_a_limit_by_its_direction(name: str) -> None:
    lost = trial("At least 9 of them left.", "x", "Whoever stayed was happy with at most two.")
    kept = trial("At least 9 of them left.", "x", "At least 9 of them left.")
    method = semmt((name,))
    (worse,), (same,) = method.compare([lost], Toolbox()), method.compare([kept], Toolbox())
    assert (worse.outcome, same.outcome) == ("violated", "holds")
    assert worse.direction == ("above" if name in ("ter", "levenshtein", "bag") else "below")
    assert worse.severity > 0
    assert semmt(("semmt-r", name)).compare([lost], Toolbox())[0].outcome == "violated"


def test_weights_need_one_direction() -> None:
    with pytest.raises(UsageError, match="one direction"):
        semmt(("semmt-r", "ter"), (0.5,), weights=(1, 1))
