"""What a run has to train on: outputs that were corrected, and mutants on whose outputs the oracle found no fault."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from polyglitch.errors import UsageError
from polyglitch.history import History
from polyglitch.records import Trial
from polyglitch.repair.export import Row
from polyglitch.repair.fixes import Mended

AT_ONCE = 200  # cases whose outputs are read together


def corrected(
    history: History, mended: Iterable[Mended], only_confirmed: bool = False
) -> Iterator[Row]:
    """The proposals of a repair; `only_confirmed` leaves out issues that nobody has called a bug."""
    bugs = confirmed(history)
    if only_confirmed and not bugs:
        raise UsageError(
            f"--confirmed: no issue of run {history.run_id} is labelled a bug; `polyglitch review` labels them"
        )
    for each in mended:
        if only_confirmed and each.issue_id not in bugs:
            continue
        for fix in each.fixes:
            yield Row(fix.source, fix.after, fix.before, each.issue_id)


def confirmed(history: History) -> set[str]:
    """The issues that someone called a bug and nobody called none."""
    said: dict[str, set[str]] = {}
    for label in history.store.run_labels(history.run_id):
        said.setdefault(label.issue_id, set()).add(label.verdict)
    return {
        name for name, verdicts in said.items() if "bug" in verdicts and "not a bug" not in verdicts
    }


def agreed(history: History) -> Iterator[Row]:
    """All mutants, and their seeds, with outputs on which the relation held and no case of the run was violated."""
    outcomes = list(history.store.case_outcomes(history.run_id))
    held = {(method, case) for method, case, outcome in outcomes if outcome == "holds"}
    violated = {(method, case) for method, case, outcome in outcomes if outcome == "violated"}
    blamed = {
        item.text for trial in trials(history, sorted(violated)) for item in trial.case.inputs
    }
    for trial in trials(history, sorted(held)):
        for item, output in zip(trial.case.inputs, trial.outputs, strict=True):
            if output.ok and item.text not in blamed:
                yield Row(item.text, output.label or output.text, origin=trial.case.seed_id)


def trials(history: History, named: Sequence[tuple[str, str]]) -> Iterator[Trial]:
    """Cases by method and name with their outputs, some at a time."""
    for start in range(0, len(named), AT_ONCE):
        some = named[start : start + AT_ONCE]
        for method in dict.fromkeys(method for method, _ in some):
            ids = [case for name, case in some if name == method]
            pairs = history.store.verdicts(history.run_id, method, ids=ids)
            yield from history.trials([case for case, _ in pairs])
