"""Files: chosen by extension, whole or not there, and safe in the hands of other programs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.errors import UsageError
from polyglitch.files.foreign import cell
from polyglitch.records import Output, Verdict
from polyglitch.report import WRITERS, Finding, write_report
from polyglitch.report.text_formats import (
    csv_line,
    csv_report,
    jsonl_report,
    markdown_report,
    read_findings,
    safe,
)
from polyglitch.results.findings import ReportLimits

from .samples import HOSTILE, finding, hostile_finding, many, summary


def test_unknown_extension_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"report\.htm'.*\.html.*") as caught:
        write_report(tmp_path / "report.htm", summary(), [])
    for known in WRITERS:
        assert known in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("extension", WRITERS)
def test_a_report_that_fails_half_way_leaves_the_old_one(tmp_path: Path, extension: str) -> None:
    target = tmp_path / f"report{extension}"
    target.write_text("yesterday's")

    def breaking() -> Iterator[Finding]:
        yield from many(3)
        assert target.read_text() == "yesterday's", "nothing is replaced before the end"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_report(target, summary(issues=9), breaking())
    assert target.read_text() == "yesterday's"
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


def test_who_reads_the_old_report_can_read_on(tmp_path: Path) -> None:
    target = tmp_path / "report.csv"
    target.write_text("yesterday's")
    with target.open() as reader:
        write_report(target, summary(), [finding()])
        assert reader.read() == "yesterday's", "the new report is another file, put in its place"
    assert "moinho" in target.read_text("utf-8")


@pytest.mark.parametrize("extension", [*WRITERS, ".HTML"])
def test_every_format_is_written_into_a_new_folder(tmp_path: Path, extension: str) -> None:
    target = tmp_path / "deep" / f"report{extension}"
    assert write_report(target, summary(), [finding()]) == target
    assert "moinho" in target.read_text("utf-8")
    assert target.stat().st_mode & 0o044, "others may read it, as with any file"


def test_a_folder_is_no_place_for_a_report(tmp_path: Path) -> None:
    (tmp_path / "x.csv").mkdir()
    with pytest.raises(UsageError, match=r"x\.csv.*is a folder"):
        write_report(tmp_path / "x.csv", summary(), [finding()])
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


def test_json_lines_are_read_back_as_they_were(tmp_path: Path) -> None:
    honest = [finding(name=str(n), further=n) for n in range(3)]
    odd = finding(outputs=("line\u2028break\nand\rmore", "\u202ehidden \x07"))
    target = write_report(tmp_path / "r.jsonl", summary(), [*honest, odd])
    assert list(read_findings(target)) == [*honest, odd]


def test_half_a_surrogate_does_not_lose_the_finding() -> None:
    line = "".join(jsonl_report(summary(), [finding(outputs=("a\ud800b", "c"))], ReportLimits()))
    back = msgspec.json.decode(line, type=Finding)
    assert back.violations[0][0].outputs[0].text == "a?b"


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    target = write_report(tmp_path / "r.jsonl", summary(), many(2))
    target.write_text(target.read_text() + '{"record":"finding/1"}\n')
    with pytest.raises(UsageError, match="line 3: not a finding"):
        list(read_findings(target))


def rows_of(findings: list[Finding]) -> list[dict[str, str]]:
    text = "".join(csv_report(summary(), findings, ReportLimits()))
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_csv_has_a_row_for_each_violation() -> None:
    rows = rows_of([finding(further=2), finding(name="2")])
    assert [row["case_id"] for row in rows] == ["case-1-0", "case-1-1", "case-1-2", "case-2-0"]
    assert rows[0]["score"] == "7.0" and rows[0]["threshold"] == "2.0"
    assert rows[0]["follow_up"] == "The mill is closed."
    assert rows[0]["follow_up_output"] == "O moinho está fechado."


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝"])
def test_formulas_are_not_run(start: str) -> None:
    attack = start + 'cmd|"/c calc"!A1'
    [row] = rows_of([finding(sources=(attack, attack), outputs=(attack, attack), reason=attack)])
    for column in ("source", "follow_up", "output", "follow_up_output", "reasons"):
        assert row[column] == "'" + attack


@pytest.mark.slow
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_csv_keeps_every_text(text: str) -> None:
    [row] = rows_of([finding(sources=(text, "b"))])
    assert row["source"].replace("'", "") == text.replace("'", "")
    assert not row["source"].startswith(tuple("=+-@\t\r\n"))


@pytest.mark.parametrize("cut", [";", "\t"])
@pytest.mark.parametrize(
    "attack", ["foo;=cmd|' /C calc'!A0", "a;  @SUM(1)", "x\n=1+1", 'x;"=1', "a\t+1", "  =1", ";-2"]
)
def test_no_locale_finds_a_formula(attack: str, cut: str) -> None:
    text = "".join(csv_report(summary(), [finding(outputs=(attack, attack))], ReportLimits()))
    for line in text.splitlines():
        for piece in line.split(cut):
            assert not piece.strip(' "').startswith(tuple("=+-@")) or is_number(piece), piece


def is_number(text: str) -> bool:
    """Whether a cell is one of our own figures."""
    return text.lstrip("-").replace(".", "").isdigit()


def test_negative_scores_stay_numbers() -> None:
    assert csv_line([-0.5, cell("-0.5")]) == "-0.5,'-0.5\r\n"


def test_failed_outputs_say_so_in_csv() -> None:
    whole = finding()
    trial, verdict = whole.violations[0]
    failed = msgspec.structs.replace(
        trial, chains=((Output(status="timeout", error="30 s"),), (Output(label="bad"),))
    )
    [row] = rows_of([msgspec.structs.replace(whole, violations=((failed, verdict),))])
    assert (row["output"], row["follow_up_output"]) == ("[timeout] 30 s", "bad")


def markdown(findings: list[Finding], **more: int) -> str:
    return "".join(markdown_report(summary(**more), findings, ReportLimits()))


def test_markdown_shows_the_ten_worst_and_counts_the_rest() -> None:
    text = markdown(list(many(25)), issues=25)
    rows = [line for line in text.splitlines() if re.match(r"\| \d+ \| sit", line)]
    assert len(rows) == 10
    assert "15 more in the HTML and .jsonl reports" in text
    assert "<b>O moinho</b> está <b>fechado</b>" in rows[0]


@pytest.mark.parametrize("attack", [*HOSTILE, "a | b\n\n# c", "`x` *y* [z](http://e.org) @all #1"])
def test_markdown_cannot_be_broken_out_of(attack: str) -> None:
    text = markdown([hostile_finding(attack), finding(sources=(attack, "b"))])
    assert set(re.findall(r"<[^>]*>", text)) <= {"<b>", "</b>", "<br>", "<!-- -->"}
    table = [line for line in text.splitlines() if re.match(r"\| \d+ \| ", line)]
    issues = table[-2:]
    for row in issues:
        assert len(re.findall(r"(?<!\\)\|", row)) == 6, "five cells"
    assert "\u202e" not in text


def test_markdown_links_and_mentions_are_split() -> None:
    assert safe("@all see http://e.org or www.e.org, #12") == (
        r"@<!-- -->all see http:<!-- -->//e.org or www<!-- -->.e.org, \#<!-- -->12"
    )
    assert safe(r"a\|b*c_d`e[f]") == r"a\\\|b\*c\_d\`e\[f\]"


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (
            Verdict("c", "violated", score=0.7125, threshold=0.96, direction="below"),
            "at least 0.96",
        ),
        (Verdict("c", "violated", score=float("inf"), threshold=-1.5), "at most −1.5"),
    ],
)
def test_limits_are_told_in_words(tmp_path: Path, verdict: Verdict, words: str) -> None:
    whole = finding()
    shown = msgspec.structs.replace(whole, violations=((whole.violations[0][0], verdict),))
    assert words + " passes" in write_report(tmp_path / "r.html", summary(), [shown]).read_text()
