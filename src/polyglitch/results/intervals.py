"""How sure a share is: intervals for counts, and for figures that are no plain share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

Interval = tuple[float, float]
Item = TypeVar("Item")
Z = 1.959964  # of a 95% interval
RESAMPLES = 2000  # the ends of a 95% interval move by less than a hundredth


def wilson(found: int, total: int) -> Interval:
    """Wilson's 95% interval of a share: sound for few and for extreme counts, where Wald's is not."""
    if not total:
        return 0.0, 1.0
    share, square = found / total, Z * Z / total
    middle = (share + square / 2) / (1 + square)
    half = Z / (1 + square) * math.sqrt(share * (1 - share) / total + square / (4 * total))
    return max(0.0, middle - half), min(1.0, middle + half)


def bootstrap(
    items: Sequence[Item], figure: Callable[[Sequence[Item]], float], seed: int = 0
) -> Interval:
    """The middle 95% of a figure over resampled items; samples without the figure are left out."""
    if not items:
        return 0.0, 1.0
    draws = np.random.default_rng(seed).integers(0, len(items), (RESAMPLES, len(items)))
    values = [figure([items[place] for place in draw]) for draw in draws]
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return 0.0, 1.0
    low, high = np.percentile(known, (2.5, 97.5))
    return float(low), float(high)
