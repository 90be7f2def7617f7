"""What the fixtures hand out."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from polyglitch.records import Trial

MakeTrial = Callable[..., Trial]


class Labelled(NamedTuple):
    """A labelled record: two translations, the published scores, and whether it is a real bug."""

    mutant: str
    seed: str
    scores: dict[str, float]
    bug: bool
