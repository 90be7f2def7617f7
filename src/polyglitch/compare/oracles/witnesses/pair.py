"""The pair witness: which changed word has no cause in the edit, by the words behind it in the source (`aligned`)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from polyglitch.compare.oracles.aligned.model import load_model
from polyglitch.compare.oracles.aligned.oracle import (
    LONGEST,
    Judgement,
    judge_pairs,
    quad_of,
    resources_for,
)
from polyglitch.compare.oracles.two_outputs import undecided
from polyglitch.compare.oracles.witnesses.statement import Statement
from polyglitch.protocols import Tools
from polyglitch.records import Trial

LEAST, MOST = 0.0005, 0.9995  # chances beyond are all the same to those who listen
ANY = -1.0  # a threshold that everything is past, so that every pair is explained


class PairWitness:
    """Hears the aligned oracle, each pair by itself."""

    name = "pair"

    @property
    def signature(self) -> str:
        """The weights it was learned with."""
        return f"pair({load_model().name})"

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """The log-odds that a person would call the pair a violation; nothing where no word changed."""
        return [judged and stated(judged) for judged in self.judge(trials, tools)]

    def judge(self, trials: Sequence[Trial], tools: Tools) -> list[Judgement | None]:
        """Chance, reasons and places of each pair; nothing where the outputs are the same or cannot be compared."""
        found: list[Judgement | None] = [None] * len(trials)
        open_ones = [
            at
            for at, trial in enumerate(trials)
            if undecided(trial) is None and len(trial.case.inputs) > 1
        ]
        quads = [quad_of(trials[at]) for at in open_ones]
        resources = resources_for(quads, tools, *tools.languages)
        for start in range(0, len(quads), LONGEST):
            some = judge_pairs(quads[start : start + LONGEST], resources, ANY, facts=False)
            for at, judgement in zip(open_ones[start:], some, strict=False):
                found[at] = judgement if judgement.details.get("chance") else None
        return found


def stated(judged: Judgement) -> Statement:
    """A judgement as a statement: its first reason and place stand for all."""
    chance = min(MOST, max(LEAST, judged.score))
    span = judged.spans[0] if judged.spans else None
    words = judged.reasons[0] if judged.reasons else "the outputs differ"
    place = (span.output, (span.start, span.end)) if span else (None, None)
    return Statement(PairWitness.name, math.log(chance / (1 - chance)), words, *place)
