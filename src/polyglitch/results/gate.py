"""Whether a run passes its limits, and the sentence that says so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from polyglitch.registry import suggest
from polyglitch.results.capabilities import CapabilityResult
from polyglitch.results.degenerate import Degenerate
from polyglitch.results.findings import Gate as Gate

MAX_UNDECIDED = 0.2  # of the cases: beyond it the share that holds is of too few to speak for all


def gate_of(
    figures: dict[str, Any],
    fail_under: float | None = None,
    max_undecided: float | None = None,
    by_capability: Mapping[str, float] | None = None,
) -> Gate:
    """Judge the figures of a run; any limit makes a gate, which a degenerate system never passes."""
    decided = figures["cases"] - figures["undecided"]
    holds = (decided - figures["violations"]) / decided if decided else 0.0
    limited = fail_under is not None or max_undecided is not None or bool(by_capability)
    failures: tuple[str, ...] = ()
    since = ""
    if limited:
        degenerate, undecided = degenerate_of(figures).sentence, too_many(figures, max_undecided)
        parts = tuple(under_limit(figures, by_capability or {}))
        failures = tuple(filter(None, (degenerate, undecided, *parts)))
        reasons = {
            "the system is degenerate": degenerate,
            "too many are undecided": undecided,
            "a capability is under its limit": parts,
        }
        since = next((reason for reason, told in reasons.items() if told), "")
    under = fail_under is not None and holds < fail_under
    passed = not (under or failures) if limited else None
    told = f"{percent(holds, fail_under)} of {decided:,} decided cases hold"
    if fail_under is not None:
        told += f" (limit {fail_under * 100:g}%)"
    if passed is not None:
        told += ": passed" if passed else ": failed"
        told += f", since {since}" if since and not under else ""
    return Gate(holds, decided, passed, f"{told}.", failures)


def kept_gate(figures: dict[str, Any]) -> Gate | None:
    """What came of a run by the limits it was started with; nothing for one that judged nothing."""
    limits = figures.get("limits", {})
    return gate_of(figures, **limits) if figures.get("cases") else None


def under_limit(figures: dict[str, Any], limits: Mapping[str, float]) -> Iterator[str]:
    """What to say of each capability of which too little holds, or of which nothing was decided."""
    found = msgspec.convert(figures.get("by_capability", []), list[CapabilityResult])
    for name, limit in limits.items():
        results = [result for result in found if result.name == name]
        if not results:
            known = tuple(sorted({result.name for result in found}))
            yield f"No case of capability {name!r} was tested (limit {limit * 100:g}%){suggest(name, known)}."
        for result in results:
            if not result.decided:
                yield f"{result.title} ({name}): none of {result.cases:,} cases was decided."
            elif result.holds < limit:
                yield (
                    f"{result.title} ({name}): {percent(result.holds, limit)} of {result.decided:,} decided cases "
                    f"hold, limit {limit * 100:g}%."
                )


def degenerate_of(figures: dict[str, Any]) -> Degenerate:
    """What is known of a run's answers; nothing in stores of earlier versions."""
    return msgspec.convert(figures.get("degenerate", {}), Degenerate)


def too_many(figures: dict[str, Any], limit: float | None) -> str:
    """What to say where too many cases were left undecided, or nothing."""
    most = MAX_UNDECIDED if limit is None else limit
    cases, undecided = figures["cases"], figures["undecided"]
    if not cases or undecided / cases <= most:
        return ""
    return (
        f"{undecided:,} of {cases:,} cases are undecided ({percent(undecided / cases, most)}), more than the "
        f"{most * 100:g}% that --max-undecided allows."
    )


def percent(value: float, limit: float | None = None) -> str:
    """A share in percent, with as many digits as it takes to see on which side of the limit it is."""
    for digits in range(1, 6):
        told = f"{value * 100:.{digits}f}"
        if limit is None or value == limit or float(told) != round(limit * 100, 9):
            break
    return f"{told}%"
