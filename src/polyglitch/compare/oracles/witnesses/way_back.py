"""The way back: which words of the source one translation still tells, and the other does not.

A model of the other direction is not asked to translate (the noise of a whole trip drowns what is looked for), but how
likely it finds each source after its own translation. Words that both sources have should be told by both translations
alike; where one is told by one and hardly by the other, something of it was lost or changed on the way there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from polyglitch.compare.metrics.units import Units, cut
from polyglitch.compare.oracles.two_outputs import two_texts
from polyglitch.compare.oracles.witnesses.changed_words import changed_pair
from polyglitch.compare.oracles.witnesses.confidence import (
    ORDINALS,
    Side,
    shown,
    surprise_at,
    token_scores,
)
from polyglitch.compare.oracles.witnesses.statement import Statement
from polyglitch.protocols import Lens, TokenScore, Tools
from polyglitch.records import Trial

COUNTED = 3  # words that are told worst: one may be a whim of the model, a lost phrase has several
MOST = 8.0  # nats that a word counts at most


class WayBack:
    """Hears a lens of the other direction on the sources of pairs whose outputs differ."""

    name = "back"
    signature = "back(1)"

    def __init__(self, language: str | None = None) -> None:
        self.language = language  # of the outputs, where the campaign does not tell

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """How differently the translations tell the words that the sources share, in nats; nothing without a lens."""
        lens = tools.back_lens
        if lens is None:
            return [None] * len(trials)
        target = self.language or tools.languages[1]
        looked_at = [changed_pair(trial, target) is not None for trial in trials]
        pairs = zip(trials, looked_at, strict=True)
        asked = [side for trial, wanted in pairs if wanted for side in homeward(trial)]
        languages = (target, tools.languages[0])
        scores = token_scores(lens, list(dict.fromkeys(asked)), tools, languages)
        return [
            statement(trial, scores, lens, tools.languages[0]) if wanted else None
            for trial, wanted in zip(trials, looked_at, strict=True)
        ]


def homeward(trial: Trial) -> tuple[Side, Side]:
    """Each output with the source that it should tell."""
    first, second = two_texts(trial)
    return (first, trial.case.inputs[0].text), (second, trial.case.inputs[1].text)


class Told(NamedTuple):
    """A word that both sources have: where it stands in the first, and how surprising after each translation."""

    text: str
    first: float
    second: float

    @property
    def difference(self) -> float:
        """How much worse one translation tells it than the other."""
        return min(abs(self.first - self.second), MOST)


def statement(
    trial: Trial, scores: dict[Side, list[TokenScore]], lens: Lens, language: str | None
) -> Statement | None:
    """What is to be said of the words that are told most differently."""
    sides = [scores[side] for side in homeward(trial)]
    sources = [cut(item.text, language) for item in trial.case.inputs[:2]]
    told = [
        Told(
            sources[0].units[a],
            surprise_at(sides[0], sources[0].spans[a]),
            surprise_at(sides[1], sources[1].spans[b]),
        )
        for a, b in shared(sources[0], sources[1])
    ]
    if not told:
        return None
    worst = sorted(told, key=lambda one: -one.difference)[:COUNTED]
    one = worst[0]
    at_fault = 0 if one.first > one.second else 1
    here, there = (one.first, one.second) if at_fault == 0 else (one.second, one.first)
    name = lens.signature.partition("|")[0]
    words = (
        f"the {ORDINALS[at_fault]} translation hardly tells {one.text!r} of its source: {name} gives it a chance of "
        f"{shown(math.exp(-here))}, and of {shown(math.exp(-there))} after the other"
    )
    return Statement(WayBack.name, sum(item.difference for item in worst), words, at_fault)


def shared(first: Units, second: Units) -> list[tuple[int, int]]:
    """The units that both sources have, by their numbers in each."""
    found: list[tuple[int, int]] = []
    folded = [[unit.casefold() for unit in side.units] for side in (first, second)]
    for code in LCSseq.opcodes(*folded):
        if code.tag == "equal":
            found += zip(
                range(code.src_start, code.src_end),
                range(code.dest_start, code.dest_end),
                strict=True,
            )
    return found
