"""Which finding is worse than another, whatever method raised it, and which are one finding."""

from __future__ import annotations

from collections import defaultdict

from polyglitch.records import Issue, Verdict, encode
from polyglitch.store.store import Store

# What a reader is misled by most: a fact turned round, then words that are not there, then another choice of words.
GRAVITY = ("negation", "number", "name", "words missing", "words added", "words changed", "logic")
CHANCE = "chance"  # the detail of a verdict that is a calibrated probability
CONTAINED = "contained"  # the relation of a whole and its part: what a part alone becomes misleads fewer readers
AT_ONCE = 500  # cases read in one query
VERY_LIKELY, LIKELY = 0.7, 0.4  # 0.7 is what a hard fact alone gives in the joined model
FAR, PAST = 0.6, 0.25


def likelihood(verdict: Verdict) -> float:
    """How sure a violation is, from 0 to 1: its probability, or how much of the way beyond its limit it is."""
    if CHANCE in verdict.details:
        return min(max(verdict.details[CHANCE], 0.0), 1.0)
    if verdict.score is None:
        return 0.0
    score, limit = verdict.score, verdict.threshold or 0.0
    if verdict.direction == "below":
        return min(max((limit - score) / limit, 0.0), 1.0) if limit > 0 else 0.5
    if score <= 1 and limit < 1:
        return min(max((score - limit) / (1 - limit), 0.0), 1.0)
    return min(max(1 - limit / score, 0.0), 1.0) if score > 0 else 0.0


def sureness(verdict: Verdict) -> str:
    """How sure a violation is, in words; nothing where nothing was violated."""
    if verdict.outcome != "violated":
        return ""
    sure = likelihood(verdict)
    if CHANCE in verdict.details:
        names = ("very likely a bug", "likely a bug", "possibly a bug")
        return names[0 if sure >= VERY_LIKELY else 1 if sure >= LIKELY else 2]
    if verdict.score is None or (verdict.score == 1 and not verdict.threshold):
        return "breaks the rule"  # a rule that holds or does not: there is no more or less
    names = ("far past its limit", "past its limit", "just past its limit")
    return names[0 if sure >= FAR else 1 if sure >= PAST else 2]


def worst_first(
    issue: Issue, verdict: Verdict, relation: str = ""
) -> tuple[int, int, bool, float, str]:
    """A key to sort issues by: those that are sure, the grave ones first, whole texts before parts, then the surest."""
    sure = likelihood(verdict)
    known = CHANCE in verdict.details
    bounds = (VERY_LIKELY, LIKELY) if known else (FAR, PAST)
    band = 0 if sure >= bounds[0] else 1 if sure >= bounds[1] else 2
    gravity = GRAVITY.index(issue.kind) if issue.kind in GRAVITY else len(GRAVITY)
    return band, gravity, relation == CONTAINED, -sure, issue.id


def twins_of(store: Store, run_id: str) -> dict[str, tuple[Issue, ...]]:
    """For the first issue of several methods on the same pair of inputs, the others, which are the same finding."""
    shared = store.verdicts.issues_of_shared_seeds(run_id)
    asked: dict[tuple[str, str], str] = {}
    for method in sorted({issue.method for issue in shared}):
        ids = [issue.case_ids[0] for issue in shared if issue.method == method]
        for start in range(0, len(ids), AT_ONCE):
            some = ids[start : start + AT_ONCE]
            for case, _ in store.verdicts.get(run_id, method, ids=some):
                asked[method, case.id] = encode(case.inputs)
    alike: dict[str, list[Issue]] = defaultdict(list)
    for issue in shared:
        pair = asked.get((issue.method, issue.case_ids[0]))
        if pair and all(issue.method != other.method for other in alike[pair]):
            alike[pair].append(issue)
    return {first.id: tuple(others) for first, *others in alike.values() if others}
