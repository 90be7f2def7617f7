"""The report as text: JSON lines, every finding whole, to be read back; a table for spreadsheets, one row a violation;
and a short Markdown text, for a pull request: totals and the worst issues.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import msgspec

from polyglitch.errors import UsageError
from polyglitch.files.foreign import Cell, cell, spelled_out
from polyglitch.records import Output, Trial, Verdict, decode, encode
from polyglitch.report.cards import Card, ShownOutput, ShownText, Violation, card
from polyglitch.results.answer import day_in_words
from polyglitch.results.findings import Finding, ReportLimits, Summary
from polyglitch.results.tables import told


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


MOST_NUMBERS = 20  # issues named of one bug
LONGEST = 300  # characters of one text: ten rows must fit on a screen
SPECIAL = re.compile(r"([\\`*_\[\]|~#$])")
ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
# Hosts link these wherever they stand, and a mention notifies a stranger: a comment splits them.
LINKING = re.compile(r"(@|:(?=//)|www(?=\.)|\\#)", re.IGNORECASE)


def markdown_report(
    summary: Summary, findings: Iterable[Finding], limits: ReportLimits
) -> Iterator[str]:
    """Totals, methods, and the worst issues, each a row."""
    for alarm in summary.alarms:
        yield f"> **{safe(alarm)}**\n\n"
    yield f"## {safe(summary.title)}\n\n"
    yield from lead(summary)
    yield f"Tested: {safe(summary.system)}, {safe(day_in_words(summary.created))}\n\n"
    yield from totals(summary)
    yield from methods(summary)
    yield from capabilities(summary)
    yield from relations(summary)
    yield from bugs(summary)
    short = ReportLimits(characters=LONGEST)
    shown = 0
    for shown, finding in enumerate(islice(findings, limits.worst), 1):
        if shown == 1:
            yield "### Worst issues\n\n| # | Method | Score | Original | Follow-up |\n"
            yield "|--:|---|--:|---|---|\n"
        yield issue_row(card(shown, finding, summary.languages, short))
    if summary.issues > shown:
        yield f"\n{summary.issues - shown:,} more in the HTML and .jsonl reports.\n"
    yield f"\nSignature: {safe(summary.signature)}\n"


def lead(summary: Summary) -> Iterator[str]:
    """What came of it in a sentence, and whether the limit held."""
    if summary.answer:
        yield f"**{safe(summary.answer)}**"
        yield f" {safe(summary.gate.sentence)}\n\n" if summary.gate else "\n\n"


def totals(summary: Summary) -> Iterator[str]:
    """The table of totals."""
    names = ("issues", "violations", "cases", "seeds", "queries", "undecided", "errors")
    yield "| " + " | ".join(names) + " |\n" + "|--:" * len(names) + "|\n"
    yield "| " + " | ".join(f"{getattr(summary, name):,}" for name in names) + " |\n\n"


def methods(summary: Summary) -> Iterator[str]:
    """The table of methods."""
    if not summary.methods:
        return
    yield "| method | issues | violated | held | undecided |\n|---|--:|--:|--:|--:|\n"
    for row in summary.methods:
        figures = (row.issues, row.violated, row.holds, row.undecided)
        yield f"| {safe(row.method)} | " + " | ".join(f"{n:,}" for n in figures) + " |\n"
    yield "\n"


def capabilities(summary: Summary) -> Iterator[str]:
    """The table of capabilities, in words."""
    if not summary.capabilities:
        return
    yield "| capability | cases | failed | failure rate (95%) | undecided | pass to fail |\n|---|--:|--:|--:|--:|--:|\n"
    for row in summary.capabilities:
        figures = f"{row.cases:,} | {row.failed:,} | {row.rate_in_words} | {row.undecided:,}"
        yield f"| {safe(row.title)} | {figures} | {row.pass_to_fail_in_words} |\n"
    yield "\n"


def relations(summary: Summary) -> Iterator[str]:
    """The table of relations, where there are several."""
    if len(summary.relations) < 3:
        return
    yield "| relation | holds | violated | undecided |\n|---|---|--:|--:|\n"
    for name, counts in summary.relations.items():
        yield f"| {safe(name)} | {told(counts)} | {counts.violated:,} | {counts.undecided:,} |\n"
    yield "\n"


def bugs(summary: Summary) -> Iterator[str]:
    """The bugs behind several issues, a line each."""
    if summary.bugs:
        yield f"### {summary.groups:,} bugs; behind several issues\n\n"
    for bug in summary.bugs:
        numbers = ", ".join(f"{number}" for number in bug.numbers[:MOST_NUMBERS])
        more = "" if len(bug.numbers) <= MOST_NUMBERS else ", …"
        yield f"- {safe(bug.title)}: {len(bug.numbers):,} issues (number {numbers}{more})\n"
    if summary.bugs:
        yield "\n"


def issue_row(shown: Card) -> str:
    """An issue as a row: what was asked above what was answered."""
    cells = [str(shown.number), safe(shown.finding.issue.method), "", "", ""]
    worst = shown.worst
    if worst is not None:
        cells[2] = worst.score
        cells[3] = column(worst, 0)
        why = safe("; ".join(reason.text for reason in worst.reasons))
        cells[4] = "<br>".join(filter(None, (column(worst, 1), why)))
    return "| " + " | ".join(cells) + " |\n"


def column(worst: Violation, place: int) -> str:
    """One input with its output, the differing words in bold."""
    asked = [bold(item.text) for item in worst.asked[place : place + 1]]
    answered = ["→ " + reply(item) for item in worst.answered[place : place + 1]]
    return "<br>".join(asked + answered)


def reply(answered: ShownOutput) -> str:
    """An output in one line: its label or text, or why there is none."""
    if answered.status != "ok":
        return safe(f"{answered.status}: {answered.error}"[:LONGEST])
    return bold(answered.text) if answered.label is None else f"<b>{safe(answered.label)}</b>"


def bold(text: ShownText) -> str:
    """A text with its marked words in bold; tags, since `**` fails beside some punctuation."""
    runs = []
    for piece in text.pieces:
        marked = piece.changed or piece.fault is not None
        runs.append(f"<b>{safe(piece.text)}</b>" if marked else safe(piece.text))
    return "".join(runs) + ("…" if text.cut else "")


def safe(text: str) -> str:
    """Text that Markdown shows as it is: no markup, HTML, links, mentions or line breaks."""
    flat = re.sub(r"\s+", " ", spelled_out(text)).translate(ENTITIES)
    return LINKING.sub(r"\1<!-- -->", SPECIAL.sub(r"\\\1", flat))
