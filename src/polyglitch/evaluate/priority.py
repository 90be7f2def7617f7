"""How well each rank would have ordered the cases of a run: joins the store, the system and the ranks.

Fault curves: the share of faults found after each share of the tests, and the area under it.

With one fault a failing test the area is APFD, the average percentage of faults detected.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from io import StringIO
from itertools import cycle, pairwise
from statistics import fmean, pstdev
from typing import Any

import msgspec
import numpy as np

from polyglitch.errors import Missing, NothingToTest, UsageError
from polyglitch.languages import DEFAULT
from polyglitch.protocols import Inspection, System, Tools, WhiteBox
from polyglitch.rank.cases import CASE_RANKS, EMBEDDING, INSPECTING, Scene
from polyglitch.records import Case, Verdict
from polyglitch.registry import suggest
from polyglitch.results.history import History
from polyglitch.store.outputs import output_key

KEPT = "inspection/1"


def evaluate_priority(
    history: History,
    tools: Tools,
    ranks: Sequence[str],
    *,
    system: System | None = None,
    method: str = "qaqa",
    shuffles: int = 20,
) -> tuple[list[Order], int, int]:
    """The orders by each rank with the initial and the ideal one, and how many cases and faults there are."""
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
    if set(ranks) & set(INSPECTING):
        scenes = inspected(history, scenes, opened(system, history), tools)
    embedder = None
    if set(ranks) & set(EMBEDDING):
        embedder = tools.embedder("minilm", history.definition["languages"][0] or DEFAULT)
    scores = {name: CASE_RANKS[name](scenes, embedder) for name in ranks}
    return evaluate_orders(failed, scores, shuffles, tools.seed), len(failed), sum(failed)


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


def inspected(
    history: History, scenes: Sequence[Scene], system: WhiteBox, tools: Tools
) -> list[Scene]:
    """The scenes with a look at each seed; what was seen is kept, since it is dear."""
    keys = [output_key(system.signature, scene.case.inputs[0]) for scene in scenes]
    known = tools.remember(KEPT, list(dict.fromkeys(keys)))
    found: list[Scene] = []
    for key, scene in zip(keys, scenes, strict=True):
        if key not in known:
            first = scene.answers[0]
            seen = system.inspect([scene.case.inputs[0]], [first.label or first.text])[0]
            known[key] = to_json(seen)
            tools.keep(KEPT, {key: known[key]})
        found.append(Scene(scene.case, scene.answers, from_json(known[key])))
    return found


def to_json(seen: Inspection) -> dict[str, Any]:
    """An inspection as plain lists."""
    fields = msgspec.structs.asdict(seen)
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in fields.items()
    }


def from_json(value: dict[str, Any]) -> Inspection:
    """An inspection from plain lists."""
    tokens = ("source_tokens", "target_tokens")
    fields: dict[str, Any] = {name: tuple(value[name]) for name in tokens}
    fields["source_spans"] = tuple((start, end) for start, end in value["source_spans"])
    for name, items in value.items():
        if name not in fields and items is not None:
            fields[name] = np.asarray(items, np.float32)
    return Inspection(**fields)


Curve = list[tuple[float, float]]


@dataclass(frozen=True)
class Order:
    """How well an order does: mean area in percent over the shuffles, its spread, and a typical curve."""

    name: str
    area: float
    spread: float
    curve: Curve


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
