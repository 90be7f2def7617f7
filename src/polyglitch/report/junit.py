"""The report as JUnit XML: a suite a method, a failure an issue, an error for what could not be judged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from polyglitch.records import Trial, Verdict
from polyglitch.report.findings import Finding, Limits, Summary
from polyglitch.report.visible import plain

# Characters that XML 1.0 cannot carry in any form.
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_report(summary: Summary, findings: Iterable[Finding], limits: Limits) -> Iterator[str]:
    """Issues as failed tests; the counts of each suite are those of all its cases."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield tag("testsuites", name=summary.title, tests=summary.cases, time=f"{summary.seconds:.3f}")
    yield from suites(summary)
    yield tag("testsuite", name="issues", tests=summary.issues, failures=summary.issues, errors=0)
    for finding in findings:
        yield from test_case(finding)
    yield "</testsuite>\n</testsuites>\n"


def suites(summary: Summary) -> Iterator[str]:
    """The methods with their counts, and the reasons for which cases were left undecided."""
    for row in summary.methods:
        suite = tag(
            "testsuite",
            name=row.method,
            tests=row.cases,
            failures=row.violated,
            errors=row.undecided,
        )
        yield suite + "</testsuite>\n"
    if summary.undecided_reasons:
        count = len(summary.undecided_reasons)
        yield tag("testsuite", name="undecided", tests=count, failures=0, errors=count)
        for reason, cases in summary.undecided_reasons.items():
            yield tag("testcase", classname="polyglitch.undecided", name=reason)
            yield tag("error", message=f"{cases} cases: {reason}", close=True) + "</testcase>\n"
        yield "</testsuite>\n"


def test_case(finding: Finding) -> Iterator[str]:
    """One issue: its worst violation as the message, all of them as the text."""
    worst = finding.violations[0][1] if finding.violations else None
    message = "; ".join(worst.reasons) if worst and worst.reasons else "the relation does not hold"
    yield tag(
        "testcase",
        classname=f"polyglitch.{finding.issue.method}",
        name=finding.seed.input.text[:200],
    )
    yield tag("failure", message=message, type=finding.issue.kind or "violation")
    yield text("\n\n".join(told(trial, verdict) for trial, verdict in finding.violations))
    yield "</failure></testcase>\n"


def told(trial: Trial, verdict: Verdict) -> str:
    """A violation as lines of text: each input above its output, then the score."""
    lines = []
    for item, output in zip(trial.case.inputs, trial.outputs, strict=True):
        lines += [item.text, f"  -> {output.label or output.text or output.error}"]
    if verdict.score is not None:
        lines.append(
            f"  score {verdict.score:g}, threshold {verdict.threshold} ({verdict.direction})"
        )
    return "\n".join(lines)


def tag(element: str, /, *, close: bool = False, **attributes: object) -> str:
    """An opening tag, or a closed one, with every attribute made safe."""
    told = "".join(f" {key}={quoteattr(clean(str(value)))}" for key, value in attributes.items())
    return f"<{element}{told}{'/' if close else ''}>"


def text(value: str) -> str:
    """Character data made safe."""
    return escape(clean(value))


def clean(value: str) -> str:
    """Text with what XML forbids, and what hides, made visible."""
    return FORBIDDEN.sub("\ufffd", "\n".join(plain(line) for line in value.split("\n")))
