"""The report as SARIF 2.1.0, which code hosts show beside the line of the corpus that a finding came from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from polyglitch import __version__
from polyglitch.report.findings import Finding, Limits, Summary
from polyglitch.report.junit import told

ORIGIN = re.compile(r"(?P<file>.+):(?P<line>\d+)$")
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_report(summary: Summary, findings: Iterable[Finding], limits: Limits) -> Iterator[str]:
    """One run with a rule a method and a result an issue, streamed."""
    rules = [{"id": row.method, "name": row.method} for row in summary.methods]
    tool = {"driver": {"name": "polyglitch", "version": __version__, "rules": rules}}
    failed = [
        {"level": "error", "message": {"text": f"{count} cases undecided: {reason}"}}
        for reason, count in summary.undecided_reasons.items()
    ]
    invocation = {"executionSuccessful": True, "toolExecutionNotifications": failed}
    if summary.command:
        invocation["commandLine"] = summary.command
    yield f'{{"$schema": {json.dumps(SCHEMA)}, "version": "2.1.0", "runs": [{{"tool": {json.dumps(tool)}, '
    yield f'"invocations": {json.dumps([invocation])}, '
    yield f'"properties": {json.dumps({"signature": summary.signature})}, "results": ['
    for number, finding in enumerate(findings):
        yield (",\n" if number else "\n") + json.dumps(result(finding))
    yield "\n]}]}\n"


def result(finding: Finding) -> dict[str, Any]:
    """An issue as a SARIF result, with a fingerprint that stays the same from run to run."""
    issue = finding.issue
    message = "\n\n".join(told(trial, verdict) for trial, verdict in finding.violations)
    found: dict[str, Any] = {
        "ruleId": issue.method,
        "level": "warning",
        "message": {"text": message or finding.seed.input.text},
        "partialFingerprints": {"polyglitch/issue": issue.id},
        "properties": {"severity": issue.severity, "kind": issue.kind},
    }
    if place := ORIGIN.match(finding.seed.origin):
        region = {"startLine": int(place["line"])}
        where = {"artifactLocation": {"uri": place["file"]}, "region": region}
        found["locations"] = [{"physicalLocation": where}]
    return found
