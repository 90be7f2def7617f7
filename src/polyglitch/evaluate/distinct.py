"""What a budget found, counted as a person counts: violations, buggy sentences, words in bugs, distinct bugs.

Each is a number a sentence, so that ratios between ranks get their intervals from resampled sentences. Distinct bugs
are the groups that a report shows; one that shows in n of the sentences that a rank found counts 1/n in each of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from polyglitch.compare.oracles.similarity import METRICS, THRESHOLDS, similar_enough
from polyglitch.component import Method
from polyglitch.evaluate.efficiency import RESAMPLES, Interval, Test, by_draw
from polyglitch.files.lazy_numpy import np, npt
from polyglitch.issues.groups import Languages, group_issues
from polyglitch.protocols import Tools
from polyglitch.records import Seed, Trial, Verdict

Counts = dict[str, float]  # by sentence
Violation = tuple[Seed, Trial, Verdict]
Faulted = dict[str, tuple[str, ...]]
BASELINES = ("none", "random")


def violations(tests: Sequence[Test]) -> Counts:
    """Violated tests of each sentence."""
    return dict(Counter(test.seed_id for test in tests if test.violated))


def sentences(tests: Sequence[Test]) -> Counts:
    """One for each sentence with a violation."""
    return {test.seed_id: 1.0 for test in tests if test.violated}


def words(tests: Sequence[Test]) -> Counts:
    """Replaced words of each sentence that have a violation."""
    return dict(Counter(seed for seed, _ in {test.token for test in tests if test.violated}))


def bugs(tests: Sequence[Test]) -> Counts:
    """Each sentence's share of the distinct bugs."""
    found = {test.seed_id: test.bug or test.seed_id for test in tests if test.violated}
    size = Counter(found.values())
    return {seed: 1 / size[bug] for seed, bug in found.items()}


MEASURES: dict[str, Callable[[Sequence[Test]], Counts]] = {
    "violations": violations,
    "sentences": sentences,
    "words": words,
    "bugs": bugs,
}


def by_metric(bought: Sequence[Test], rank: str) -> dict[str, dict[str, Any]]:
    """The violations of a rank's tests by each published similarity alone, whatever the method's oracle says."""
    return {
        name: found_at_budget([judged_by(test, name) for test in bought], rank)["violations"]
        for name in METRICS
    }


def judged_by(test: Test, metric: str) -> Test:
    """The test as one similarity judges it."""
    return msgspec.structs.replace(test, violated=metric in test.faulted)


def metrics_at_fault(trials: Sequence[Trial], target: str | None, tools: Tools) -> Faulted:
    """Which of the published similarities find fault with each pair of outputs: their names by case."""
    judge = similar_enough(language=target)
    verdicts = zip(trials, judge(trials, tools), strict=True)
    return {
        trial.case.id: tuple(
            name for name, score in verdict.details.items() if score < THRESHOLDS[name]
        )
        for trial, verdict in verdicts
    }


def found_at_budget(bought: Sequence[Test], rank: str) -> dict[str, dict[str, Any]]:
    """What a rank found in each measure: the count of each draw, and its ratio to what each baseline found."""
    rows: dict[str, dict[str, Any]] = {}
    seeds = sorted({test.seed_id for test in bought})
    for name, measure in MEASURES.items():
        own = [measure(draw) for draw in by_draw([test for test in bought if test.rank == rank])]
        rows[name] = {"count": [round(sum(draw.values()), 2) for draw in own]}
        for baseline in BASELINES:
            theirs = [measure(draw) for draw in by_draw([t for t in bought if t.rank == baseline])]
            rows[name][f"to_{baseline}"] = ratio_of_counts(own, theirs, seeds) if theirs else None
    return rows


def ratio_of_counts(
    own: Sequence[Mapping[str, float]],
    theirs: Sequence[Mapping[str, float]],
    names: Sequence[str],
    seed: int = 0,
) -> Interval | None:
    """The mean count of some draws over that of others, with a 95% interval from resampled sentences."""
    ours, others = per_sentence(own, names), per_sentence(theirs, names)
    if not others.sum():
        return None
    chosen = np.random.default_rng(seed).integers(0, len(names), (RESAMPLES, len(names)))
    above, below = ours[chosen].sum(1), others[chosen].sum(1)
    values = above[below > 0] / below[below > 0]
    low, high = np.percentile(values, (2.5, 97.5))
    return float(ours.sum() / others.sum()), float(low), float(high)


def per_sentence(
    draws: Sequence[Mapping[str, float]], names: Sequence[str]
) -> npt.NDArray[np.float64]:
    """The mean of some draws for each sentence."""
    rows = [[counts.get(name, 0.0) for name in names] for counts in draws]
    return np.asarray(np.mean(np.asarray(rows, np.float64), 0), np.float64)


def with_bugs(
    tests: Sequence[Test], found: Sequence[Violation], method: Method, languages: Languages
) -> list[Test]:
    """The tests with the distinct bug that their sentence is grouped under, by the violations of all ranks."""
    by_seed: dict[str, dict[str, Violation]] = defaultdict(dict)
    for seed, trial, verdict in found:
        by_seed[seed.id][trial.case.id] = (seed, trial, verdict)
    issues = []
    for some in by_seed.values():
        seed = next(iter(some.values()))[0]
        pairs = [(trial, verdict) for _, trial, verdict in some.values()]
        issues += [(issue, pairs) for issue in method.issues(seed, pairs)]
    group_of = {
        issue: group.id for group in group_issues(issues, languages) for issue in group.issue_ids
    }
    bug = {issue.seed_id: group_of[issue.id] for issue, _ in issues}
    return [msgspec.structs.replace(test, bug=bug.get(test.seed_id, "")) for test in tests]
