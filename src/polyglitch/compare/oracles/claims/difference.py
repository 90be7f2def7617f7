"""What parts two answers, and where."""

from __future__ import annotations

from typing import NamedTuple


class Difference(NamedTuple):
    """Something that parts two answers: how much it weighs, in words, and the places in each."""

    kind: str
    weight: float
    reason: str
    first: tuple[int, int] | None = None
    second: tuple[int, int] | None = None


def place_of(part: str, text: str) -> tuple[int, int] | None:
    """Where a value stands in an answer."""
    at = text.find(part) if part else -1
    return (at, at + len(part)) if at >= 0 else None
