"""How well tests are spent: success rate, bugs at a budget, tests for a number of bugs, and where they went.

Pictures of how tests were spent: the cumulative curve, and which words in bugs which ranks found (UpSet).

What a budget found, counted as a person counts: violations, buggy sentences, words in bugs, distinct bugs.

Each is a number a sentence, so that ratios between ranks get their intervals from resampled sentences. Distinct bugs
are the groups that a report shows; one that shows in n of the sentences that a rank found counts 1/n in each of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import Any

import msgspec

from polyglitch.compare.oracles.similarity import METRICS, THRESHOLDS, similar_enough
from polyglitch.errors import Missing
from polyglitch.files.lazy_numpy import np, npt
from polyglitch.issues.groups import Languages, group_issues
from polyglitch.protocols import Tools
from polyglitch.records import Seed, Trial, Verdict
from polyglitch.registry import Method

RESAMPLES = 2000  # of the bootstrap: the ends of a 95% interval move by less than a hundredth
LENGTH_STEP = 10  # words of a sentence in a row of the table by length
Interval = tuple[float, float, float]  # the value, and its 95% interval
Counts = dict[str, float]  # by sentence
Violation = tuple[Seed, Trial, Verdict]
Faulted = dict[str, tuple[str, ...]]
BASELINES = ("none", "random")


class Test(msgspec.Struct, frozen=True):
    """One decided test of one method with one rank, in the order in which they were run."""

    __test__ = False  # pytest collects what is called Test

    method: str
    rank: str
    draw: int  # which random seed
    seed_id: str
    start: int  # where the replaced word stands
    word: str
    pos: str
    length: int  # words of the sentence
    violated: bool
    bug: str = ""  # the distinct bug that a violation is grouped under
    faulted: tuple[str, ...] = ()  # similarities that are past their published thresholds

    @property
    def token(self) -> tuple[str, int]:
        """The replaced token: a place in a sentence."""
        return self.seed_id, self.start


def success_rate(tests: Sequence[Test]) -> float:
    """Violations a test."""
    return sum(test.violated for test in tests) / len(tests) if tests else 0.0


def curve(tests: Iterable[Test]) -> list[int]:
    """Bugs found after each test."""
    return list(accumulate(int(test.violated) for test in tests))


def tests_for(tests: Sequence[Test], bugs: int) -> int | None:
    """How many tests it takes to find so many bugs, if they are found at all."""
    return next((n for n, found in enumerate(curve(tests), 1) if found >= bugs), None)


def by_draw(tests: Sequence[Test]) -> list[list[Test]]:
    """The tests of each random seed, in their order."""
    draws = sorted({test.draw for test in tests})
    return [[test for test in tests if test.draw == draw] for draw in draws]


def first_tests(tests: Sequence[Test], budget: int) -> list[Test]:
    """What a budget of so many tests pays for: the first of every draw of every rank."""
    runs: dict[tuple[str, int], list[Test]] = {}
    for test in tests:
        runs.setdefault((test.rank, test.draw), []).append(test)
    return [test for run in runs.values() for test in run[:budget]]


def half_of_the_shortest(tests: Sequence[Test]) -> int:
    """A budget that no run can meet by testing everything: half of what the shortest has."""
    lengths = Counter((test.rank, test.draw) for test in tests).values()
    return max(1, min(lengths, default=2) // 2)


def ratio(tests: Sequence[Test], baseline: Sequence[Test], seed: int = 0) -> Interval:
    """Success rate over that of the baseline, with a 95% interval from resampled sentences.

    Tests of one sentence are not independent, so whole sentences are drawn; all draws of a random baseline
    count, which averages its luck out.
    """
    names = sorted({test.seed_id for test in (*tests, *baseline)})
    ours, theirs = sentence_counts(tests, names), sentence_counts(baseline, names)
    value = quotient(ours.sum(0), theirs.sum(0))
    if np.isnan(value):
        return value, value, value
    stream = np.random.default_rng(seed)
    chosen = stream.integers(0, len(names), (RESAMPLES, len(names)))
    values = [quotient(ours[rows].sum(0), theirs[rows].sum(0)) for rows in chosen]
    low, high = np.nanpercentile(values, (2.5, 97.5))
    return value, float(low), float(high)


def sentence_counts(tests: Sequence[Test], names: Sequence[str]) -> npt.NDArray[np.int64]:
    """Violations and tests of each sentence."""
    found = Counter(test.seed_id for test in tests if test.violated)
    made = Counter(test.seed_id for test in tests)
    return np.array([[found[name], made[name]] for name in names], np.int64).reshape(-1, 2)


def quotient(ours: npt.NDArray[np.int64], theirs: npt.NDArray[np.int64]) -> float:
    """One success rate over another; not a number where there is none to divide by."""
    if not ours[1] or not theirs[0]:
        return float("nan")
    return float((ours[0] / ours[1]) / (theirs[0] / theirs[1]))


def shared_tokens(tests: Sequence[Test]) -> dict[tuple[str, ...], int]:
    """How many words in bugs were found by exactly these ranks and no other; of their first draws."""
    users: dict[tuple[str, int], set[str]] = {}
    first = {rank: min(t.draw for t in tests if t.rank == rank) for rank in {t.rank for t in tests}}
    for test in tests:
        if test.violated and test.draw == first[test.rank]:
            users.setdefault(test.token, set()).add(test.rank)
    return dict(Counter(tuple(sorted(ranks)) for ranks in users.values()).most_common())


def by_part_of_speech(tests: Sequence[Test]) -> dict[str, tuple[int, int]]:
    """Violations and tests for each part of speech of the replaced word, most tests first."""
    made = Counter(test.pos for test in tests)
    found = Counter(test.pos for test in tests if test.violated)
    return {pos: (found[pos], count) for pos, count in made.most_common()}


def by_length(tests: Sequence[Test]) -> dict[str, tuple[int, int]]:
    """Violations and tests for sentences of some words, short ones first."""
    made = Counter(test.length // LENGTH_STEP for test in tests)
    found = Counter(test.length // LENGTH_STEP for test in tests if test.violated)
    names = {band: band * LENGTH_STEP for band in sorted(made)}
    return {
        f"{first}-{first + LENGTH_STEP - 1}": (found[band], made[band])
        for band, first in names.items()
    }


def length_effect(tests: Sequence[Test]) -> float:
    """Spearman's rho between the length of a sentence and the success rate of its tests."""
    lengths = {test.seed_id: test.length for test in tests}
    names = sorted(lengths)
    counts = sentence_counts(tests, names)
    return spearman([float(lengths[name]) for name in names], list(counts[:, 0] / counts[:, 1]))


