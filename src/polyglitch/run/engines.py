"""Where the work of a campaign is done: here, or spread over a cluster. The flow only ever sees this shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from polyglitch.campaign import Campaign
from polyglitch.component import Method
from polyglitch.errors import Missing, UsageError
from polyglitch.protocols import System
from polyglitch.records import Case, Seed, Trial, Verdict
from polyglitch.registry import suggest
from polyglitch.systems.uri import open_system
from polyglitch.tools import Toolbox

ENGINES = ("local", "ray")

T = TypeVar("T")
Later = Callable[[], T]  # a result that may still be under way; calling it waits


class Engine(Protocol):
    """Opens systems, makes cases and judges trials."""

    @property
    def ahead(self) -> int:
        """Pieces of work to be handed over before the first of them is waited for."""

    @property
    def grace(self) -> float:
        """Seconds beyond the timeout that an answer may take because a machine was lost."""

    def open_system(self, uri: str, timeout: float) -> System:
        """The system under test."""

    def start(self, methods: Sequence[Method], tools: Toolbox) -> None:
        """Be ready for these methods, or say what is missing."""

    def mutate(self, method: Method, seeds: Sequence[Seed]) -> Later[Iterable[Case]]:
        """The cases of some seeds."""

    def compare(self, method: Method, trials: Sequence[Trial]) -> Later[list[Verdict]]:
        """What the method's oracle says of some trials."""

    def close(self) -> None:
        """Let go of machines and processes."""


class LocalEngine:
    """This process: everything when it is asked for, nothing ahead."""

    ahead = 0
    grace = 0.0

    def open_system(self, uri: str, timeout: float) -> System:
        """The system under test."""
        return open_system(uri, timeout)

    def start(self, methods: Sequence[Method], tools: Toolbox) -> None:
        """Load what the methods need."""
        self._tools = tools
        for method in methods:
            for need in method.needs:
                tools.check(need, *tools.languages)

    def mutate(self, method: Method, seeds: Sequence[Seed]) -> Later[Iterable[Case]]:
        """The cases, made while they are walked through."""
        return lambda: method.mutate(seeds, self._tools)

    def compare(self, method: Method, trials: Sequence[Trial]) -> Later[list[Verdict]]:
        """The verdicts."""
        return lambda: method.judge(trials, self._tools)

    def close(self) -> None:
        """Nothing is held."""


def open_engine(campaign: Campaign) -> Engine:
    """The engine that a campaign names: `local`, `ray`, or `ray:ADDRESS` of a cluster that runs already."""
    name, _, address = campaign.engine.partition(":")
    if name not in ENGINES:
        raise UsageError(f"--engine {campaign.engine!r}: no such engine{suggest(name, ENGINES)}")
    if name == "local":
        return LocalEngine()
    if campaign.rank != "none":
        raise UsageError(
            f"--rank {campaign.rank} looks into a model in this process, and --engine ray has it elsewhere; "
            "leave one of the two out"
        )
    try:
        from polyglitch.run.ray_engine import RayEngine
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise Missing("ray", "--engine ray", "pip install 'polyglitch[ray]'") from None
    return RayEngine(campaign, address)
