"""The labels of a store, joined with the verdicts of a run that they are about.

A label is of an issue. In a run with another threshold the same sentence may have another issue, or none: what was
said of its cases still holds, as long as the systems are the same, since then the answers are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from polyglitch.records import Case, Issue, Label, Verdict
from polyglitch.results.history import History
from polyglitch.results.labelled import (
    BUG,
    LabelledCase,
    Rule,
    Said,
    join_labels,
    kinds,
    method_figures,
    overlap,
)
from polyglitch.store.labels import RUN_IN_ID

AT_ONCE = 200  # verdicts read in one query
OTHER_SHELVES = {"holds": "held", "undecided": "undecided"}


class Judgements:
    """What people said that bears on one run."""

    def __init__(self, history: History, rule: Rule = "majority", who: Sequence[str] = ()) -> None:
        self.history, self.rule = history, rule
        self.reviewers: set[str] = set()
        self._issues: dict[str, list[Label]] = defaultdict(list)
        self._cases: dict[str, dict[str, Label]] = defaultdict(dict)  # case, reviewer
        rows = history.store.runs.rows()
        systems = history.definition["systems"]
        alike = {row["id"] for row in rows if row["definition"]["systems"] == systems}
        prefixes = {run[:RUN_IN_ID] for run in alike}
        for label, run, issue in history.store.labels.every():
            if who and label.who not in who:
                continue
            if run == history.run_id:
                self._issues[label.issue_id].append(label)
            for case_id in cases_of(label, issue) if run in alike else ():
                self._cases[case_id][label.who] = label
            prefix, _, case_id = label.issue_id.partition(":")
            if case_id and prefix in prefixes:
                self._cases[case_id][label.who] = label

    def items(self) -> list[LabelledCase]:
        """Every labelled sentence of the run, worst issues first, then those without an issue."""
        store, run_id = self.history.store, self.history.run_id
        raised: list[tuple[Issue, Said, int]] = []
        seen: set[tuple[str, str]] = set()
        for issue in store.verdicts.issues(run_id):
            seen.add((issue.method, issue.seed_id))
            said, place = self._word_on(issue)
            if said is not None:
                raised.append((issue, said, place))
        verdicts = self._verdicts((issue.method, issue.case_ids[0]) for issue, _, _ in raised)
        found = [
            LabelledCase(
                issue.id,
                issue.method,
                issue.seed_id,
                "issue",
                verdicts[issue.method, issue.case_ids[0]][1],
                said,
                issue.kind,
                place,
            )
            for issue, said, place in raised
            if (issue.method, issue.case_ids[0]) in verdicts
        ]
        self.reviewers |= {label.who for labels in self._issues.values() for label in labels}
        return found + self._without_issue(seen)

    def figures(self, top: int = 3) -> dict[str, Any]:
        """Precision, recall, kinds and overlap as plain data."""
        items = self.items()
        methods = [method["name"] for method in self.history.definition["methods"]]
        issues = self.history.store.verdicts.issue_counts(self.history.run_id)
        others = self.history.store.verdicts.seeds_without_issue(self.history.run_id)
        again = {twin.id for twins in self.history.twins.values() for twin in twins}
        return {
            "run": self.history.run_id,
            "join": self.rule,
            "reviewers": sorted(self.reviewers),
            "methods": {
                name: method_figures(
                    [item for item in items if item.method == name],
                    issues.get(name, 0),
                    others.get(name, 0),
                    top,
                )
                for name in methods
            },
            "all": method_figures(  # what several methods raised on the same inputs is one finding
                [item for item in items if item.id not in again],
                sum(issues.values()) - len(again),
                sum(others.values()),
                top,
            ),
            "kinds": kinds(items),
            "overlap": overlap(items),
        }

    def _word_on(self, issue: Issue) -> tuple[Said | None, int]:
        """What is said of an issue itself, or else of its cases in another run; and where its bug is."""
        if issue.id in self._issues:
            said = join_labels(self._issues[issue.id], self.rule)
            named = said.case in issue.case_ids
            return said, issue.case_ids.index(said.case) + 1 if named else 1
        first: Said | None = None
        for place, case_id in enumerate(issue.case_ids, 1):
            if case_id in self._cases:
                said = self._word_on_case(case_id)
                if said.word == BUG:
                    return said, place
                first = said if place == 1 else first
        return first, 1

    def _word_on_case(self, case_id: str) -> Said:
        labels = list(self._cases[case_id].values())
        self.reviewers |= {label.who for label in labels}
        return join_labels(labels, self.rule)

    def _without_issue(self, seen: set[tuple[str, str]]) -> list[LabelledCase]:
        """The labelled cases of sentences on which a method raised nothing: one a sentence, a bug before others."""
        names = [method["name"] for method in self.history.definition["methods"]]
        pairs = self._verdicts((name, case_id) for name in names for case_id in self._cases)
        best: dict[tuple[str, str], LabelledCase] = {}
        for (method, case_id), (case, verdict) in pairs.items():
            shelf = OTHER_SHELVES.get(verdict.outcome)
            if shelf is None or (method, case.seed_id) in seen:
                continue
            said = self._word_on_case(case_id)
            item = LabelledCase(case_id, method, case.seed_id, shelf, verdict, said)  # type: ignore[arg-type]
            known = best.get((method, case.seed_id))
            if known is None or rank(item) > rank(known):
                best[method, case.seed_id] = item
        return list(best.values())

    def _verdicts(
        self, wanted: Iterable[tuple[str, str]]
    ) -> dict[tuple[str, str], tuple[Case, Verdict]]:
        by_method: dict[str, list[str]] = defaultdict(list)
        for method, case_id in wanted:
            by_method[method].append(case_id)
        found: dict[tuple[str, str], tuple[Case, Verdict]] = {}
        for method, ids in by_method.items():
            for start in range(0, len(ids), AT_ONCE):
                some = ids[start : start + AT_ONCE]
                for case, verdict in self.history.store.verdicts.get(
                    self.history.run_id, method, ids=some
                ):
                    found[method, case.id] = case, verdict
        return found


def cases_of(label: Label, issue: Issue | None) -> tuple[str, ...]:
    """The cases that a label speaks of: the one that shows the bug, or all where there is none."""
    if issue is None:
        return ()
    return (label.case or issue.case_ids[0],) if label.verdict == BUG else issue.case_ids


def rank(item: LabelledCase) -> tuple[bool, bool, float]:
    """Which of several labelled cases of a sentence speaks for it."""
    return item.bug, item.decided, item.verdict.severity
