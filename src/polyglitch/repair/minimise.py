"""The smallest pair that still fails in the same way: delta debugging over constituents, or words without a parser.

Zeller, Hildebrandt: Simplifying and Isolating Failure-Inducing Input, TSE 2002. What may be left out comes from the
grammar (`shrink`), so that each step is a sentence; that it is the same bug is told by the words that changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from itertools import islice
from typing import NamedTuple

from polyglitch.records import Trial, Verdict

AT_ONCE = 4  # candidates asked together: few are wasted when the first of them will do

Judged = tuple[Trial, Verdict]
Smaller = Callable[[Set[int]], Iterable[frozenset[int]]]
Judge = Callable[[Sequence[frozenset[int]]], list[Judged | None]]  # None: not a sentence, not asked


class Minimised(NamedTuple):
    """What is left of a pair, and at what cost."""

    kept: frozenset[int]
    judged: Judged | None  # nothing where nothing could be left out
    tried: int


def minimise(
    everything: frozenset[int],
    smaller: Smaller,
    judge: Judge,
    same: Callable[[Judged], bool],
    left: Callable[[], int],
) -> Minimised:
    """Leave out whatever can go, the most at once first, as long as `left` says that there are queries left."""
    kept, best = everything, None
    seen: set[frozenset[int]] = set()
    found = True
    while found and left() > 0:
        found = False
        options = (option for option in smaller(kept) if option not in seen)
        while not found and left() > 0 and (some := list(islice(options, AT_ONCE))):
            seen.update(some)
            for option, judged in zip(some, judge(some), strict=True):
                if judged and judged[1].outcome == "violated" and same(judged):
                    kept, best, found = option, judged, True
                    break
    return Minimised(kept, best, len(seen))
