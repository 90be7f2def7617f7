"""`@polyglitch.check(...)`: a test that fails when a system violates a relation too often."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from polyglitch.api.result import Result
from polyglitch.api.run import CorpusLike, SystemLike, run


def run_check(
    system: SystemLike,
    method: str,
    store: str | Path | None = None,
    corpus: CorpusLike = "sample",
    **options: Any,
) -> Result:
    """Run a campaign for a test; options are those of `polyglitch run`."""
    return run(system, corpus, method, store=store, **options)


def check(
    method: str,
    system: SystemLike,
    max_violation_rate: float = 0.05,
    corpus: CorpusLike = "sample",
    store: str | Path | None = None,
    **options: Any,
) -> Callable[[Callable[..., Any]], Callable[[], None]]:
    """Make a function a test: the campaign runs, its rate is judged, then the function may look at the result."""

    def decorate(function: Callable[..., Any]) -> Callable[[], None]:
        takes = inspect.signature(function).parameters

        @functools.wraps(function)
        def test() -> None:
            result = run_check(system, method, store, corpus, **options)
            from polyglitch.testing.plugin import keep_report

            keep_report(function.__name__, result)
            if result.violation_rate > max_violation_rate or result.untrusted:
                fail(result.describe(max_violation_rate))
            function(result) if takes else function()

        del test.__wrapped__  # else pytest looks for the arguments as fixtures
        return test

    return decorate


def fail(message: str) -> None:
    """Fail a test with a message alone: none of our code says more than it."""
    if "pytest" in sys.modules:
        sys.modules["pytest"].fail(message, pytrace=False)
    raise AssertionError(message)
