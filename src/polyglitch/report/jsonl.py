"""The report as JSON lines: every finding whole, to be read back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from polyglitch.errors import UsageError
from polyglitch.records import decode, encode
from polyglitch.report.findings import Finding, Limits, Summary


def jsonl_report(summary: Summary, findings: Iterable[Finding], limits: Limits) -> Iterator[str]:
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
