"""Where two cut texts differ: blocks of units that were deleted, inserted or replaced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from rapidfuzz.distance import LCSseq

from polyglitch.compare.metrics.gnu_diff import Flags, changed_units
from polyglitch.compare.metrics.units import Units, cut
from polyglitch.records import Span


class DiffBlock(NamedTuple):
    """A place of difference: units `a_start:a_end` of one side stand against `b_start:b_end`."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int

    @property
    def kind(self) -> Literal["deleted", "inserted", "replaced"]:
        """What happened to the first side's units."""
        if self.b_start == self.b_end:
            return "deleted"
        return "inserted" if self.a_start == self.a_end else "replaced"


def blocks(a: Sequence[str], b: Sequence[str]) -> list[DiffBlock]:
    """The blocks between two lists of units, by a longest common subsequence."""
    flags_a, flags_b = [False] * len(a), [False] * len(b)
    for code in LCSseq.opcodes(a, b):
        if code.tag != "equal":
            flags_a[code.src_start : code.src_end] = [True] * (code.src_end - code.src_start)
            flags_b[code.dest_start : code.dest_end] = [True] * (code.dest_end - code.dest_start)
    return blocks_of(flags_a, flags_b)


def published_blocks(
    a: Sequence[str], b: Sequence[str], *, reverse: bool = False
) -> list[DiffBlock]:
    """The blocks as GNU `wdiff` gives them; `reverse` diffs b with a, and ties fall otherwise."""
    if reverse:
        flags_b, flags_a = changed_units(b, a)
    else:
        flags_a, flags_b = changed_units(a, b)
    return blocks_of(flags_a, flags_b)


def blocks_of(flags_a: Flags, flags_b: Flags) -> list[DiffBlock]:
    """Join the changed units of both sides; units that are not flagged must be the same on both."""
    found = []
    a = b = 0
    while a < len(flags_a) or b < len(flags_b):
        a_start, b_start = a, b
        while a < len(flags_a) and flags_a[a]:
            a += 1
        while b < len(flags_b) and flags_b[b]:
            b += 1
        if (a, b) != (a_start, b_start):
            found.append(DiffBlock(a_start, a, b_start, b))
        else:
            a, b = a + 1, b + 1
    return found


def explain(
    a: Units, b: Units, found: Sequence[DiffBlock]
) -> tuple[tuple[Span, ...], tuple[str, ...]]:
    """The blocks as spans of outputs 0 and 1, and in words."""
    spans, reasons = [], []
    for block in found:
        a_place, b_place = a.place(block.a_start, block.a_end), b.place(block.b_start, block.b_end)
        old, new = a.text[slice(*a_place)], b.text[slice(*b_place)]
        reason = {
            "deleted": f"'{old}' is missing",
            "inserted": f"'{new}' was added",
            "replaced": f"'{old}' became '{new}'",
        }[block.kind]
        reasons.append(reason)
        if block.kind != "inserted":
            spans.append(Span(0, *a_place, reason))
        if block.kind != "deleted":
            spans.append(Span(1, *b_place, reason))
    return tuple(spans), tuple(reasons)


def differences(
    a: str, b: str, language: str | None = None
) -> tuple[tuple[Span, ...], tuple[str, ...]]:
    """What differs between two texts, unit by unit, as spans and in words."""
    first, second = cut(a, language), cut(b, language)
    return explain(first, second, blocks(first.units, second.units))