def spearman(xs: Sequence[float], ys: Sequence[float]) -> float:
    """The correlation of ranks, ties sharing their mean rank."""
    if len(set(xs)) < 2 or len(set(ys)) < 2:
        return float("nan")
    return float(np.corrcoef(mean_ranks(xs), mean_ranks(ys))[0, 1])


def number_or_none(value: float) -> float | None:
    """A figure as JSON has it, which knows no "not a number"."""
    return None if np.isnan(value) else round(value, 4)


def mean_ranks(values: Sequence[float]) -> npt.NDArray[np.float64]:
    """The place of each value in their order, ties sharing the mean of theirs."""
    array = np.asarray(values, np.float64)
    below = (array[:, None] > array).sum(1)
    same = (array[:, None] == array).sum(1)
    ranks: npt.NDArray[np.float64] = below + (same - 1) / 2.0
    return ranks


FORMATS = (".svg", ".png")
MOST_COLUMNS = 20  # combinations of ranks in a picture; the table has them all
# Okabe and Ito's palette: told apart by the colour-blind.
COLOURS = ("#000000", "#999999", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")


def need_matplotlib() -> None:
    """Say what is missing before anything runs."""
    if not find_spec("matplotlib"):
        raise Missing("matplotlib", "pictures", "pip install 'polyglitch[plot]'")


def draw_pictures(
    tests: Sequence[Test], ranks: Sequence[str], method: str, budget: int, folder: Path
) -> list[Path]:
    """Write both pictures as SVG and PNG; the files. The words are those that the budget bought."""
    need_matplotlib()
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcParams["svg.hashsalt"] = method  # the same figures give the same file
    folder.mkdir(parents=True, exist_ok=True)
    shared = shared_tokens(first_tests(tests, budget))
    title = f"{method}: words in bugs of the first {budget} tests of each rank"
    return [
        *save(curves(tests, ranks, method, budget), folder / f"{method}-curve"),
        *save(upset(shared, ranks, title), folder / f"{method}-tokens"),
    ]


def curves(tests: Sequence[Test], ranks: Sequence[str], method: str, budget: int) -> Any:
    """Bugs found against tests run, a line a rank; every draw of chance is drawn thinly."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    axes.axvline(budget, color="#bbbbbb", linewidth=0.8, linestyle="--")
    for place, rank in enumerate(ranks):
        draws = by_draw([test for test in tests if test.rank == rank])
        several = len(draws) > 1
        for number, draw in enumerate(draws):
            name = f"{rank}, {len(draws)} draws" if several else rank
            axes.plot(
                [0, *curve(draw)],
                color=COLOURS[place % len(COLOURS)],
                linewidth=0.8 if several else 1.8,
                label=None if number else name,
            )
    axes.set(xlabel="tests", ylabel="violations", title=method, xlim=(0, None), ylim=(0, None))
    axes.legend(frameon=False, loc="upper left")
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def upset(shared: dict[tuple[str, ...], int], ranks: Sequence[str], title: str) -> Any:
    """How many words in bugs each combination of ranks found: bars over a matrix of dots, the largest first."""
    from matplotlib.figure import Figure

    rest = list(shared.values())[MOST_COLUMNS:]
    shared = dict(list(shared.items())[:MOST_COLUMNS])
    if rest:
        title += f"\nand {sum(rest)} more in {len(rest)} smaller combinations"
    figure = Figure(figsize=(max(6.0, 0.3 * len(shared) + 1.5), 4), layout="constrained")
    bars, dots = figure.subplots(2, 1, sharex=True, height_ratios=(3, 0.3 * len(ranks)))
    columns = range(len(shared))
    drawn = bars.bar(columns, list(shared.values()), color=COLOURS[2], width=0.7)
    bars.bar_label(drawn, fontsize=8)
    bars.set(ylabel="words in bugs", xlim=(-0.6, len(shared) - 0.4))
    bars.set_title(title, fontsize=10)
    bars.tick_params(axis="x", bottom=False)
    bars.spines[["top", "right"]].set_visible(False)
    for column, names in enumerate(shared):
        rows = [row for row, rank in enumerate(ranks) if rank in names]
        dots.scatter([column] * len(ranks), range(len(ranks)), color="#dddddd", s=40)
        dots.plot([column] * len(rows), rows, "o-", color="#000000", markersize=6)
    dots.set(yticks=range(len(ranks)), yticklabels=list(ranks), xticks=[])
    dots.set_ylim(len(ranks) - 0.5, -0.5)  # the first rank on top, no dot cut
    dots.tick_params(axis="y", length=0)
    dots.spines[:].set_visible(False)
    return figure


def save(figure: Any, stem: Path) -> list[Path]:
    """The figure in every format."""
    files = [stem.with_suffix(ending) for ending in FORMATS]
    for path in files:
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
    return files


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
