"""One small logistic model over what the witnesses say; a witness without a word adds nothing.

All numbers are in `resources/oracle/witnesses.json`, made by `recipes/train_witnesses.py`, which drops witnesses at
random so that the others make sense without them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

from polyglitch.compare.oracles.aligned.model import logistic
from polyglitch.compare.oracles.aligned.oracle import with_facts
from polyglitch.compare.oracles.witnesses.statement import Statement

FACTS = "facts"


class Weight(msgspec.Struct, frozen=True):
    """How one witness counts: what it adds by speaking at all, and by each step of suspicion between two limits."""

    speaks: float
    step: float
    least: float
    most: float

    def evidence(self, suspicion: float) -> float:
        """What a statement adds to the log-odds."""
        return self.speaks + self.step * min(self.most, max(self.least, suspicion))


class JoinModel(msgspec.Struct, frozen=True):
    """The whole of witnesses.json."""

    name: str
    threshold: float
    intercept: float
    witnesses: dict[str, Weight]

    def evidence(self, said: Mapping[str, Statement]) -> dict[str, float]:
        """What each statement adds to the log-odds; witnesses that the model does not know are not heard."""
        return {
            name: self.witnesses[name].evidence(one.suspicion)
            for name, one in said.items()
            if name in self.witnesses
        }

    def chance(self, said: Mapping[str, Statement]) -> float:
        """How likely a person would call the pair a violation; nothing said, nothing wrong."""
        found = self.evidence(said)
        if not found:
            return 0.0
        # A broken fact is a rule, not a weight: labelled pairs have too few, and a reader forgives them least.
        return with_facts(logistic(self.intercept + sum(found.values())), FACTS in found)


@cache
def load_join() -> JoinModel:
    """The shipped model."""
    place = files("polyglitch").joinpath("resources", "oracle", "witnesses.json")
    return msgspec.json.decode(place.read_bytes(), type=JoinModel)
