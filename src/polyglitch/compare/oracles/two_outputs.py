"""The two outputs that a comparing oracle looks at: the first two of a trial."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from polyglitch.protocols import Tools
from polyglitch.records import Span, Trial, Verdict


class Judge(Protocol):
    """What a factory of an oracle returns: `part` adds the signature that makes it an `Oracle`."""

    def __call__(self, trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        """One verdict a trial, in order."""


def undecided(trial: Trial) -> Verdict | None:
    """A verdict that says why the first two outputs cannot be compared, or nothing if they can."""
    reason = trial.failure
    if not reason and len(trial.chains) < 2:
        reason = f"two outputs are needed to compare, the case has {len(trial.chains)}"
    if not reason and not any(text.strip() for text in two_texts(trial)):
        reason = "both outputs are empty"
    return Verdict(trial.case.id, "undecided", reason) if reason else None


Evidence = tuple[tuple[Span, ...], tuple[str, ...]]  # where and why


def against_limit(
    trial: Trial,
    score: float,
    above: float,
    evidence: Callable[[], Evidence],
    **details: float,
) -> Verdict:
    """Violated if a score is above its limit; only then it is asked where and why."""
    broken = score > above
    spans, reasons = evidence() if broken else ((), ())
    return Verdict(
        trial.case.id,
        "violated" if broken else "holds",
        score=float(score),
        threshold=above,
        details={"distance": float(score)} | details,
        reasons=reasons,
        spans=spans,
    )


def two_texts(trial: Trial) -> tuple[str, str]:
    """The texts of the first two outputs."""
    first, second = trial.outputs[:2]
    return first.text, second.text
