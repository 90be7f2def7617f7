"""The report as JUnit XML: a suite a method, a failure an issue, an error for what could not be judged.

The report as SARIF 2.1.0, which code hosts show beside the line of the corpus that a finding came from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from polyglitch import __version__
from polyglitch.files.foreign import Foreign, Plain, plain, spelled_out
from polyglitch.records import Trial, Verdict
from polyglitch.results.findings import Finding, ReportLimits, Summary
from polyglitch.results.tables import CapabilityResult

# Characters that XML 1.0 cannot carry in any form.
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_report(
    summary: Summary, findings: Iterable[Finding], limits: ReportLimits
) -> Iterator[str]:
    """Issues as failed tests; the counts of each suite are those of all its cases."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield tag("testsuites", name=summary.title, tests=summary.cases, time=f"{summary.seconds:.3f}")
    yield from alarms(summary)
    yield from suites(summary)
    yield tag("testsuite", name="issues", tests=summary.issues, failures=summary.issues, errors=0)
    for finding in findings:
        yield from test_case(finding)
    yield "</testsuite>\n</testsuites>\n"


def alarms(summary: Summary) -> Iterator[str]:
    """What makes the figures void, as tests that failed."""
    if summary.alarms:
        count = len(summary.alarms)
        yield tag("testsuite", name="alarms", tests=count, failures=count, errors=0)
        for alarm in summary.alarms:
            yield tag("testcase", classname="polyglitch.alarm", name=alarm)
            yield tag("failure", message=alarm, type="alarm", close=True) + "</testcase>\n"
        yield "</testsuite>\n"


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
    for result in summary.capabilities:
        suite = tag(
            "testsuite",
            name=f"{result.method}: {result.title}",
            tests=result.cases,
            failures=result.failed,
            errors=result.undecided,
        )
        yield suite + capability_properties(result) + capability_test(result) + "</testsuite>\n"
    if summary.undecided_reasons:
        count = len(summary.undecided_reasons)
        yield tag("testsuite", name="undecided", tests=count, failures=0, errors=count)
        for reason, cases in summary.undecided_reasons.items():
            yield tag("testcase", classname="polyglitch.undecided", name=reason)
            yield tag("error", message=f"{cases} cases: {reason}", close=True) + "</testcase>\n"
        yield "</testsuite>\n"


def capability_properties(result: CapabilityResult) -> str:
    """What JUnit has no attribute for, as properties of the suite."""
    low, high = result.interval or (0.0, 1.0)
    told = {
        "capability": result.name,
        "failure rate": "" if result.rate is None else result.rate,
        "interval": f"{low:.4f} to {high:.4f}",
        "expansions": result.expansions,
        "pass to fail": result.pass_to_fail,
    }
    rows = (tag("property", close=True, name=name, value=value) for name, value in told.items())
    return f"<properties>{''.join(rows)}</properties>"


def capability_test(result: CapabilityResult) -> str:
    """A capability as one test, since viewers of JUnit count tests and skip a suite without any."""
    case = tag("testcase", classname=f"polyglitch.{result.method}.capability", name=result.title)
    if not result.failed:
        return case + "</testcase>"
    grown = f", {result.pass_to_fail} of {result.expansions} expansions though their seed held"
    told = f"{result.failed} of {result.decided} failed: {result.rate_in_words}"
    told += grown if result.expansions else ""
    return case + tag("failure", message=told, type="capability", close=True) + "</testcase>"


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
    yield text(all_told(finding))
    yield "</failure></testcase>\n"


def all_told(finding: Finding) -> Foreign:
    """The violations of an issue, one after the other."""
    return Foreign("\n\n".join(told(trial, verdict).raw for trial, verdict in finding.violations))


def told(trial: Trial, verdict: Verdict) -> Foreign:
    """A violation as lines of text: each input above its output, then the score."""
    lines = []
    for item, output in zip(trial.case.inputs, trial.outputs, strict=True):
        lines += [item.text, f"  -> {output.label or output.text or output.error}"]
    if trial.case.expected and verdict.reasons:  # a label is right or wrong; how far says little
        lines.append(f"  {'; '.join(verdict.reasons)}")
    elif verdict.score is not None:
        lines.append(
            f"  score {verdict.score:g}, threshold {verdict.threshold} ({verdict.direction})"
        )
    return Foreign("\n".join(lines))


def tag(element: str, /, *, close: bool = False, **attributes: object) -> str:
    """An opening tag, or a closed one, with every attribute made safe."""
    told = "".join(f" {key}={quoteattr(clean(str(value)))}" for key, value in attributes.items())
    return f"<{element}{told}{'/' if close else ''}>"


def text(value: Foreign) -> str:
    """Character data made safe."""
    return escape(clean(value.raw))


def clean(value: str) -> str:
    """Text with what XML forbids, and what hides, made visible."""
    return FORBIDDEN.sub("\ufffd", "\n".join(spelled_out(line) for line in value.split("\n")))


ORIGIN = re.compile(r"\A(?P<file>.+):(?P<line>\d+)$")
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_report(
    summary: Summary, findings: Iterable[Finding], limits: ReportLimits
) -> Iterator[str]:
    """One run with a rule a method and a result an issue, streamed."""
    rules = [{"id": plain(row.method), "name": plain(row.method)} for row in summary.methods]
    tool = {"driver": {"name": "polyglitch", "version": __version__, "rules": rules}}
    failed = [{"level": "error", "message": message(plain(alarm))} for alarm in summary.alarms]
    failed += [
        {"level": "error", "message": message(plain(f"{count} cases undecided: {reason}"))}
        for reason, count in summary.undecided_reasons.items()
    ]
    invocation: dict[str, Any] = {"executionSuccessful": True, "toolExecutionNotifications": failed}
    if summary.command:
        invocation["commandLine"] = spelled_out(summary.command)
    yield f'{{"$schema": {json.dumps(SCHEMA)}, "version": "2.1.0", "runs": [{{"tool": {json.dumps(tool)}, '
    yield f'"invocations": {json.dumps([invocation])}, '
    yield f'"properties": {json.dumps({"signature": spelled_out(summary.signature)})}, "results": ['
    for number, finding in enumerate(findings):
        yield (",\n" if number else "\n") + json.dumps(result(finding))
    yield "\n]}]}\n"


def message(said: Plain) -> dict[str, Plain]:
    """A message of SARIF; only text without links and hidden characters is taken."""
    return {"text": said}


def result(finding: Finding) -> dict[str, Any]:
    """An issue as a SARIF result, with a fingerprint that stays the same from run to run."""
    issue = finding.issue
    said = all_told(finding) or Foreign(finding.seed.input.text)
    found: dict[str, Any] = {
        "ruleId": plain(issue.method),
        "level": "warning",
        "message": message(said.plain()),
        "partialFingerprints": {"polyglitch/issue": issue.id},
        "properties": {"severity": issue.severity, "kind": plain(issue.kind)},
    }
    if place := ORIGIN.match(finding.seed.origin):
        region = {"startLine": int(place["line"])}
        where = {
            "artifactLocation": {"uri": quote(place["file"], errors="replace")},
            "region": region,
        }
        found["locations"] = [{"physicalLocation": where}]
    return found
