"""How well each rank would have ordered the cases of a run: joins the store, the system and the ranks.

Fault curves: the share of faults found after each share of the tests, and the area under it.

With one fault a failing test the area is APFD, the average percentage of faults detected.

Fault curves as an SVG picture, written by hand: nothing to install, and readable in any browser.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from statistics import fmean, pstdev
from typing import Any

import msgspec
import numpy as np

from polyglitch.errors import NothingToTest, UsageError
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


WIDTH, HEIGHT, LEFT, TOP = 640, 420, 56, 24
PLOT = 360  # both axes
# Distinct in print and to colour-blind readers (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999933", "#882255")
GREY = "#888888"
MOST_POINTS = 400  # a curve of more would only be a larger file


def picture(orders: Sequence[Order], title: str) -> str:
    """The curves with their legend; the initial and the ideal order dashed in grey."""
    lines = [_axes(title)]
    coloured = 0
    for place, order in enumerate(orders):
        plain = order.name in ("initial", "ideal")
        colour = GREY if plain else COLOURS[coloured % len(COLOURS)]
        coloured += not plain
        dash = ' stroke-dasharray="6 4"' if plain else ""
        y = TOP + 18 + 20 * place
        lines.append(
            f'<polyline fill="none" stroke="{colour}" stroke-width="2"{dash} points="{_points(order)}"/>'
            f'<line x1="{LEFT + PLOT + 20}" x2="{LEFT + PLOT + 44}" y1="{y}" y2="{y}" '
            f'stroke="{colour}" stroke-width="2"{dash}/>'
            f'<text x="{LEFT + PLOT + 50}" y="{y + 4}">{escape(order.name)} {order.area:.1f}</text>'
        )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12" role="img">'
        f"<title>{escape(title)}</title>"
    )
    return f"{head}\n" + "\n".join(lines) + "\n</svg>\n"


def _points(order: Order) -> str:
    step = max(1, len(order.curve) // MOST_POINTS)
    chosen = [*order.curve[::step], order.curve[-1]]
    return " ".join(f"{LEFT + PLOT * x:.1f},{TOP + PLOT * (1 - y):.1f}" for x, y in chosen)


def _axes(title: str) -> str:
    marks = []
    for share in (0, 25, 50, 75, 100):
        x, y = LEFT + PLOT * share / 100, TOP + PLOT * (1 - share / 100)
        marks.append(
            f'<text x="{x:.0f}" y="{TOP + PLOT + 16}" text-anchor="middle">{share}</text>'
            f'<text x="{LEFT - 6}" y="{y + 4:.0f}" text-anchor="end">{share}</text>'
        )
    return (
        f'<text x="{LEFT}" y="14" font-weight="bold">{escape(title)}</text>'
        f'<rect x="{LEFT}" y="{TOP}" width="{PLOT}" height="{PLOT}" fill="none" stroke="#333"/>'
        + "".join(marks)
        + f'<text x="{LEFT + PLOT / 2:.0f}" y="{HEIGHT - 4}" text-anchor="middle">% of tests run</text>'
        f'<text x="14" y="{TOP + PLOT / 2:.0f}" text-anchor="middle" '
        f'transform="rotate(-90 14 {TOP + PLOT / 2:.0f})">% of faults found</text>'
    )
