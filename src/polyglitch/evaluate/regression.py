"""Two runs on the same cases: what the new system fixed, what it broke, and whether that could be chance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

Outcomes = Iterable[tuple[str, str, str]]  # method, case, outcome
SURE = 0.05  # chance makes a difference like this more seldom: the usual line, and a page gives the figure
WORDS = {
    ("violated", "holds"): "fixed",
    ("holds", "violated"): "broken",
    ("violated", "violated"): "still broken",
    ("holds", "holds"): "still fine",
}
CHANGES = ("fixed", "broken", "still broken", "still fine")


class CapabilityChange(msgspec.Struct, frozen=True):
    """How the cases of one capability that both runs decided came out."""

    title: str
    fixed: int
    broken: int
    still_broken: int
    still_fine: int

    @property
    def both(self) -> int:
        """Cases that both runs decided."""
        return self.fixed + self.broken + self.still_broken + self.still_fine

    @property
    def rates(self) -> tuple[float, float]:
        """The violated share before and after."""
        before, after = self.fixed + self.still_broken, self.broken + self.still_broken
        return (before / self.both, after / self.both) if self.both else (0.0, 0.0)


class RunComparison(msgspec.Struct, frozen=True):
    """How the cases that both runs judged came out."""

    fixed: int
    broken: int
    still_broken: int
    still_fine: int
    undecided: int  # judged in one run only, or in neither
    flaky: int  # changed from time to time in one of the runs, asked with --repeat
    only_old: int
    only_new: int
    p_value: float  # exact McNemar test, two-sided
    change: float  # share violated, new minus old
    interval: tuple[float, float]  # 95% of that change
    broken_cases: tuple[tuple[str, str], ...] = ()
    fixed_cases: tuple[tuple[str, str], ...] = ()
    flaky_cases: tuple[tuple[str, str], ...] = ()
    by_capability: tuple[CapabilityChange, ...] = ()

    @property
    def verdict(self) -> str:
        """What came of it in a sentence; a difference counts where chance would seldom make it."""
        if not self.both:
            return "The runs have no case in common that both decided: there is nothing to compare."
        told = f"{self.fixed:,} fixed, {self.broken:,} broken of {self.both:,} that both decided"
        if self.p_value >= SURE:
            return f"No clear difference: {told}."
        return f"The new run is {'better' if self.change < 0 else 'worse'}: {told}."

    @property
    def fates(self) -> dict[str, int]:
        """How many cases became what, in words."""
        return {name.replace("_", " "): getattr(self, name) for name in FATES}

    @property
    def both(self) -> int:
        """Cases that both runs decided."""
        return self.fixed + self.broken + self.still_broken + self.still_fine


FATES = (
    "fixed", "broken", "still_broken", "still_fine", "flaky", "undecided", "only_old", "only_new",
)  # fmt: skip


def compare_outcomes(
    old: Outcomes, new: Outcomes, capabilities: Mapping[tuple[str, str], str] | None = None
) -> RunComparison:
    """Pair the verdicts of two runs by method and case; `capabilities` has the title of what a case tests."""
    titles = capabilities or {}
    each: dict[str, Counter[str]] = {}
    before = {(method, case): outcome for method, case, outcome in old}
    counts: Counter[str] = Counter()
    cases: dict[str, list[tuple[str, str]]] = {"fixed": [], "broken": [], "flaky": []}
    for method, case, outcome in new:
        earlier = before.pop((method, case), None)
        if earlier is None:
            counts["only new"] += 1
            continue
        other = "flaky" if "flaky" in (earlier, outcome) else "undecided"
        word = WORDS.get((earlier, outcome), other)
        counts[word] += 1
        if title := titles.get((method, case)):
            each.setdefault(title, Counter())[word] += 1
        if word in cases:
            cases[word].append((method, case))
    both = sum(counts[word] for word in WORDS.values())
    change, interval = paired_change(counts["fixed"], counts["broken"], both)
    return RunComparison(
        fixed=counts["fixed"],
        broken=counts["broken"],
        still_broken=counts["still broken"],
        still_fine=counts["still fine"],
        undecided=counts["undecided"],
        flaky=counts["flaky"],
        only_old=len(before),
        only_new=counts["only new"],
        p_value=mcnemar(counts["fixed"], counts["broken"]),
        change=change,
        interval=interval,
        broken_cases=tuple(sorted(cases["broken"])),
        fixed_cases=tuple(sorted(cases["fixed"])),
        flaky_cases=tuple(sorted(cases["flaky"])),
        by_capability=tuple(
            CapabilityChange(title, *(some[word] for word in CHANGES))
            for title, some in sorted(each.items())
        ),
    )


def mcnemar(fixed: int, broken: int) -> float:
    """The chance of a split at least this uneven if each change were a coin toss; exact, two-sided."""
    changed = fixed + broken
    if not changed:
        return 1.0
    few = min(fixed, broken)
    # Summed in logarithms: 2**changed leaves the range of floats at about a thousand changes.
    half = changed * math.log(0.5)
    tail = sum(
        math.exp(
            math.lgamma(changed + 1) - math.lgamma(k + 1) - math.lgamma(changed - k + 1) + half
        )
        for k in range(few + 1)
    )
    return min(1.0, 2 * tail)


def paired_change(fixed: int, broken: int, both: int) -> tuple[float, tuple[float, float]]:
    """The change of the violated share and its 95% interval, Wald with Agresti and Min's half counts."""
    if not both:
        return 0.0, (0.0, 0.0)
    change = (broken - fixed) / both
    b, f, n = broken + 0.5, fixed + 0.5, both + 2
    spread = 1.96 * math.sqrt(max(b + f - (b - f) ** 2 / n, 0.0)) / n
    middle = (b - f) / n
    return change, (max(-1.0, middle - spread), min(1.0, middle + spread))
