"""The same similarity compiled, where somebody built it (`make native`). Without it nothing is lost but time."""

from __future__ import annotations

from functools import cache
from typing import Protocol

from polyglitch.represent.regex.parse import names


class Compiled(Protocol):
    """What native/automata.c offers."""

    def similarity(
        self, one: str, other: str, threshold: float
    ) -> tuple[float, int, bool] | None: ...

    def learn(self, name: str, value: str, is_class: bool) -> None: ...


@cache
def compiled() -> Compiled | None:
    """The compiled part, told the names that a regex may use; nothing where it was not built."""
    try:
        from polyglitch.represent.automata import _native
    except ImportError:
        return None
    for name, (kind, value) in names().items():
        _native.learn(name, value, kind == "class")
    return _native


def native_similarity(one: str, other: str, threshold: float) -> tuple[float, int, bool] | None:
    """Value, longest length counted and whether it is exact; nothing where Python has to do it.

    That is where it was not built, and for whatever is out of the ordinary: a mistake in a regex, letters beyond ASCII,
    thousands of states.
    """
    part = compiled()
    if part is None or not (one.isascii() and other.isascii()):
        return None
    return part.similarity(one, other, threshold)
