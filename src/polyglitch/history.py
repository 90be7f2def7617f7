"""A run read back from the store: its summary and what it found, without the system or the models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import msgspec

from polyglitch.campaign import find_file, make_campaign
from polyglitch.errors import UsageError
from polyglitch.issues.group import group_issues
from polyglitch.plan import signature
from polyglitch.records import Case, Group, Input, Issue, Output, Trial, Verdict
from polyglitch.report.findings import Bug, Finding, MethodCount, Summary
from polyglitch.store.outputs import output_key
from polyglitch.store.store import Store


class History:
    """One run of a store; the newest where none is named."""

    def __init__(self, store: Store, run_id: str | None = None) -> None:
        rows = store.run_rows()
        if not rows:
            raise UsageError(
                f"store {store.where!r} holds no run yet; make one with `polyglitch run`"
            )
        row = next((row for row in rows if run_id is None or row["id"].startswith(run_id)), None)
        if row is None:
            known = ", ".join(row["id"] for row in rows)
            raise UsageError(f"store {store.where!r} has no run {run_id!r}; it has: {known}")
        self.store, self.row = store, row
        self.run_id: str = row["id"]
        self.definition: dict[str, Any] = row["definition"]
        self._routes = {method["name"]: method["route"] for method in self.definition["methods"]}

    def trial(self, case: Case) -> Trial:
        """A case with its outputs."""
        return self.trials([case])[0]

    def trials(self, cases: Sequence[Case]) -> list[Trial]:
        """Cases with their outputs, all of a hop read together."""
        chains: list[list[list[Output]]] = [[[] for _ in case.inputs] for case in cases]
        waiting = [
            (case.method, chain, item)
            for case, made in zip(cases, chains, strict=True)
            for chain, item in zip(made, case.inputs, strict=True)
        ]
        for hop, system in enumerate(self.definition["systems"]):
            if hop:
                waiting = [
                    (method, chain, Input(chain[-1].text, language=self.definition["languages"][1]))
                    for method, chain, _ in waiting
                    if self._routes[method] == "round trip" and chain[-1].ok
                ]
            keys = [output_key(system, item) for _, _, item in waiting]
            known = self.store.outputs(keys)
            for key, (_, chain, _) in zip(keys, waiting, strict=True):
                chain.append(known.get(key, ABSENT))
        return [
            Trial(case, tuple(map(tuple, made))) for case, made in zip(cases, chains, strict=True)
        ]

    def findings(self) -> Iterator[Finding]:
        """The issues, worst first, each with its seed and its worst violations."""
        return (self.finding(issue) for issue in self.store.issues(self.run_id))

    def finding(self, issue: Issue) -> Finding:
        """An issue with its seed and its worst violations."""
        pairs = self.store.verdicts(self.run_id, issue.method, ids=issue.case_ids)
        trials = self.trials([case for case, _ in pairs])
        finders = self.store.finders(self.run_id, issue.seed_id)
        return Finding(
            issue=issue,
            seed=self.store.seed(self.run_id, issue.seed_id),
            violations=tuple(
                (trial, verdict) for trial, (_, verdict) in zip(trials, pairs, strict=True)
            ),
            also_found_by=tuple(name for name in finders if name != issue.method),
            minimised=self.minimised(issue),
        )

    def minimised(self, issue: Issue) -> tuple[Trial, Verdict] | None:
        """The smallest pair that still fails, where `minimise` has looked for one."""
        found = self.store.remember(MINIMISED, [issue.id]).get(issue.id)
        return found and msgspec.convert(found, tuple[Trial, Verdict])

    def groups(self) -> list[Group]:
        """The issues brought together where they are one bug, the largest group first."""
        found = (
            (finding.issue, [*filter(None, [finding.minimised]), *finding.violations])
            for finding in islice(self.findings(), MOST_GROUPED)
        )
        source, target = self.definition["languages"]
        return group_issues(found, (source, target))

    def bugs(self, groups: Sequence[Group]) -> tuple[Bug, ...]:
        """The largest groups of more than one issue, as a report shows them."""
        issues = list(islice(self.store.issues(self.run_id), MOST_GROUPED))
        place = {issue.id: number for number, issue in enumerate(issues, 1)}
        return tuple(
            Bug(
                title=group.title,
                kind=group.kind,
                methods=group.methods,
                numbers=tuple(place[name] for name in group.issue_ids),
                shown=self.shown(issues[place[group.issue_ids[0]] - 1], group.case_id),
            )
            for group in groups[:MOST_BUGS]
            if len(group.issue_ids) > 1
        )

    def shown(self, issue: Issue, case_id: str) -> tuple[Trial, Verdict] | None:
        """What shows a bug best: the minimised pair where there is one, else the case of that name."""
        finding = self.finding(issue)
        if finding.minimised:
            return finding.minimised
        named = [pair for pair in finding.violations if pair[0].case.id == case_id]
        return next(iter(named or finding.violations), None)

    def summary(self, title: str = "", command: str = "") -> Summary:
        """The figures of the run."""
        from polyglitch.after.run_curves import run_curves  # which reads a history

        figures, source = self.row["figures"], self.definition["languages"]
        groups = self.groups()
        return Summary(
            title=title
            or f"{self.definition['systems'][0].split('|')[0]} on {self.definition['corpus']['name']}",
            signature=signature(self.definition),
            command=command or figures.get("command", ""),
            created=self.row["created"],
            system=" and back by ".join(self.definition["systems"]),
            languages=(source[0], source[1]),
            methods=self._method_counts(),
            undecided_reasons=self.store.undecided_reasons(self.run_id),
            skipped=figures.get("skipped", {}),
            without_case=figures.get("without_case", {}),
            unasked=figures.get("unasked", 0),
            overlap=self._overlap(),
            curves=run_curves(self),
            groups=len(groups),
            bugs=self.bugs(groups),
            **{name: figures.get(name, 0) for name in COUNTS},
        )

    def _method_counts(self) -> tuple[MethodCount, ...]:
        outcomes = self.store.outcomes(self.run_id)
        counts = []
        for name in self._routes:
            holds, violated, undecided = (
                outcomes.get((name, outcome), 0) for outcome in ("holds", "violated", "undecided")
            )
            issues = sum(1 for _ in self.store.issues(self.run_id, name))
            counts.append(
                MethodCount(name, holds + violated + undecided, violated, holds, undecided, issues)
            )
        return tuple(counts)

    def _overlap(self) -> dict[str, int]:
        """For each two methods, on how many seeds both found a violation."""
        found = {name: set(self.store.violated_seeds(self.run_id, name)) for name in self._routes}
        return {f"{a} and {b}": len(found[a] & found[b]) for a, b in combinations(found, 2)}


MINIMISED = "minimised"  # where the store keeps the smallest pair of an issue
MOST_GROUPED = 2000  # issues, the worst: more than anyone reads, and grouped in seconds
MOST_BUGS = 20  # groups at the head of a report
ABSENT = Output(status="error", error="not in the store")
COUNTS = (
    "seeds",
    "cases",
    "queries",
    "cache_hits",
    "violations",
    "undecided",
    "errors",
    "issues",
    "seconds",
)


def open_history(name: str, store: str | None = None) -> History:
    """A run by `STORE:RUN`, `STORE:` for its newest, or `RUN` alone in the store given (or configured)."""
    where, _, run_id = name.rpartition(":") if name else ("", "", "")
    if "/" in run_id:  # the colon was part of an address: the whole of it is a store
        where, run_id = name, ""
    if not where:
        where = store or make_campaign({}, find_file()).store
    if "://" not in where and not Path(where).is_file():
        raise UsageError(
            f"store {where!r}: no such file; `polyglitch run` makes one: write STORE:RUN, or name it with --store"
        )
    return History(Store(where), run_id or None)
