"""A campaign's issues as files: HTML to look at, JSON lines to read back, CSV, Markdown."""

from polyglitch.report.findings import Finding, MethodCount, Summary
from polyglitch.report.write import WRITERS, write_report

__all__ = ["WRITERS", "Finding", "MethodCount", "Summary", "write_report"]
