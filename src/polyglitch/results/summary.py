"""What came of a run, made once: whoever shows or writes it is given the same summary.

Its issues in their order, whether it may be called done, and its figures: counts by method, suspected bugs, overlap,
and what other thresholds would report.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import Any

import msgspec
from msgspec.structs import replace

from polyglitch.errors import LimitReached, NothingToTest, SystemFailed
from polyglitch.issues.groups import group_issues
from polyglitch.languages import language
from polyglitch.records import UNSTABLE, Group, Issue, Trial, Verdict
from polyglitch.registry import Method
from polyglitch.results.answer import (
    answer_of,
    capability_of,
    chart_of,
    degenerate_of,
    kept_gate,
    look_at,
    run_again,
    title_of,
    titles_of,
)
from polyglitch.results.curves import Curve, issue_points
from polyglitch.results.degenerate import look_at_answers
from polyglitch.results.findings import (
    Bug,
    MethodCount,
    Summary,
    WorstKey,
    worst_first,
)
from polyglitch.results.history import History
from polyglitch.results.judgements import Judgements
from polyglitch.results.labelled import LabelledCase
from polyglitch.results.tables import CapabilityResult, capability_results, make_cells
from polyglitch.run.asking import Asker
from polyglitch.run.plan import Plan, signature
from polyglitch.store.rows import pages
from polyglitch.store.store import Store


def ranked_issues(methods: Sequence[Method], history: History) -> Iterator[Issue]:
    """The issues of all methods, the worst of all first."""
    store, run_id = history.store, history.run_id
    ranked: list[tuple[WorstKey, Issue]] = []
    for method in methods:
        for ids in pages(store.verdicts.violated_seeds(run_id, method.name)):
            seeds = store.cases.seeds(run_id, ids)
            pairs = store.verdicts.get(run_id, method.name, seeds=ids)
            said = {verdict.case_id: verdict for _, verdict in pairs}
            of_seed: dict[str, list[tuple[Trial, Verdict]]] = {seed_id: [] for seed_id in ids}
            for trial in history.trials([case for case, _ in pairs]):
                of_seed[trial.case.seed_id].append((trial, said[trial.case.id]))
            for seed_id, violations in of_seed.items():
                asked = {trial.case.id: trial for trial, _ in violations}
                for issue in method.issues(seeds[seed_id], violations):
                    worst = issue.case_ids[0]
                    key = worst_first(issue, said[worst], asked[worst], len(violations))
                    ranked.append((key, issue))
    yield from (issue for _, issue in sorted(ranked, key=lambda item: item[0]))


def unread_language(history: History) -> str:
    """What a reader of the findings must know, where a translator was tested and nothing was translated back."""
    source, target = history.definition["languages"]
    if history.back_system or not target or source in (None, target):
        return ""
    return language(target).name or target


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


def answer_figures(history: History, methods: Sequence[Method]) -> dict[str, Any]:
    """What answers and verdicts come to: by method, relation, capability, and whether they are answers at all."""
    tasks = {method.name: method.task for method in methods}
    found, names, effort = look_at_answers(history, tasks)
    tallies = history.store.verdicts.tallies(history.run_id)
    tested = any(told.capability for told in tallies)
    relations: Counter[tuple[str, str]] = Counter()
    for told, count in tallies.items():
        relations[told.relation, told.outcome] += count
    return {
        "degenerate": msgspec.to_builtins(found),
        "labels_proposed": names,
        **effort,
        "by_method": shares(history.store.verdicts.outcomes(history.run_id)),
        "by_relation": shares(relations),
        "by_capability": msgspec.to_builtins(capability_results(tallies) if tested else []),
    }


def shares(counts: Mapping[tuple[str, str], int]) -> dict[str, dict[str, Any]]:
    """Counts by name and outcome, each name with the share of its decided cases that holds."""
    found: dict[str, dict[str, Any]] = {}
    for name, outcome in sorted(counts):
        row = found.setdefault(name, {"cases": 0, "holds": 0, "violated": 0, "undecided": 0})
        row["cases"] += counts[name, outcome]
        row[outcome] += counts[name, outcome]
    for row in found.values():
        decided = row["holds"] + row["violated"]
        row["share"] = round(row["holds"] / decided, 4) if decided else None
    return found


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


MOST_GROUPED = 2000  # issues, the worst: more than anyone reads, and grouped in seconds
MOST_BUGS = 20  # groups at the head of a report
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


def groups_of(history: History) -> list[Group]:
    """The issues brought together where they are one bug, the largest group first."""
    found = (
        (finding.issue, [*filter(None, [finding.minimised]), *finding.violations])
        for finding in islice(history.merged_findings(), MOST_GROUPED)
    )
    source, target = history.definition["languages"]
    return group_issues(found, (source, target))


def bugs_of(history: History, groups: Sequence[Group]) -> tuple[Bug, ...]:
    """The largest groups of more than one issue, as a report shows them."""
    issues = list(islice(history.merged_issues(), MOST_GROUPED))
    place = {issue.id: number for number, issue in enumerate(issues, 1)}
    return tuple(
        Bug(
            title=group.title,
            kind=group.kind,
            methods=group.methods,
            numbers=tuple(place[name] for name in group.issue_ids),
            shown=best_shown(history, issues[place[group.issue_ids[0]] - 1], group.case_id),
        )
        for group in groups[:MOST_BUGS]
        if len(group.issue_ids) > 1
    )


def best_shown(history: History, issue: Issue, case_id: str) -> tuple[Trial, Verdict] | None:
    """What shows a bug best: the minimised pair where there is one, else the case of that name."""
    finding = history.finding(issue)
    if finding.minimised:
        return finding.minimised
    named = [pair for pair in finding.violations if pair[0].case.id == case_id]
    return next(iter(named or finding.violations), None)


def summarise(history: History, title: str = "", command: str = "") -> Summary:
    """The figures of the run."""

    figures, source = history.row["figures"], history.definition["languages"]
    groups = groups_of(history)
    issues = list(history.merged_issues())
    affected = len({issue.seed_id for issue in issues})
    by_relation = without_capabilities(figures)
    return Summary(
        title=title or title_of(history.definition),
        signature=signature(history.definition),
        command=command or run_again(history),
        created=history.row["created"],
        system=" and back by ".join(history.definition["systems"]),
        languages=(source[0], source[1]),
        methods=method_counts(history),
        capabilities=capabilities_of(figures),
        undecided_reasons=history.store.verdicts.undecided_reasons(history.run_id),
        skipped=figures.get("skipped", {}),
        without_case=figures.get("without_case", {}),
        without_case_reasons=figures.get("without_case_reasons", {}),
        stages=figures.get("stages", {}),
        unasked=figures.get("unasked", 0),
        latency=figures.get("latency", {}),
        tokens=figures.get("tokens", {}),
        cost=figures.get("cost", 0.0),
        relations=make_cells(by_relation) if len(by_relation) > 1 else {},
        alarms=alarms(history),
        overlap=overlap(history),
        curves=run_curves(history),
        groups=len(groups),
        bugs=bugs_of(history, groups),
        findings=len(issues),
        affected=affected,
        answer=answer_of(history, groups, affected),
        unread=unread_language(history),
        gate=kept_gate(figures),
        chart=chart_of(issues, figures, groups),
        look=look_at(history),
        **{name: figures.get(name, 0) for name in COUNTS},
    )


def without_capabilities(figures: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The verdicts by relation; those of capabilities have a table of their own, under their titles."""
    titled = titles_of(figures)
    by_relation = figures.get("by_relation", {})
    return {name: row for name, row in by_relation.items() if capability_of(name) not in titled}


