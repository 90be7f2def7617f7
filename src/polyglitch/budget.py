"""A budget of queries: which cases it still pays for."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from polyglitch.records import Case, Input


class Budget:
    """So many distinct inputs, each asked `repeat` times. An answer from the store costs as much as a new one, so
    that a campaign has the same cases whatever was asked before."""

    def __init__(self, queries: int | None, repeat: int, key: Callable[[Input], str]) -> None:
        self._affordable = queries // repeat if queries else None
        self._key = key
        self._spent: set[str] = set()

    @property
    def limited(self) -> bool:
        """Whether there is a limit at all."""
        return self._affordable is not None

    @property
    def paid_out(self) -> bool:
        """Whether the budget is spent."""
        return self._affordable is not None and len(self._spent) >= self._affordable

    def charge(self, cases: Iterable[Case]) -> None:
        """Count what an earlier, interrupted run has spent already."""
        for case in cases:
            self._spent |= {self._key(item) for item in case.inputs}

    def choose(self, cases: list[Case]) -> list[Case]:
        """The cases that the budget still pays for, paid."""
        if self._affordable is None:
            return cases
        chosen: list[Case] = []
        for case in cases:
            new = {self._key(item) for item in case.inputs} - self._spent
            if len(self._spent) + len(new) <= self._affordable:
                self._spent |= new
                chosen.append(case)
        return chosen
