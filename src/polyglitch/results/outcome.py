"""What came of a run: its issues in their order, its figures, and whether it may be called done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from polyglitch.component import Method
from polyglitch.errors import LimitReached, NothingToTest, SystemFailed
from polyglitch.records import UNSTABLE, Issue
from polyglitch.results.history import History
from polyglitch.run.asking import Asker
from polyglitch.run.plan import Plan, signature
from polyglitch.store.store import Store


def ranked_issues(methods: Sequence[Method], history: History) -> Iterator[Issue]:
    """The issues of all methods; each method's worst first, the methods taking turns."""
    store, run_id = history.store, history.run_id
    ranked: list[tuple[int, int, Issue]] = []
    for turn, method in enumerate(methods):
        found: list[Issue] = []
        for seed_id in store.verdicts.violated_seeds(run_id, method.name):
            pairs = list(store.verdicts.get(run_id, method.name, seed=seed_id))
            trials = history.trials([case for case, _ in pairs])
            violations = [(trial, v) for trial, (_, v) in zip(trials, pairs, strict=True)]
            found += method.issues(store.cases.seed(run_id, seed_id), violations)
        found.sort(key=lambda issue: (-issue.severity, issue.id))
        ranked += [(place, turn, issue) for place, issue in enumerate(found)]
    yield from (issue for _, _, issue in sorted(ranked, key=lambda item: item[:2]))


def run_figures(plan: Plan, store: Store, askers: Sequence[Asker]) -> dict[str, Any]:
    """The numbers of a run so far."""
    total = {"holds": 0, "violated": 0, "undecided": 0}
    for (_, outcome), count in store.verdicts.outcomes(plan.run_id).items():
        total[outcome] += count
    return {
        "cases": sum(total.values()),
        "queries": sum(asker.queries for asker in askers),
        "cache_hits": sum(asker.cache_hits for asker in askers),
        "violations": total["violated"],
        "undecided": total["undecided"],
        "flaky": store.verdicts.undecided_reasons(plan.run_id).get(UNSTABLE, 0),
        "errors": sum(asker.errors for asker in askers),
        **msgspec.structs.asdict(plan.meter.total),
        "skipped": {row.reason: row.count for row in plan.corpus.skipped},
        "without_case": {
            method.name: count
            for method in plan.methods
            if (count := store.cases.seeds_without_case(plan.run_id, method.name))
        },
        "unasked": store.cases.pending_count(plan.run_id),
        "signature": signature(plan.definition),
    }


def refuse_unfinished(figures: dict[str, Any], stopped: LimitReached | None) -> None:
    """A run that a limit stopped is not done, and goes on with a higher one."""
    if stopped:
        raise LimitReached(f"{stopped}; {figures['unasked']:,} cases made so far wait for it")


def refuse_empty(figures: dict[str, Any], plan: Plan, store: Store) -> None:
    """A run that tested nothing did not succeed."""
    if not figures["cases"] and figures["unasked"]:
        raise NothingToTest(
            f"nothing to test: the budget of queries is too small for any of {figures['unasked']:,} cases"
        )
    if not figures["cases"]:
        raise NothingToTest(
            f"nothing to test: {figures['seeds']} seeds gave no case; rows skipped: "
            f"{figures['skipped'] or 'none'}"
        )
    if figures["undecided"] == figures["cases"] and figures["errors"]:
        reason = next(iter(store.verdicts.undecided_reasons(plan.run_id)), "")
        raise SystemFailed(
            f"the system {plan.systems[0].signature} failed on every case, most often with: {reason}"
        )
