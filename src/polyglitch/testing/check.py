"""`@polyglitch.check(...)`: a test that fails when a system violates a relation too often."""

from __future__ import annotations

import functools
import inspect
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyglitch.campaign import make_campaign
from polyglitch.flow import run
from polyglitch.report.ci_formats import told
from polyglitch.report.marks import spelled_out
from polyglitch.report.write import write_report
from polyglitch.results.findings import Finding
from polyglitch.results.history import History
from polyglitch.results.summary import summarise
from polyglitch.store.store import Store

SystemLike = str | Callable[..., Any]


@dataclass(frozen=True)
class Result:
    """What a campaign found, for a test to judge."""

    run_id: str
    figures: dict[str, Any]
    store: str

    @property
    def violation_rate(self) -> float:
        """The share of decided cases that are violated."""
        decided = self.figures["cases"] - self.figures["undecided"]
        return float(self.figures["violations"] / decided) if decided else 1.0

    def findings(self) -> list[Finding]:
        """The issues, worst first."""
        with closing(Store(self.store)) as store:
            return list(History(store, self.run_id).findings())

    def write(self, path: str | Path) -> Path:
        """Write the report of this run."""
        with closing(Store(self.store)) as store:
            history = History(store, self.run_id)
            return write_report(path, summarise(history), history.findings())

    def assert_rate(self, most: float) -> None:
        """Fail, showing the worst issue, when more than this share is violated."""
        if self.violation_rate > most:
            raise AssertionError(self.describe(most))

    def describe(self, most: float) -> str:
        """The figures and the worst issue, as a person would want to read them in a test log."""
        figures = self.figures
        lines = [
            f"{self.violation_rate:.1%} of {figures['cases'] - figures['undecided']} decided cases are violated, "
            f"more than {most:.1%} ({figures['issues']} issues, {figures['undecided']} undecided). The worst:"
        ]
        for finding in self.findings()[:1]:
            trial, verdict = finding.violations[0]
            lines += [f"  {spelled_out(line)}" for line in told(trial, verdict).split("\n")]
            lines += [f"  {spelled_out(reason)}" for reason in verdict.reasons[:5]]
        return "\n".join(lines)


def run_check(
    system: SystemLike, method: str, store: str, corpus: str = "sample", **options: Any
) -> Result:
    """Run a campaign for a test; options are those of `polyglitch run`."""
    campaign = make_campaign(
        {
            "system": address(system),
            "methods": method.split(","),
            "corpus": corpus,
            "store": store,
            **options,
        }
    )
    run_id, figures = run(campaign)
    return Result(run_id, figures, store)


def address(system: SystemLike) -> str:
    """The URI of a system; a function is named by where it stands."""
    if isinstance(system, str):
        return system
    return f"python:{system.__module__}:{system.__qualname__}"


def check(
    method: str,
    system: SystemLike,
    max_violation_rate: float = 0.05,
    corpus: str = "sample",
    store: str | None = None,
    **options: Any,
) -> Callable[[Callable[..., Any]], Callable[[], None]]:
    """Make a function a test: the campaign runs, its rate is judged, then the function may look at the result."""

    def decorate(function: Callable[..., Any]) -> Callable[[], None]:
        takes = inspect.signature(function).parameters

        @functools.wraps(function)
        def test() -> None:
            with tempfile.TemporaryDirectory() as folder:
                where = store or str(Path(folder) / "runs.sqlite")
                result = run_check(system, method, where, corpus, **options)
                from polyglitch.testing.plugin import keep_report

                keep_report(function.__name__, result)
                result.assert_rate(max_violation_rate)
                function(result) if takes else function()

        del test.__wrapped__  # else pytest looks for the arguments as fixtures
        return test

    return decorate