def capabilities_of(figures: Mapping[str, Any]) -> tuple[CapabilityResult, ...]:
    """How each capability came out; nothing in stores of earlier versions."""
    return msgspec.convert(figures.get("by_capability", []), tuple[CapabilityResult, ...])


def alarms(history: History) -> tuple[str, ...]:
    """What a reader must know before any figure: that the run is not whole, or the system no system."""
    figures = history.row["figures"]
    unfinished = "" if history.finished else "This run did not finish: its figures are of a part."
    proposed = propose_labels(figures.get("labels_proposed", {}))
    return tuple(filter(None, (unfinished, degenerate_of(figures).sentence, proposed)))


def propose_labels(names: Mapping[str, str]) -> str:
    """What to say where the system has other names for its labels than the tests, or nothing."""
    if not names:
        return ""
    wanted = ", ".join(sorted(set(names.values())))
    given = " ".join(shlex.join(["--label", f"{name}={label}"]) for name, label in names.items())
    return f"No answer is one of the labels that the tests expect ({wanted}); perhaps: {given}"


def method_counts(history: History) -> tuple[MethodCount, ...]:
    outcomes = history.store.verdicts.outcomes(history.run_id)
    counts = []
    for name in history.routes:
        holds, violated, undecided = (
            outcomes.get((name, outcome), 0) for outcome in ("holds", "violated", "undecided")
        )
        issues = sum(1 for _ in history.store.verdicts.issues(history.run_id, name))
        counts.append(
            MethodCount(name, holds + violated + undecided, violated, holds, undecided, issues)
        )
    return tuple(counts)


