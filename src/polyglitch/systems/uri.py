"""Systems by URI, `scheme:rest`, the scheme a registered name, the rest for its factory; and by URI too the models that
witnesses ask: a lens, which says how likely an output is, one of the way back, and a judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from urllib.parse import quote

from polyglitch import registry
from polyglitch.errors import LimitReached, Missing, UsageError
from polyglitch.protocols import Lens, System
from polyglitch.records import Input
from polyglitch.registry import about, entries, entry, load


def open_system(uri: str, timeout: float = 60.0) -> System:
    """Open the system a URI names; `timeout` is how many seconds an answer may take."""
    scheme, _, rest = uri.strip().partition(":")
    if not scheme:
        raise UsageError(f"system {uri!r} has no scheme; for example python:my_module:translate")
    found = entry("systems", scheme)
    if not rest.strip() and not found.data.get("bare"):
        example = found.data.get("example") or about("systems", scheme)
        raise UsageError(
            f"system {uri!r} says nothing after {scheme + ':'!r}; for example {example}"
        )
    if timeout <= 0:
        raise UsageError(f"timeout is {timeout:g}; give a number of seconds above 0")
    system = load("systems", scheme)(rest.strip(), timeout=timeout)
    if not isinstance(system, System):
        raise UsageError(
            f"system {uri!r}: {found.target} returned {type(system).__name__}, which lacks "
            f"{', '.join(_lacking(system))}; a system has the shape of polyglitch.protocols.System"
        )
    return system


def with_prompt(uri: str, prompt: str) -> str:
    """The URI of a system that is told a prompt file."""
    scheme, _, rest = uri.strip().partition(":")
    way = entry("systems", scheme).data.get("prompt") if scheme else None
    if way == "option":
        if "prompt=" in rest.partition("?")[2]:
            raise UsageError(f"--prompt {prompt!r}: the system {uri!r} names a prompt already")
        return f"{uri.strip()}{'&' if '?' in rest else '?'}prompt={quote(prompt, safe='/')}"
    if way == "name":
        return f"{scheme}:{prompt}"
    able = [name for name, known in entries("systems").items() if known.data.get("prompt")]
    raise UsageError(
        f"--prompt {prompt!r}: the system {uri!r} takes no prompt; those that do are {', '.join(able)}"
    )


def _lacking(system: object) -> list[str]:
    shape = ("signature", "languages", "batch_size", "parallel", "ask", "close")
    return [name for name in shape if not hasattr(system, name)]


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
