"""Fault curves: the share of faults found after each share of the tests, and the area under it.

With one fault a failing test the area is APFD, the average percentage of faults detected.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, pstdev

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
