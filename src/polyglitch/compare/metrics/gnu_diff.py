"""The alignment that GNU `diff` (and so `wdiff`) reports, for checking figures published with it.

A longest common subsequence is seldom unique, and about one published score in fifty depends on
which one was taken. `diff` settles it in four steps, each a function here: common ends are set
aside, units without a partner are set aside, what is left is bisected by Myers' middle snake (An
O(ND) Difference Algorithm, 1986), and runs of changes are slid to where they merge with, or stand
opposite to, other changes. Two refinements are left out: giving up on dear searches, which takes
thousands of units, and setting aside units that are merely frequent, which changes the alignment of
unlike texts cut into letters now and then.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

Flags = list[bool]


def changed_units(a: Sequence[Hashable], b: Sequence[Hashable]) -> tuple[Flags, Flags]:
    """For each unit of both sides, whether `diff a b` reports it as changed."""
    prefix, suffix = common_ends(a, b)
    middle_a, middle_b = a[prefix : len(a) - suffix], b[prefix : len(b) - suffix]
    flags_a, flags_b = changes_of_middle(middle_a, middle_b)
    slide_runs(middle_a, flags_a, flags_b)
    slide_runs(middle_b, flags_b, flags_a)
    head, tail = [False] * prefix, [False] * suffix
    return head + flags_a + tail, head + flags_b + tail


def common_ends(a: Sequence[Hashable], b: Sequence[Hashable]) -> tuple[int, int]:
    """The lengths of the longest common prefix, and of the common suffix of what follows it."""
    shorter = min(len(a), len(b))
    prefix = 0
    while prefix < shorter and a[prefix] == b[prefix]:
        prefix += 1
    suffix = 0
    while suffix < shorter - prefix and a[-1 - suffix] == b[-1 - suffix]:
        suffix += 1
    return prefix, suffix


def changes_of_middle(a: Sequence[Hashable], b: Sequence[Hashable]) -> tuple[Flags, Flags]:
    """Mark what has no partner, and align the rest."""
    in_a, in_b = set(a), set(b)
    kept_a = [index for index, unit in enumerate(a) if unit in in_b]
    kept_b = [index for index, unit in enumerate(b) if unit in in_a]
    flags_a, flags_b = [True] * len(a), [True] * len(b)
    for x, y in matches([a[index] for index in kept_a], [b[index] for index in kept_b]):
        flags_a[kept_a[x]] = flags_b[kept_b[y]] = False
    return flags_a, flags_b


def matches(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[tuple[int, int]]:
    """The pairs of positions that Myers' bisection leaves aligned."""
    found: list[tuple[int, int]] = []
    boxes = [(0, len(a), 0, len(b))]
    while boxes:
        left, right, top, bottom = boxes.pop()
        while left < right and top < bottom and a[left] == b[top]:
            found.append((left, top))
            left, top = left + 1, top + 1
        while left < right and top < bottom and a[right - 1] == b[bottom - 1]:
            right, bottom = right - 1, bottom - 1
            found.append((right, bottom))
        if left < right and top < bottom:
            x, y = Bisection(a, b, left, right, top, bottom).middle()
            boxes += [(left, x, top, y), (x, right, y, bottom)]
    return found


class Bisection:
    """A search from both corners of a box of the edit graph for a point on a shortest path."""

    def __init__(
        self,
        a: Sequence[Hashable],
        b: Sequence[Hashable],
        left: int,
        right: int,
        top: int,
        bottom: int,
    ) -> None:
        self.a, self.b = a, b
        self.left, self.right, self.top, self.bottom = left, right, top, bottom
        # Furthest x reached on each diagonal x - y; beyond its bounds a front has reached nothing.
        self.forward = {left - top: left}
        self.backward = {right - bottom: right}

    def middle(self) -> tuple[int, int]:
        """The first point where the fronts meet, trying high diagonals first as `diff` does."""
        ahead = [self.left - self.top] * 2
        behind = [self.right - self.bottom] * 2
        odd = (ahead[0] - behind[0]) % 2 == 1
        while True:
            self.widen(ahead)
            for d in range(ahead[1], ahead[0] - 1, -2):
                x = self.forward[d] = self.advance(d)
                if odd and behind[0] <= d <= behind[1] and self.backward[d] <= x:
                    return x, x - d
            self.widen(behind)
            for d in range(behind[1], behind[0] - 1, -2):
                x = self.backward[d] = self.retreat(d)
                if not odd and ahead[0] <= d <= ahead[1] and x <= self.forward[d]:
                    return x, x - d

    def widen(self, bounds: list[int]) -> None:
        """Take in one more diagonal at either bound, or step back from the edge of the box."""
        bounds[0] += -1 if bounds[0] > self.left - self.bottom else 1
        bounds[1] += 1 if bounds[1] < self.right - self.top else -1

    def advance(self, d: int) -> int:
        """One edit further on diagonal `d` from the near corner, then along what is equal."""
        below, above = self.forward.get(d - 1, -1), self.forward.get(d + 1, -1)
        x = above if below < above else below + 1
        while x < self.right and x - d < self.bottom and self.a[x] == self.b[x - d]:
            x += 1
        return x

    def retreat(self, d: int) -> int:
        """One edit further on diagonal `d` from the far corner, then back along what is equal."""
        nowhere = len(self.a) + len(self.b) + 1
        below, above = self.backward.get(d - 1, nowhere), self.backward.get(d + 1, nowhere)
        x = below if below < above else above - 1
        while x > self.left and x - d > self.top and self.a[x - 1] == self.b[x - d - 1]:
            x -= 1
        return x


def slide_runs(units: Sequence[Hashable], mine: Flags, other: Flags) -> None:
    """Slide each run of changes of one side: back to merge, then forward, then to face the other's.

    A run can slide by one when the unit it takes in equals the one it lets go. `gap` is the run's
    place in terms of the other side: how many unchanged units precede it, which are the same number
    on both sides.
    """
    facing = facing_gaps(other)
    end, gap = 0, 0
    while True:
        while end < len(mine) and not mine[end]:
            end, gap = end + 1, gap + 1
        if end == len(mine):
            return
        start = end
        end = run_end(mine, end)
        length = -1
        last_facing: int | None = None
        while length != end - start:
            length = end - start
            while start > 0 and units[start - 1] == units[end - 1]:
                start, end, gap = start - 1, end - 1, gap - 1
                mine[start], mine[end] = True, False
                while start > 0 and mine[start - 1]:
                    start -= 1
            last_facing = end if facing[gap] else None
            while end < len(mine) and units[start] == units[end]:
                mine[start], mine[end] = False, True
                start, end, gap = start + 1, run_end(mine, end), gap + 1
                if facing[gap]:
                    last_facing = end
        while last_facing is not None and last_facing < end:
            start, end, gap = start - 1, end - 1, gap - 1
            mine[start], mine[end] = True, False


def run_end(flags: Flags, start: int) -> int:
    """Where the run of changes that `start` stands in ends."""
    while start < len(flags) and flags[start]:
        start += 1
    return start


def facing_gaps(other: Flags) -> list[bool]:
    """For each number of unchanged units before it, whether the other side has a change there."""
    gaps = [False]
    for changed in other:
        if changed:
            gaps[-1] = True
        else:
            gaps.append(False)
    return gaps
