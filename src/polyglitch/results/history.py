"""A run read back from the store: its cases and what it found, without the system or the models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from polyglitch.campaign import configured_store
from polyglitch.errors import UsageError
from polyglitch.nlp.parsers.choose import Recent
from polyglitch.records import Case, Input, Issue, Output, Trial, Verdict
from polyglitch.results.findings import Finding, twins_of
from polyglitch.store.cases import output_key
from polyglitch.store.store import Store
from polyglitch.systems.answers import relabelled_trial

LAST = "last"  # the newest run that came to its end
NEWEST = "newest"  # the same, or the newest of all where none did
DONE = "done"  # the state of a run that came to its end


def find_run(store: Store, run_id: str | None) -> dict[str, Any]:
    """The row of a run by (the beginning of) its id, or of the newest that came to its end: `last`, or none named."""
    rows = store.runs.rows()
    if not rows:
        raise UsageError(f"store {store.where!r} holds no run yet; make one with `polyglitch run`")
    if run_id in (None, LAST, NEWEST):
        if whole := [row for row in rows if row["state"] == DONE]:
            return whole[0]
        if run_id == NEWEST:
            return rows[0]
        raise UsageError(
            f"store {store.where!r} holds no finished run: {rows[0]['id']} stopped before its end; repeat its "
            f"`polyglitch run` to go on with it, or look at what is there with --run {rows[0]['id']}"
        )
    found = [row for row in rows if row["id"].startswith(run_id or "")]
    if len(found) == 1:
        return found[0]
    some = ", ".join(row["id"] for row in found or rows)
    if found:
        raise UsageError(f"run {run_id!r} of store {store.where!r} may be any of {some}")
    raise UsageError(f"store {store.where!r} has no run {run_id!r}; it has: {some}")


def state_of(row: dict[str, Any]) -> str:
    """The state of a run as people say it."""
    return "done" if row["state"] == DONE else "unfinished"


class History:
    """One run of a store; where none is named, the newest that came to its end."""

    def __init__(self, store: Store, run_id: str | None = None) -> None:
        row = find_run(store, run_id)
        self.store, self.row = store, row
        self._trials: Recent[tuple[str, str], Trial] = Recent(REMEMBERED)
        self.run_id: str = row["id"]
        self.definition: dict[str, Any] = row["definition"]
        self.routes = {method["name"]: method["route"] for method in self.definition["methods"]}

    @property
    def finished(self) -> bool:
        """Whether the run came to its end."""
        return bool(self.row["state"] == DONE)

    def trial(self, case: Case) -> Trial:
        """A case with its outputs."""
        return self.trials([case])[0]

    def reload(self) -> None:
        """Read the run's state and figures again: they change while it goes on."""
        self.row = next(row for row in self.store.runs.rows() if row["id"] == self.run_id)

    def trials(self, cases: Sequence[Case]) -> list[Trial]:
        """Cases with their outputs; those looked at lately are not read again."""
        by_key = {(case.method, case.id): case for case in cases}
        keys = [(case.method, case.id) for case in cases]
        return self._trials.get(keys, lambda new: self.read_trials([by_key[key] for key in new]))

    def read_trials(self, cases: Sequence[Case]) -> list[Trial]:
        """Cases with their outputs, all of a hop read together; for who goes through them once."""
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
                    if self.routes[method] == "round trip" and chain[-1].ok
                ]
            keys = [output_key(system, item) for _, _, item in waiting]
            known = self.store.outputs.get(keys)
            for key, (_, chain, _) in zip(keys, waiting, strict=True):
                chain.append(known.get(key, ABSENT))
        names = self.definition.get("labels", {})
        trials = [
            Trial(case, tuple(map(tuple, made))) for case, made in zip(cases, chains, strict=True)
        ]
        return [relabelled_trial(trial, names) for trial in trials]

    def findings(self) -> Iterator[Finding]:
        """The issues, worst first, each with its seed and its worst violations."""
        issues = self.store.verdicts.issues(self.run_id)
        while some := list(islice(issues, READ_AT_ONCE)):
            yield from self.findings_of(some)

    def merged_issues(self) -> Iterator[Issue]:
        """The issues without those that an earlier one stands for: the same inputs, by another method."""
        later = {twin.id for twins in self.twins.values() for twin in twins}
        issues = self.store.verdicts.issues(self.run_id)
        return (issue for issue in issues if issue.id not in later)

    def merged_findings(self) -> Iterator[Finding]:
        """The findings as people read them: what several methods found on the same inputs is one."""
        issues = self.merged_issues()
        while some := list(islice(issues, READ_AT_ONCE)):
            yield from self.merged(some)

    def merged(self, issues: Sequence[Issue]) -> list[Finding]:
        """Issues with what other methods found on the same inputs, and every further violation of theirs."""
        twins = {issue.id: self.twins.get(issue.id, ()) for issue in issues}
        others = [twin for some in twins.values() for twin in some]
        found = {finding.issue.id: finding for finding in self.findings_of([*issues, *others])}
        together = [
            found[issue.id].joined([found[twin.id] for twin in twins[issue.id]]) for issue in issues
        ]
        return self.with_ways_back(together)

    @cached_property
    def twins(self) -> dict[str, tuple[Issue, ...]]:
        """For an issue the later ones that are the same finding."""
        return twins_of(self.store, self.run_id)

    @cached_property
    def _labelled(self) -> bool:
        return self.store.verdicts.labelled()

    def finding(self, issue: Issue) -> Finding:
        """An issue with its seed and its worst violations."""
        return self.findings_of([issue])[0]

    def findings_of(self, issues: Sequence[Issue]) -> list[Finding]:
        """Issues with their seeds and worst violations, all of them read together."""
        judged: dict[tuple[str, str], tuple[Case, Verdict]] = {}
        for method in dict.fromkeys(issue.method for issue in issues):
            ids = [name for issue in issues if issue.method == method for name in issue.case_ids]
            for case, verdict in self.store.verdicts.get(self.run_id, method, ids=ids):
                judged[method, case.id] = case, verdict
        trials = dict(zip(judged, self.trials([case for case, _ in judged.values()]), strict=True))
        named = list(dict.fromkeys(issue.seed_id for issue in issues))
        finders = self.store.verdicts.finders(self.run_id, named)
        seeds = self.store.cases.seeds(self.run_id, named)
        known = [issue.id for issue in issues]
        least = self.store.outputs.remember(MINIMISED, known)
        said = self.store.labels.of_issues(known) if self._labelled else {}
        found = []
        for issue in issues:
            keys = [key for name in issue.case_ids if (key := (issue.method, name)) in judged]
            less = least.get(issue.id)
            found.append(
                Finding(
                    issue=issue,
                    seed=seeds.get(issue.seed_id)
                    or self.store.cases.seed(self.run_id, issue.seed_id),
                    violations=tuple((trials[key], judged[key][1]) for key in keys),
                    also_found_by=tuple(n for n in finders[issue.seed_id] if n != issue.method),
                    minimised=less and msgspec.convert(less, tuple[Trial, Verdict]),
                    labels=tuple(said.get(issue.id, ())),
                )
            )
        return found

    def with_ways_back(self, findings: list[Finding]) -> list[Finding]:
        """Findings with the way back of their outputs, as far as a run with a second system left it in the store."""
        back = self.back_system
        if not back:
            return findings
        asked = [self.to_bring_back(finding) for finding in findings]
        inputs = {item.text: item for rows in asked for row in rows for item in row if item}
        keys = {text: output_key(back, item) for text, item in inputs.items()}
        known = self.store.outputs.get(list(keys.values()))
        texts = {t: known[key].text for t, key in keys.items() if key in known and known[key].ok}
        told = [
            tuple(tuple(texts.get(item.text, "") if item else "" for item in row) for row in rows)
            for rows in asked
        ]
        return [
            replace(finding, ways_back=rows) if any(map(any, rows)) else finding
            for finding, rows in zip(findings, told, strict=True)
        ]

    @property
    def back_system(self) -> str:
        """The signature of the second system, which translates back; nothing where there was none."""
        names: list[str] = self.definition["systems"][1:]
        return names[0] if names else self.row["figures"].get("way_back", {}).get("system", "")

    def to_bring_back(self, finding: Finding) -> list[list[Input | None]]:
        """The outputs of each violation as inputs of the way back; nothing for those that have one or failed."""
        spoken = self.definition["languages"][1]
        return [
            [
                Input(chain[0].text, language=spoken) if len(chain) == 1 and chain[0].ok else None
                for chain in trial.chains
            ]
            for trial, _ in finding.violations
        ]


