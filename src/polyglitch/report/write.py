"""Writes a report in the format that the file's extension names, whole or not at all."""

from __future__ import annotations

import gc
import os
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TextIO, cast

from polyglitch.errors import UsageError
from polyglitch.registry import suggest
from polyglitch.results.findings import Finding, ReportLimits, Summary
from polyglitch.results.history import History

COLLECTED_AT = 50_000  # new objects: some megabytes
STDOUT = "-"  # as the name of a report: lines of JSON on standard output
Writer = Callable[[Summary, Iterable[Finding], ReportLimits], Iterator[str]]

# Lazy names, as in the registry: a CSV report has no need of Jinja2.
WRITERS = {
    ".html": "polyglitch.report.html:html_report",
    ".jsonl": "polyglitch.report.text_formats:jsonl_report",
    ".csv": "polyglitch.report.text_formats:csv_report",
    ".md": "polyglitch.report.text_formats:markdown_report",
    ".xml": "polyglitch.report.ci_formats:junit_report",
    ".sarif": "polyglitch.report.ci_formats:sarif_report",
    ".inspect.json": "polyglitch.report.evaluation_logs:inspect_log",
    ".promptfoo.json": "polyglitch.report.evaluation_logs:promptfoo_results",
}


FOR_PEOPLE = (".html", ".md")


def writer_for(path: Path) -> Writer:
    """The writer that a file's extension names, or an error that names the known ones."""
    extension = ".jsonl" if str(path) == STDOUT else path.suffix.lower()
    if extension == ".json":  # of several kinds: the name before it tells which
        extension = "".join(path.suffixes[-2:]).lower()
    if extension not in WRITERS:
        raise UsageError(
            f"cannot write a report to {str(path)!r}: no format has the extension "
            f"{extension!r}{suggest(extension, tuple(WRITERS))}"
        )
    module, _, name = WRITERS[extension].partition(":")
    return cast(Writer, getattr(import_module(module), name))


def findings_for(path: str | Path, history: History) -> Iterator[Finding]:
    """A run's findings as a format wants them: for people, what several methods found on the same inputs is one."""
    read_by_people = Path(path).suffix.lower() in FOR_PEOPLE
    return history.merged_findings() if read_by_people else history.findings()


def write_report(
    path: str | Path,
    summary: Summary,
    findings: Iterable[Finding],
    limits: ReportLimits | None = None,
) -> Path:
    """Write a campaign's findings, worst first as they come, each read when it is written."""
    path = Path(path)
    pieces = writer_for(path)(summary, findings, limits or ReportLimits())
    if str(path) == STDOUT:
        for piece in pieces:
            sys.stdout.buffer.write(piece.encode("utf-8", "backslashreplace"))
        sys.stdout.flush()
        return path
    with rarely_collected(), replacing(path) as stream:
        for piece in pieces:
            stream.write(piece)
    return path


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Look for unused cycles only now and then: a report makes millions of objects, and they go by themselves.

    Every few hundred objects, as is usual, looking takes a tenth of a report's time (`python -m benchmarks.scale`)."""
    before = gc.get_threshold()
    gc.set_threshold(COLLECTED_AT, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """A text file that takes its place only when all of it is written."""
    # Not tempfile: its files are readable by their owner alone, and a report is to be shared.
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = draft.open("x", encoding="utf-8", errors="backslashreplace", newline="")
    except OSError as error:
        raise UsageError(
            f"cannot write a report to {str(path)!r}: {error}; name a file in a folder that "
            "you may write to"
        ) from error
    try:
        with stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