def overlap(history: History) -> dict[str, int]:
    """For each two methods, on how many seeds both found a violation."""
    found = {
        name: set(history.store.verdicts.violated_seeds(history.run_id, name))
        for name in history.routes
    }
    return {f"{a} and {b}": len(found[a] & found[b]) for a, b in combinations(found, 2)}


LOOKED_AT = 50  # verdicts that tell whether a method has one threshold for all


def run_curves(history: History) -> tuple[Curve, ...]:
    """A curve for each method whose issues are not all equally severe."""
    judged = Judgements(history).items() if history.store.verdicts.labelled() else []
    made = (
        method_curve(history, method["name"], judged) for method in history.definition["methods"]
    )
    return tuple(curve for curve in made if curve)


def method_curve(history: History, method: str, judged: list[LabelledCase]) -> Curve | None:
    """How many issues a method would raise with its line drawn further out, by how far."""
    severities = history.store.verdicts.worst_severities(history.run_id, method)
    if len(set(severities)) < 2:
        return None
    known = [item for item in judged if item.method == method and item.decided]
    points = issue_points(severities, [(severity(item), item.bug) for item in known])
    labelled = len(known)
    verdict = common_verdict(history, method)
    if verdict is None or verdict.threshold is None:
        return Curve(method, "past the limit by at least", tuple(points), labelled=labelled)
    sign = 1 if verdict.direction == "above" else -1
    placed = [
        replace(point, threshold=verdict.threshold + sign * point.threshold) for point in points
    ]
    side = "at least" if sign == 1 else "at most"
    marks = (("limit", verdict.threshold),)
    return Curve(method, f"score {side}", tuple(placed[::sign]), marks, labelled)


def severity(item: LabelledCase) -> float:
    """How far past its limit a labelled sentence is; one that was not reported is before any."""
    return item.verdict.severity if item.shelf == "issue" else float("-inf")


def common_verdict(history: History, method: str) -> Verdict | None:
    """A verdict of the method's issues, if all have the same threshold."""
    issues = islice(history.store.verdicts.issues(history.run_id, method), LOOKED_AT)
    ids = [issue.case_ids[0] for issue in issues]
    found = [verdict for _, verdict in history.store.verdicts.get(history.run_id, method, ids=ids)]
    limits = {(verdict.threshold, verdict.direction) for verdict in found}
    return found[0] if len(limits) == 1 else None
