"""How well each rank would have ordered the cases of a run: joins the store, the system and the ranks.

Fault curves: the share of faults found after each share of the tests, and the area under it.

With one fault a failing test the area is APFD, the average percentage of faults detected.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from io import StringIO
from itertools import cycle, pairwise
from statistics import fmean, pstdev
from typing import Any

from polyglitch.errors import Missing, NothingToTest, UsageError
from polyglitch.evaluate.efficiency import number_or_none, spearman
from polyglitch.files.lazy_numpy import np
from polyglitch.languages import DEFAULT
from polyglitch.protocols import Lens, System, Tools, WhiteBox
from polyglitch.rank.cases import (
    CASE_RANKS,
    DOUBTING,
    EMBEDDING,
    INSPECTING,
    Scene,
    inspected,
    noise_ratio,
    weighed,
)
from polyglitch.records import Case, Verdict
from polyglitch.registry import suggest
from polyglitch.results.history import History

LENGTH_BANDS = (6.0, 8.0, 10.0, 12.0, 16.0)  # words of a question
NOISE_BANDS = (0.5, 1.0, 1.5, 2.0, 3.0)  # characters of the insertion for each of the question
RESAMPLES = 1000  # of the seeds, for the intervals of areas


def evaluate_priority(
    history: History,
    tools: Tools,
    ranks: Sequence[str],
    *,
    system: System | None = None,
    method: str = "qaqa",
    shuffles: int = 20,
) -> Priority:
    """The orders by each rank with the initial and the ideal one, and what the faulty cases are like."""
    for name in ranks:
        if name not in CASE_RANKS:
            raise UsageError(f"no case rank is called {name!r}{suggest(name, tuple(CASE_RANKS))}")
    judged = decided(history, method)
    failed = [verdict.outcome == "violated" for _, verdict in judged]
    if not any(failed):
        raise NothingToTest(
            f"run {history.run_id}: {len(judged)} decided cases of {method} and no violation among "
            "them; there is nothing to put first"
        )
    scenes = make_scenes(history, [case for case, _ in judged])
    if set(ranks) & set(DOUBTING) and isinstance(system, Lens):
        scenes = weighed(scenes, opened(system, history), tools)
    if set(ranks) & set(INSPECTING):
        scenes = inspected(scenes, opened(system, history), tools)
    embedder = None
    if set(ranks) & set(EMBEDDING):
        embedder = tools.embedder("minilm", history.definition["languages"][0] or DEFAULT)
    scores = {name: CASE_RANKS[name](scenes, embedder) for name in ranks}
    orders = evaluate_orders(failed, scores, shuffles, tools.seed)
    return Priority(
        [
            replace(order, interval=area_interval(scores[order.name], failed, judged, tools.seed))
            if order.name in scores
            else order
            for order in orders
        ],
        len(failed),
        sum(failed),
        profile(scenes, failed, scores),
    )


def decided(history: History, method: str) -> list[tuple[Case, Verdict]]:
    """The cases of a method that have a verdict for or against, in their first order."""
    pairs = history.store.verdicts.get(history.run_id, method)
    return [(case, verdict) for case, verdict in pairs if verdict.outcome != "undecided"]


def make_scenes(history: History, cases: Sequence[Case]) -> list[Scene]:
    """The cases with the answers that were there before their follow-ups."""
    return [Scene(case, history.trial(case).outputs[:-1]) for case in cases]


def opened(system: System | None, history: History) -> WhiteBox:
    """The system to look into, if it is the one of the run."""
    if system is None:
        raise UsageError(
            f"ranks {', '.join(INSPECTING)} look into the system; name it with --system"
        )
    if not isinstance(system, WhiteBox):
        raise UsageError(f"system {system.signature} cannot be looked into; leave out gri and wali")
    tested = history.definition["systems"][0]
    if system.signature != tested:
        raise UsageError(f"--system is {system.signature}, the run is of {tested}; name that one")
    return system


Curve = list[tuple[float, float]]


@dataclass(frozen=True)
class Order:
    """How well an order does: mean area in percent over the shuffles, its spread, and a typical curve."""

    name: str
    area: float
    spread: float
    curve: Curve
    interval: tuple[float, float] | None = None  # 95%, from resampled seeds


@dataclass(frozen=True)
class Priority:
    """The orders of the cases of a run, and what tells its faulty cases from the others."""

    orders: list[Order]
    cases: int
    faults: int
    profile: dict[str, Any]


def profile(
    scenes: Sequence[Scene], failed: Sequence[bool], scores: Mapping[str, Sequence[float]]
) -> dict[str, Any]:
    """Words of the question and noise of faulty and other cases, and the faults that a rank says nothing of."""
    lengths = [float(len(scene.question.split())) for scene in scenes]
    noise = [noise_ratio(scene) for scene in scenes]
    faults = [float(fault) for fault in failed]
    return {
        "question_words": means(lengths, failed),
        "noise_ratio": means(noise, failed),
        "by_question_words": in_bands(lengths, failed, LENGTH_BANDS),
        "by_noise_ratio": in_bands(noise, failed, NOISE_BANDS),
        "question_words_rho": number_or_none(spearman(lengths, faults)),
        "noise_ratio_rho": number_or_none(spearman(noise, faults)),
        "missed": {
            name: sum(fault and not score for score, fault in zip(values, failed, strict=True))
            for name, values in scores.items()
        },
    }


def in_bands(
    values: Sequence[float], failed: Sequence[bool], ends: Sequence[float]
) -> dict[str, tuple[int, int]]:
    """Faulty cases and all cases whose value is at most each end, and beyond the last; none of empty bands."""
    names = [*(f"up to {end:g}" for end in ends), f"over {ends[-1]:g}"]
    places = [sum(value > end for end in ends) for value in values]
    rows = {
        name: [fault for place, fault in zip(places, failed, strict=True) if place == number]
        for number, name in enumerate(names)
    }
    return {name: (sum(row), len(row)) for name, row in rows.items() if row}


def means(values: Sequence[float], failed: Sequence[bool]) -> dict[str, float | None]:
    """The mean over the faulty cases and over the others."""
    sides = {
        name: [value for value, fault in zip(values, failed, strict=True) if fault is side]
        for name, side in (("faulty", True), ("held", False))
    }
    return {name: round(fmean(side), 2) if side else None for name, side in sides.items()}


def area_interval(
    scores: Sequence[float],
    failed: Sequence[bool],
    judged: Sequence[tuple[Case, Verdict]],
    seed: int,
) -> tuple[float, float]:
    """The 95% interval of an area from resampled seeds; ties share their mean place."""
    own: dict[str, list[int]] = {}
    for number, (case, _) in enumerate(judged):
        own.setdefault(case.seed_id, []).append(number)
    groups = [np.asarray(numbers) for numbers in own.values()]
    values, faults = np.asarray(scores, np.float64), np.asarray(failed, bool)
    dice = np.random.default_rng(seed)
    areas = []
    for _ in range(RESAMPLES):
        drawn = dice.integers(0, len(groups), len(groups))
        chosen = np.concatenate([groups[number] for number in drawn])
        if faults[chosen].any():
            areas.append(tied_area(values[chosen], faults[chosen]))
    low, high = np.percentile(areas, (2.5, 97.5))
    return float(low), float(high)


def tied_area(values: Any, faults: Any) -> float:
    """The area in percent of tests in falling order of their values, the mean over all orders of ties."""
    _, inverse, counts = np.unique(-values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    places = (last - (counts - 1) / 2.0)[inverse.reshape(-1)][faults]
    return float(100 * (1 - places.mean() / len(values) + 1 / (2 * len(values))))


def fault_curve(failed: Sequence[bool]) -> Curve:
    """The points of the curve of tests in this order, from (0, 0) to (1, 1)."""
    tests, faults = len(failed), sum(failed)
    found = 0
    points: Curve = [(0.0, 0.0)]
    for number, fault in enumerate(failed, 1):
        found += fault
        points.append((number / tests, found / faults if faults else 0.0))
    return points


def area(curve: Curve) -> float:
    """The area under a curve, in percent."""
    pieces = pairwise(curve)
    return 100 * sum((x2 - x1) * (y1 + y2) / 2 for (x1, y1), (x2, y2) in pieces)


def apfd(failed: Sequence[bool]) -> float:
    """The average percentage of faults detected, by its usual formula."""
    tests, places = len(failed), [n for n, fault in enumerate(failed, 1) if fault]
    return 100 * (1 - sum(places) / (tests * len(places)) + 1 / (2 * tests)) if places else 0.0


def evaluate_orders(
    failed: Sequence[bool], scores: Mapping[str, Sequence[float]], shuffles: int, seed: int
) -> list[Order]:
    """Each order by scores, the initial order and the ideal one, ties and initial order shuffled anew."""
    orders = [
        _order("initial", failed, [0.0] * len(failed), shuffles, seed),
        *(_order(name, failed, values, shuffles, seed) for name, values in scores.items()),
        _order("ideal", failed, [float(fault) for fault in failed], 1, seed),
    ]
    ideal = orders.pop()
    ranked = sorted(orders[1:], key=lambda order: -order.area)
    return [orders[0], *ranked, ideal]


def _order(
    name: str, failed: Sequence[bool], scores: Sequence[float], shuffles: int, seed: int
) -> Order:
    curves: list[tuple[float, Curve]] = []
    for turn in range(shuffles):
        places = list(range(len(failed)))
        random.Random(f"{seed}:{turn}").shuffle(places)  # noqa: S311 - a repeatable draw
        places.sort(key=lambda place: -scores[place])
        curve = fault_curve([failed[place] for place in places])
        curves.append((area(curve), curve))
    areas = [value for value, _ in curves]
    typical = sorted(curves, key=lambda item: item[0])[len(curves) // 2][1]
    return Order(name, fmean(areas), pstdev(areas), typical)


# Distinct in print and to colour-blind readers (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999933", "#882255")
GREY = "#888888"


def picture(orders: Sequence[Order], title: str) -> str:
    """The curves with their legend as SVG; the initial and the ideal order dashed in grey."""
    if not find_spec("matplotlib"):
        raise Missing("matplotlib", "pictures", "pip install 'polyglitch[plot]'")
    import matplotlib
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.6, 4.4), layout="constrained")
    axes = figure.subplots()
    colours = cycle(COLOURS)
    for order in orders:
        plain = order.name in ("initial", "ideal")
        axes.plot(
            [100 * x for x, _ in order.curve],
            [100 * y for _, y in order.curve],
            color=GREY if plain else next(colours),
            linestyle="--" if plain else "-",
            label=f"{order.name} {order.area:.1f}",
        )
    axes.set(xlabel="% of tests run", ylabel="% of faults found", xlim=(0, 100), ylim=(0, 100))
    axes.set_title(title, parse_math=False)
    axes.set_aspect("equal")
    figure.legend(frameon=False, loc="outside right upper")
    made = StringIO()
    # Text stays text, and the same figures give the same file.
    with matplotlib.rc_context({"svg.hashsalt": title, "svg.fonttype": "none"}):
        figure.savefig(made, format="svg", metadata={"Date": None, "Title": title})
    return made.getvalue()
