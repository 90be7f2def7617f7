"""Which trip went wrong, there or back: the one whose translation other translators agree with less (SemMT, 5.4).

The less a translation is like those of others, the likelier it is wrong. Translations differ anyway, so each trip is
measured against how much the translators agree on the trips seen so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from polyglitch.compare.metrics import leven
from polyglitch.protocols import System
from polyglitch.records import Input, Trial
from polyglitch.systems.uri import open_system

TIMEOUT = 60.0
USUAL = (
    0.50,
    0.64,
)  # the paper's averages of correct translations, there and back (LEVEN, table 6)
TRUSTED = 10  # trips after which our own averages say more than the paper's


@dataclass
class Place:
    """The trip at fault, why, and with how much confidence (0.5 is a toss-up)."""

    trip: str
    confidence: float
    details: dict[str, float]

    @property
    def reason(self) -> str:
        """For people."""
        return f"probably the {self.trip} trip (confidence {self.confidence:.2f})"


@dataclass
class Trips:
    """The other translators, opened when first needed, and how much they agreed so far."""

    there: str
    back: str
    seen: list[tuple[float, float]] = field(default_factory=list)
    _open: dict[str, System] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.there and self.back)

    def ask(self, uris: str, text: str, language: str | None) -> list[str]:
        """What the other translators make of a text; failures are left out."""
        found = []
        for uri in uris.split(","):
            system = self._open.setdefault(uri, open_system(uri, TIMEOUT))
            output = system.ask([Input(text, language=language)])[0]
            found += [output.text] if output.ok else []
        return found

    def usual(self) -> tuple[float, float]:
        """How alike translations usually are, there and back."""
        if len(self.seen) < TRUSTED:
            return USUAL
        there, back = zip(*self.seen, strict=True)
        return sum(there) / len(there), sum(back) / len(back)


def agreement(text: str, others: Sequence[str]) -> float | None:
    """The mean similarity of a translation to those of others."""
    if not others:
        return None
    return sum(leven.score([(text, other) for other in others])) / len(others)


def find_trip(trial: Trial, trips: Trips) -> Place:
    """The trip whose translation falls further below what is usual."""
    item = trial.case.inputs[0]
    forward, backward = trial.chains[0][0].text, trial.chains[0][-1].text
    there = agreement(forward, trips.ask(trips.there, item.text, item.language))
    back = agreement(backward, trips.ask(trips.back, forward, None))
    if there is None or back is None:
        return Place("forward", 0.5, {})
    usual_there, usual_back = trips.usual()
    trips.seen.append((there, back))
    lead = (usual_there - there) - (usual_back - back)
    confidence = min(0.99, 0.5 + abs(lead))
    details = {"agreement-there": there, "agreement-back": back, "trip-confidence": confidence}
    return Place("forward" if lead >= 0 else "backward", confidence, details)
