"""A campaign's issues as files: HTML to look at, JSON lines to read back, CSV, Markdown."""

from polyglitch.report.html import WRITERS, write_report
from polyglitch.results.findings import Finding, MethodCount, Summary

__all__ = ["WRITERS", "Finding", "MethodCount", "Summary", "write_report"]
