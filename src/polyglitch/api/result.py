"""What a campaign found, as an object: figures, cases, findings, a table, a report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from markupsafe import Markup

from polyglitch.api.tables import Breakdown, Comparison, Counts, RunSummary, counted, pandas
from polyglitch.api.told import CaseResult, Found, case_html, told_lines
from polyglitch.errors import UsageError
from polyglitch.evaluate.regression import compare_outcomes
from polyglitch.records import Case, Verdict
from polyglitch.registry import suggest
from polyglitch.report.html import findings_for, prepare, write_report
from polyglitch.results.answer import gate_of
from polyglitch.results.history import History
from polyglitch.results.summary import summarise
from polyglitch.store.store import Store

DRAWN = 5  # issues that a notebook shows of a result
AT_ONCE = 256  # cases read together
PROPERTIES: dict[str, Callable[[Case, Verdict], str]] = {
    "method": lambda case, verdict: case.method,
    "relation": lambda case, verdict: case.relation,
    "capability": lambda case, verdict: str(
        case.data.get("capability") or case.relation.partition(":")[2] or "-"
    ),
    "edit": lambda case, verdict: case.edit.kind if case.edit else "-",
    "seed": lambda case, verdict: case.seed_id,
    "reason": lambda case, verdict: verdict.reason or "; ".join(verdict.reasons) or "-",
}


@dataclass(frozen=True, repr=False)
class Result:
    """A finished run. Everything is read from its store when it is asked for."""

    run_id: str
    figures: dict[str, Any]
    store: str
    scratch: TemporaryDirectory[str] | None = field(default=None)  # removed with the result
    title: str = ""

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
    def summary(self) -> RunSummary:
        """The figures of the run, by method, with suspected bugs; `print(result.summary)`."""
        with self._history() as history:
            found = summarise(history, title=self.title)
        return RunSummary(**{name: getattr(found, name) for name in found.__struct_fields__})

    @property
    def findings(self) -> list[Found]:
        """The issues, worst first, each with its seed and violations."""
        return list(self._found())

    @property
    def cases(self) -> list[CaseResult]:
        """Every case with what the system answered and what the oracle said of it."""
        with self._history() as history:
            return list(each_case(history))

    def by(self, name: str) -> Breakdown:
        """How the cases came out by `method`, `relation`, `capability`, `edit`, `seed` or `reason`, the worst first."""
        if name not in PROPERTIES:
            raise UsageError(
                f"by({name!r}): cases have no such property{suggest(name, tuple(PROPERTIES))}"
            )
        counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        with self._history() as history:
            for case, verdict in each_verdict(history):
                counts[PROPERTIES[name](case, verdict)][verdict.outcome] += 1
        return Breakdown(name, {key: Counts(**outcomes) for key, outcomes in counts.items()})

    def to_pandas(self) -> Any:
        """A DataFrame with a row a case; pandas must be installed."""
        library = pandas()
        return library.DataFrame([row_of(found) for found in self.cases], columns=COLUMNS)

    def report(self, path: str | Path) -> Path:
        """Write the report of this run: .html .jsonl .csv .md .xml .sarif."""
        with self._history() as history:
            prepare([path], history)
            found = findings_for(path, history)
            return write_report(path, summarise(history, title=self.title), found)

    def compare(self, other: Result) -> Comparison:
        """What `other`, the newer run, fixed and broke against this one, on the cases that both have."""
        if not isinstance(other, Result):
            raise UsageError(f"compare({type(other).__name__}): give the result of another run")
        with self._history() as old, other._history() as new:
            found = compare_outcomes(
                old.store.verdicts.case_outcomes(old.run_id),
                new.store.verdicts.case_outcomes(new.run_id),
                dict(new.store.verdicts.case_capabilities(new.run_id)),
            )
        return Comparison(**{name: getattr(found, name) for name in found.__struct_fields__})

    def assert_rate(self, most: float) -> None:
        """Fail, showing the worst issue, when more than this share is violated, or the run tells nothing."""
        __tracebackhide__ = True
        if self.violation_rate > most or self.untrusted:
            raise AssertionError(self.describe(most))

    @property
    def untrusted(self) -> tuple[str, ...]:
        """Why the share that holds says nothing: answers all alike, or too many cases undecided."""
        return gate_of(self.figures, fail_under=0.0).failures

    def describe(self, most: float) -> str:
        """The figures and the worst issue, as a person would want to read them in a test log."""
        figures = self.figures
        decided = figures["cases"] - figures["undecided"]
        if not decided:
            reason = next(iter(self.summary.undecided_reasons), "no case was made")
            return f"nothing was decided of {figures['cases']:,} cases, most often since: {reason}"
        if self.untrusted:
            return " ".join(self.untrusted)
        lines = [
            f"{self.violation_rate:.1%} of {decided:,} decided cases are violated, more than {most:.1%} "
            f"({counted(figures['issues'], 'issue')}, {figures['undecided']:,} undecided). The worst:"
        ]
        for finding in self._found(1):
            lines += ["", *(f"  {line}" for line in told_lines(*finding.violations[0]))]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return (
            f"<Result {self.run_id[:8]}: {self.holds:.1%} of {self.figures['cases']:,} cases hold>"
        )

    def _repr_html_(self) -> str:
        cards = [
            case_html(*found.violations[0]) for found in self._found(DRAWN) if found.violations
        ]
        more = self.figures["issues"] - len(cards)
        told = (
            f"and {more:,} more: result.findings, result.report('report.html')" if more > 0 else ""
        )
        head = Markup(self.summary._repr_html_())  # noqa: S704 - made safe where it is made
        return str(
            Markup("<div>{}{}<div>{}</div></div>").format(head, Markup("").join(cards), told)
        )

    def _found(self, most: int | None = None) -> Iterator[Found]:
        with self._history() as history:
            for number, finding in enumerate(history.findings()):
                if number == most:
                    return
                yield Found(**{name: getattr(finding, name) for name in finding.__struct_fields__})

    @contextmanager
    def _history(self) -> Iterator[History]:
        with closing(Store(self.store)) as store:
            yield History(store, self.run_id)


def each_verdict(history: History) -> Iterator[tuple[Case, Verdict]]:
    """Every case of a run with its verdict, in the order of the methods."""
    for name in history.routes:
        yield from history.store.verdicts.get(history.run_id, name)


def each_case(history: History) -> Iterator[CaseResult]:
    """Every case of a run with its outputs and its verdict."""
    pairs = list(each_verdict(history))
    for start in range(0, len(pairs), AT_ONCE):
        some = pairs[start : start + AT_ONCE]
        trials = history.trials([case for case, _ in some])
        for (case, verdict), trial in zip(some, trials, strict=True):
            yield CaseResult(case, trial, verdict)


COLUMNS = (
    "method", "relation", "outcome", "score", "reason", "input", "changed", "output", "output_changed",
    "old", "new", "seed", "case",
)  # fmt: skip


def row_of(found: CaseResult) -> dict[str, Any]:
    """A case as a row of a table; a case of one input has nothing changed."""
    case, pair = found.case, len(found.inputs) > 1
    return {
        "method": case.method,
        "relation": case.relation,
        "outcome": found.outcome,
        "score": found.verdict.score,
        "reason": found.reason,
        "input": found.inputs[0],
        "changed": found.inputs[-1] if pair else None,
        "output": found.outputs[0],
        "output_changed": found.outputs[-1] if pair else None,
        "old": case.edit.old if case.edit else None,
        "new": case.edit.new if case.edit else None,
        "seed": case.seed_id,
        "case": case.id,
    }
