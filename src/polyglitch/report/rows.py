"""The report as JSON lines: every finding whole, to be read back.

The report as a table for spreadsheets: one row a violation.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from polyglitch.errors import UsageError
from polyglitch.files.foreign import Cell, cell
from polyglitch.records import Output, Trial, Verdict, decode, encode
from polyglitch.results.findings import Finding, ReportLimits, Summary


def jsonl_report(
    summary: Summary, findings: Iterable[Finding], limits: ReportLimits
) -> Iterator[str]:
    """One line a finding."""
    for finding in findings:
        yield line_of(finding) + "\n"


def line_of(finding: Finding) -> str:
    """A finding as JSON; half a surrogate pair, which JSON cannot carry, becomes `?`."""
    try:
        return encode(finding)
    except UnicodeEncodeError:
        text = json.dumps(msgspec.to_builtins(finding), ensure_ascii=False)
        return text.encode("utf-8", "replace").decode()


def read_findings(path: str | Path) -> Iterator[Finding]:
    """The findings of a .jsonl report, one at a time."""
    with Path(path).open(encoding="utf-8", newline="\n") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield decode(line, Finding)
            except msgspec.MsgspecError as error:
                raise UsageError(f"{path}, line {number}: not a finding: {error}") from error


COLUMNS = (
    "method",
    "issue_id",
    "seed_id",
    "case_id",
    "outcome",
    "score",
    "threshold",
    "direction",
    "source",
    "follow_up",
    "output",
    "follow_up_output",
    "reasons",
    "also_found_by",
)
Value = Cell | float | None


def csv_report(
    summary: Summary, findings: Iterable[Finding], limits: ReportLimits
) -> Iterator[str]:
    """A header, then one row a violation, worst findings first."""
    yield csv_line(map(cell, COLUMNS))
    for finding in findings:
        for trial, verdict in finding.violations:
            yield csv_line(violation_row(finding, trial, verdict))


def violation_row(finding: Finding, trial: Trial, verdict: Verdict) -> tuple[Value, ...]:
    """The cells of a violation, in the order of the columns."""
    sources = [item.text for item in trial.case.inputs]
    answers = [answer(chain[-1]) for chain in trial.chains if chain]
    reasons = dict.fromkeys(filter(None, (*verdict.reasons, verdict.reason)))
    texts = (
        finding.issue.method,
        finding.issue.id,
        finding.seed.id,
        trial.case.id,
        verdict.outcome,
    )
    told = (
        "".join(sources[:1]),
        "\n".join(sources[1:]),
        "".join(answers[:1]),
        "\n".join(answers[1:]),
        "; ".join(reasons),
        ", ".join(finding.also_found_by),
    )
    numbers = (verdict.score, verdict.threshold)
    return *map(cell, texts), *numbers, cell(verdict.direction or ""), *map(cell, told)


def answer(output: Output) -> str:
    """An output in one line: its label or text, or why there is none."""
    if not output.ok:
        return f"[{output.status}] {output.error}".rstrip()
    return output.text if output.label is None else output.label


def csv_line(cells: Iterable[Value]) -> str:
    """A row of CSV; only texts that no spreadsheet runs are taken, numbers stay numbers."""
    buffer = io.StringIO()
    csv.writer(buffer).writerow(cells)
    return buffer.getvalue()
