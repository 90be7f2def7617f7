"""The pytest plugin: the `polyglitch` fixture and `--polyglitch-report FILE`."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

if TYPE_CHECKING:
    from polyglitch.api.result import Result
    from polyglitch.api.run import CorpusLike, SystemLike

_report: Path | None = None
_started = 0.0
_names: set[str] = set()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Our option, in a group of its own."""
    group = parser.getgroup("polyglitch")
    group.addoption(
        "--polyglitch-report",
        metavar="FILE",
        help="write what the checks found: .html .jsonl .csv .md .xml .sarif; of several checks each to a file of its "
        "own, FILE with the test's name, and in HTML a page that leads to them",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Remember where reports go; an extension that no report has is refused before any test runs."""
    global _report, _started
    name = config.getoption("--polyglitch-report", default=None)
    _report, _started = Path(name) if name else None, time.time()
    _names.clear()
    if _report is not None:
        from polyglitch.errors import UsageError
        from polyglitch.report.html import writer_for

        try:
            writer_for(_report)
        except UsageError as error:
            raise pytest.UsageError(f"--polyglitch-report: {error}") from None


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Bring the reports together and say where they are."""
    for path in gathered():
        terminalreporter.write_line(f"polyglitch report: {path}")


def gathered() -> list[Path]:
    """The reports of this session: one takes the name that was asked for, several get a page that leads to them."""
    if _report is None or not _report.parent.is_dir():
        return []
    # Looked for on the disk, since the processes of pytest-xdist wrote theirs there.
    made = sorted(
        path
        for path in _report.parent.glob(f"{_report.stem}-*{_report.suffix}")
        if path.stat().st_mtime >= _started - 1
    )
    if len(made) == 1:
        return [made[0].replace(_report)]
    if made and _report.suffix.lower() == ".html":
        _report.write_text(index_page(made, _report.stem), "utf-8")
        return [_report]
    return made


def index_page(reports: list[Path], stem: str) -> str:
    """A page with a link to each report."""
    items = "".join(
        f'<li><a href="{quote(path.name)}">{escape(path.stem.removeprefix(f"{stem}-"))}</a></li>\n'
        for path in reports
    )
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Polyglitch checks</title>\n'
        f"<h1>{len(reports)} checks</h1>\n<ul>\n{items}</ul>\n</html>\n"
    )


def keep_report(test: str, result: Result) -> None:
    """Write the report of a check where one was asked for: FILE-TEST.EXTENSION."""
    if _report is None:
        return
    name = base = re.sub(r"[^\w.-]+", "-", test).strip("-") or "check"
    number = 1
    while name in _names:
        number += 1
        name = f"{base}-{number}"
    _names.add(name)
    result.report(_report.with_name(f"{_report.stem}-{name}{_report.suffix}"))


@pytest.fixture
def polyglitch(request: pytest.FixtureRequest) -> Callable[..., Result]:
    """Run a campaign: `polyglitch(method="sit", system=..., ...)` gives a result to judge."""
    from polyglitch.testing.check import run_check

    def start(
        system: SystemLike, method: str, corpus: CorpusLike = "sample", **options: Any
    ) -> Result:
        result = run_check(system, method, corpus=corpus, **options)
        keep_report(request.node.name, result)
        return result

    return start
