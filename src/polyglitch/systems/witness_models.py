"""The models that witnesses ask: a lens, which says how likely an output is, one of the way back, and a judge."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from polyglitch import registry
from polyglitch.errors import LimitReached, Missing, UsageError
from polyglitch.protocols import Lens, System
from polyglitch.records import Input
from polyglitch.systems.uri import open_system

NONE = "none"  # `--lens none`: outputs are judged without one


@cache
def open_lens(uri: str, timeout: float = 60.0) -> Lens | None:
    """The lens that a URI names, opened once a process; nothing for `none`."""
    if uri == NONE:
        return None
    scheme, _, rest = uri.strip().partition(":")
    if scheme in registry.entries("lenses"):
        lens: Lens = registry.load("lenses", scheme)(rest.strip(), timeout=timeout)
        return lens
    system = open_system(uri, timeout)
    if not isinstance(system, Lens):
        system.close()
        raise UsageError(
            f"--lens {uri!r}: this system does not say how likely it finds an output; those that do are firefox:, "
            "bergamot:, gguf: and hf: (translators and language models)"
        )
    system.score([], [])  # loads what it needs, so that a missing package shows before the run
    return system


@cache
def open_back_lens(uri: str) -> Lens | None:
    """The system of the way back as a lens; nothing where it only translates."""
    if uri.strip().partition(":")[0] in registry.entries("lenses"):
        return open_lens(uri)
    return own_lens(open_system(uri))


def own_lens(system: System | None) -> Lens | None:
    """The system under test as its own lens, where it says how likely an output is and what that needs is installed."""
    if not isinstance(system, Lens):
        return None
    try:
        system.score([], [])
    except Missing:
        return None
    return system


def lens_elsewhere(named: str | None, system: str) -> Lens | None:
    """The lens of a campaign where its system is not at hand: the one named, else the system opened again."""
    if named:
        return open_lens(named)
    found = open_system(system)
    lens = own_lens(found)
    if lens is None:
        found.close()
    return lens


class BudgetedJudge:
    """A language model that is asked for its opinion, so many times at most."""

    def __init__(self, system: System, budget: int) -> None:
        self._system, self.left = system, budget
        self.signature = system.signature

    def answers(self, questions: Sequence[str]) -> list[str | None]:
        """An answer to each question; nothing to those beyond the budget or that failed."""
        found: list[str | None] = [None] * len(questions)
        count = min(self.left, len(questions))
        size = max(1, self._system.batch_size)
        for start in range(0, count, size):
            some = questions[start : min(start + size, count)]
            self.left -= len(some)
            try:
                outputs = self._system.ask([Input(text) for text in some])
            except LimitReached:
                break  # of characters or cost: what is left stays without an opinion
            for place, output in enumerate(outputs, start):
                found[place] = output.said if output.ok else None
        return found
