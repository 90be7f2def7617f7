"""What a campaign found, as an object: figures, cases, findings, a table, a report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from polyglitch.files.foreign import spelled_out
from polyglitch.records import Case, Trial, Verdict
from polyglitch.report.ci_formats import told
from polyglitch.report.write import write_report
from polyglitch.results.findings import Finding, Summary
from polyglitch.results.history import History
from polyglitch.results.summary import summarise
from polyglitch.store.store import Store


@dataclass(frozen=True)
class Result:
    """A finished run. Everything is read from its store when it is asked for."""

    run_id: str
    figures: dict[str, Any]
    store: str
    scratch: TemporaryDirectory[str] | None = field(
        default=None, repr=False
    )  # removed with the result

    @property
    def violation_rate(self) -> float:
        """The share of decided cases that are violated; 1 where none was decided."""
        decided = self.figures["cases"] - self.figures["undecided"]
        return float(self.figures["violations"] / decided) if decided else 1.0

    @property
    def holds(self) -> float:
        """The share of decided cases that hold."""
        return 1.0 - self.violation_rate

    @property
    def summary(self) -> Summary:
        """The figures of the run, by method, with suspected bugs."""
        with self._history() as history:
            return summarise(history)

    @property
    def findings(self) -> list[Finding]:
        """The issues, worst first, each with its seed and violations."""
        with self._history() as history:
            return list(history.findings())

    @property
    def cases(self) -> list[tuple[Case, Trial, Verdict]]:
        """Every case with what the system answered and what the oracle said of it."""
        with self._history() as history:
            pairs = [
                pair
                for name in history.routes
                for pair in history.store.verdicts.get(history.run_id, name)
            ]
            trials = history.trials([case for case, _ in pairs])
            return [(case, t, verdict) for (case, verdict), t in zip(pairs, trials, strict=True)]

    def to_pandas(self) -> Any:
        """A DataFrame with a row a case; pandas must be installed."""
        import pandas

        return pandas.DataFrame([row_of(*found) for found in self.cases])

    def report(self, path: str | Path) -> Path:
        """Write the report of this run: .html .jsonl .csv .md .xml .sarif."""
        with self._history() as history:
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
        for finding in self.findings[:1]:
            trial, verdict = finding.violations[0]
            lines += [f"  {spelled_out(line)}" for line in told(trial, verdict).raw.split("\n")]
            lines += [f"  {spelled_out(reason)}" for reason in verdict.reasons[:5]]
        return "\n".join(lines)

    @contextmanager
    def _history(self) -> Iterator[History]:
        with closing(Store(self.store)) as store:
            yield History(store, self.run_id)


def row_of(case: Case, trial: Trial, verdict: Verdict) -> dict[str, Any]:
    """A case as a row of a table."""
    outputs = [output.label or output.text for output in trial.outputs]
    return {
        "method": case.method,
        "relation": case.relation,
        "seed": case.seed_id,
        "case": case.id,
        "inputs": [item.text for item in case.inputs],
        "outputs": outputs,
        "outcome": verdict.outcome,
        "score": verdict.score,
        "reason": verdict.reason or "; ".join(verdict.reasons),
    }
