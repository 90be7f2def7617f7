"""The pytest plugin: the `polyglitch` fixture and `--polyglitch-report FILE`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from polyglitch.api.result import Result

_report: Path | None = None
_written: list[Path] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    """Our option, in a group of its own."""
    group = parser.getgroup("polyglitch")
    group.addoption(
        "--polyglitch-report",
        metavar="FILE",
        help="write what each check found: .html .jsonl .csv .md .xml .sarif; the test's name is added",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Remember where reports go."""
    global _report
    name = config.getoption("--polyglitch-report", default=None)
    _report = Path(name) if name else None
    _written.clear()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say where the reports are."""
    for path in _written:
        terminalreporter.write_line(f"polyglitch report: {path}")


def keep_report(test: str, result: Result) -> None:
    """Write the report of a check where one was asked for: FILE-TEST.EXTENSION."""
    if _report is not None:
        path = _report.with_name(f"{_report.stem}-{test}{_report.suffix}")
        _written.append(result.report(path))


@pytest.fixture
def polyglitch(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Result]:
    """Run a campaign: `polyglitch(method="sit", system=..., ...)` gives a result to judge."""
    from polyglitch.testing.check import run_check

    def start(system: Any, method: str, corpus: str = "sample", **options: Any) -> Result:
        result = run_check(system, method, str(tmp_path / "runs.sqlite"), corpus, **options)
        keep_report(request.node.name, result)
        return result

    return start
