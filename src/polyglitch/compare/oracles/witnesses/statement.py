"""What a witness says, and the shape of a witness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from polyglitch.protocols import Tools
from polyglitch.records import Trial


class Statement(NamedTuple):
    """What one witness says of one pair."""

    witness: str  # "confidence", "fluency", "back", "facts", "pair", ...
    suspicion: float  # higher is worse; witness's own scale
    words: str  # the reason, true and readable by a person
    output: int | None = None  # which output is at fault, where it is known
    span: tuple[int, int] | None = None  # of that output's text


class Witness(Protocol):
    """Looks at pairs of outputs in a way of its own."""

    name: str
    signature: str

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """One statement a trial, in order; None where it has nothing to say."""
