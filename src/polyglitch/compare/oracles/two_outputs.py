"""The two outputs that a comparing oracle looks at: the first two of a trial."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from polyglitch.protocols import Tools
from polyglitch.records import Trial, Verdict


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


def two_texts(trial: Trial) -> tuple[str, str]:
    """The texts of the first two outputs."""
    first, second = trial.outputs[:2]
    return first.text, second.text
