"""How sure a share is: intervals for counts."""

from __future__ import annotations

import math

Interval = tuple[float, float]
Z = 1.959964  # of a 95% interval


def wilson(found: int, total: int) -> Interval:
    """Wilson's 95% interval of a share: sound for few and for extreme counts, where Wald's is not."""
    if not total:
        return 0.0, 1.0
    share, square = found / total, Z * Z / total
    middle = (share + square / 2) / (1 + square)
    half = Z / (1 + square) * math.sqrt(share * (1 - share) / total + square / (4 * total))
    return max(0.0, middle - half), min(1.0, middle + half)