MINIMISED = "minimised"  # where the store keeps the smallest pair of an issue
READ_AT_ONCE = 300  # issues
REMEMBERED = 4096  # trials: the worst issues are shown, grouped and written one after the other
ABSENT = Output(status="error", error="not in the store")


def short_id(history: History) -> str:
    """The shortest beginning of a run's id, of four letters at least, that names no other run of its store."""
    others = [row["id"] for row in history.store.runs.rows() if row["id"] != history.run_id]
    lengths = range(4, len(history.run_id))
    short = (history.run_id[:length] for length in lengths)
    return next(
        (name for name in short if not any(other.startswith(name) for other in others)),
        history.run_id,
    )


def open_history(name: str, store: str | None = None) -> History:
    """A run by `STORE:RUN`, `STORE:` for its newest, or `RUN` alone in the store given (or configured)."""
    where, _, run_id = name.rpartition(":") if name else ("", "", "")
    if "/" in run_id:  # the colon was part of an address: the whole of it is a store
        where, run_id = name, ""
    return History(open_store(where or store), run_id or None)


def open_store(where: str | None = None) -> Store:
    """A store that is there: the one named, or else the configured one."""
    where = where or configured_store()
    if "://" not in where and not Path(where).is_file():
        raise UsageError(
            f"store {where!r}: no such file; `polyglitch run` makes one: write STORE:RUN, or name it with --store"
        )
    return Store(where)
