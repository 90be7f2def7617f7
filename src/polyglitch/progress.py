"""How far a run is, as its watcher is told."""

from __future__ import annotations

from collections.abc import Callable

import msgspec


class Progress(msgspec.Struct):
    """How far a run is; the watcher is told after every step."""

    stage: str = "start"
    seeds: int = 0
    seeds_total: int | None = None
    cases: int = 0
    queries: int = 0
    cache_hits: int = 0
    violations: int = 0
    undecided: int = 0
    errors: int = 0
    warning: str = ""  # what a person should know before the first question


Watch = Callable[[Progress], None]
