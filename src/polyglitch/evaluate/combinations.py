"""What metrics find together: SemMT's RQ3 (overlap, improvement), its study of K and its table of kinds of bugs.

Each metric has one threshold, chosen on the rows that are not held out by the largest product of true positives and
true negatives, as the paper chooses its own; everything is counted on the rows that are held out.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from polyglitch.compare.metrics.measure import find_metric
from polyglitch.evaluate.calibration import Cut, area, choose, sweep
from polyglitch.evaluate.meaning import RoundTrip, Side, columns
from polyglitch.represent.meaning import meanings

STEPS = tuple(step / 10 for step in range(11))  # of K, as in the paper's figure 12
NO_KIND = "not said"


class Reported(msgspec.Struct, frozen=True):
    """Which of the rows held out a metric reports, with its threshold."""

    metric: str
    threshold: float
    flags: tuple[bool, ...]


class MetricFinds(msgspec.Struct, frozen=True):
    """How good a set of reports is."""

    bugs: int
    reported: int
    accuracy: float
    f: float


class Overlap(msgspec.Struct, frozen=True):
    """Bugs that a metric finds, those that no other finds, and how many it shares with each other."""

    metric: str
    bugs: int
    alone: int
    shared: dict[str, int]


class Improvement(msgspec.Struct, frozen=True):
    """What the second metric adds to the first where either may report."""

    first: str
    second: str
    bugs: int
    accuracy: float
    f: float


class HybridRow(msgspec.Struct, frozen=True):
    """SemMT-H with one K, the share of SemMT-R in it."""

    k: float
    auc: float
    f: float
    accuracy: float


def reports(names: Sequence[str], rows: Sequence[RoundTrip]) -> list[Reported]:
    """What each metric reports of the rows held out."""
    held = [row for row in rows if row.held_out]
    found = []
    for name in names:
        metric = find_metric(name)
        side: Side = "below" if metric.direction == "similarity" else "above"
        scores = [float(one) for one in metric.score([(row.source, row.back) for row in rows])]
        limit = best_product(scores, rows, side).threshold
        own = [one for one, row in zip(scores, rows, strict=True) if row.held_out]
        flags = tuple(one <= limit if side == "below" else one >= limit for one in own)
        found.append(Reported(name, limit, flags))
    assert all(len(one.flags) == len(held) for one in found)  # noqa: S101 - one flag a row
    return found


def best_product(scores: Sequence[float], rows: Sequence[RoundTrip], side: Side) -> Cut:
    """The threshold with the largest product of true positives and true negatives on the rows for tuning."""
    known = [(s, row.bug) for s, row in zip(scores, rows, strict=True) if not row.held_out]
    if len({bug for _, bug in known}) < 2:
        known = [(s, row.bug) for s, row in zip(scores, rows, strict=True) if row.held_out]
    fine = sum(not bug for _, bug in known)

    def product(cut: Cut) -> tuple[int, float]:
        return cut.true * (fine - (cut.reported - cut.true)), cut.precision

    return max(sweep(*columns(known), side), key=product)


def counted(flags: Sequence[bool], bugs: Sequence[bool]) -> MetricFinds:
    """How good reports are."""
    true = sum(flag and bug for flag, bug in zip(flags, bugs, strict=True))
    right = sum(flag == bug for flag, bug in zip(flags, bugs, strict=True))
    return MetricFinds(true, sum(flags), right / len(bugs), 2 * true / (sum(flags) + sum(bugs)))


def overlaps(found: Sequence[Reported], bugs: Sequence[bool]) -> list[Overlap]:
    """The paper's figure 7: who finds which bugs, and who alone."""
    hits = {
        one.metric: {
            place
            for place, (flag, bug) in enumerate(zip(one.flags, bugs, strict=True))
            if flag and bug
        }
        for one in found
    }
    rows = []
    for name, own in hits.items():
        others = {other: places for other, places in hits.items() if other != name}
        alone = own - set().union(*others.values())
        shared = {other: len(own & places) for other, places in others.items()}
        rows.append(Overlap(name, len(own), len(alone), shared))
    return rows


def improvements(found: Sequence[Reported], bugs: Sequence[bool]) -> list[Improvement]:
    """The paper's figure 8: two metrics by either-or, against the first alone; the last row joins all."""
    rows = []
    for one in found:
        base = counted(one.flags, bugs)
        for other in found:
            if other.metric != one.metric:
                both = counted([a or b for a, b in zip(one.flags, other.flags, strict=True)], bugs)
                rows.append(improvement(one.metric, other.metric, base, both))
    every = counted([any(flags) for flags in zip(*(one.flags for one in found), strict=True)], bugs)
    best = max(found, key=lambda one: counted(one.flags, bugs).f)
    rows.append(improvement(best.metric, "all", counted(best.flags, bugs), every))
    return rows


def improvement(first: str, second: str, base: MetricFinds, both: MetricFinds) -> Improvement:
    """The difference of two results."""
    return Improvement(
        first, second, both.bugs - base.bugs, both.accuracy - base.accuracy, both.f - base.f
    )


def hybrid_rows(rows: Sequence[RoundTrip]) -> list[HybridRow]:
    """The paper's figure 12: SemMT-H by K, its threshold from the rows for tuning."""
    return [hybrid_row(k, rows) for k in STEPS]


def hybrid_row(k: float, rows: Sequence[RoundTrip]) -> HybridRow:
    """One K."""
    scores = [
        1.0 if row.source == row.back else meanings(row.source, row.back).h(k) for row in rows
    ]
    held = [(s, row.bug) for s, row in zip(scores, rows, strict=True) if row.held_out]
    known = [(s, row.bug) for s, row in zip(scores, rows, strict=True) if not row.held_out]
    tune = known if len({bug for _, bug in known}) == 2 else held
    limit = choose(*columns(tune)).threshold
    own, bugs = columns(held)
    found = counted([score <= limit for score in own], bugs)
    return HybridRow(k, area(own, bugs), found.f, found.accuracy)


def by_kind(found: Sequence[Reported], held: Sequence[RoundTrip]) -> dict[str, dict[str, int]]:
    """The paper's table 4: bugs of each kind, and how many of them each metric reports."""
    total = Counter(row.kind or NO_KIND for row in held if row.bug)
    table = {kind: {"bugs": count} for kind, count in total.most_common()}
    for one in found:
        for flag, row in zip(one.flags, held, strict=True):
            if row.bug:
                kinds = table[row.kind or NO_KIND]
                kinds[one.metric] = kinds.get(one.metric, 0) + flag
    return table


@cache
def published() -> dict[str, dict[str, Any]]:
    """What the paper prints for the same tables, by name."""
    path = files("polyglitch").joinpath("resources", "published", "semmt.toml")
    return tomllib.loads(path.read_text("utf-8"))
