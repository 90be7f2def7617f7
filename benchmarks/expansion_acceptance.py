"""Fit the models that say whether words of a language model's own choice read naturally in a sentence.

    python -m benchmarks.expansion_acceptance [--write]

Reads `readings/expansion_candidates.jsonl`: fillings that one reader called natural or not, with what the models
hear of them. What they are worth is printed by kind with the sentences of one tenth left out at a time: the area
under the curve, and of those above a limit how many there are and how many are natural. `--write` puts the weights
where the program reads them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec
import numpy as np

from benchmarks.acceptance import Reading, area, fitted
from benchmarks.results import record
from benchmarks.words import FOLDER
from polyglitch.mutate.capabilities.free_acceptance import FILE
from polyglitch.nlp.proposers.candidate_scoring import Logistic

WEIGHTS = Path(__file__).parents[1] / "src" / "polyglitch" / Path(*FILE)
FOLDS = 10
LIMITS = (0.6, 0.7, 0.75, 0.8, 0.85)
LIKELY = ["mean", "least", "lost", "next", "told mean", "told least", "told lost", "told next"]
CONTEXT = ["adverbials", "lasting", "past", "command"]
PLACE = ["end", "object", "predicate", "owned", "pointed", "modified"]
# What each model hears: few things where few were read.
HEARD = {
    "opening": ["mean", "lost", "told mean", "told lost", "told next", *CONTEXT],
    "phrase": ["first", *LIKELY, "words", "of", "with", "clause", *CONTEXT, *PLACE],
    "joined": ["mean", "least", "told mean", "told least", "next", "words", "command"],
    "adjective": ["mean", "lost", "next", "told mean", "told lost", "subject"],
    "adverb": ["mean", "lost", "next", "told mean", "told lost", "lasting", "past"],
}


class Candidate(msgspec.Struct, frozen=True):
    """A filling that was read: of which sentence, of which kind, and what the models hear of it."""

    line: str
    kind: str
    text: str
    natural: bool
    features: dict[str, float]


def candidates() -> list[Candidate]:
    """All that were read."""
    lines = (FOLDER / "expansion_candidates.jsonl").read_text("utf-8").splitlines()
    return [msgspec.json.decode(line, type=Candidate) for line in lines]


def readings(some: list[Candidate]) -> list[Reading]:
    """Candidates as the fit wants them, in tenths by sentence."""
    order = {line: str(place % FOLDS) for place, line in enumerate(sorted({c.line for c in some}))}
    return [
        Reading("tune", order[c.line], "natural" if c.natural else "odd", c.features) for c in some
    ]


def fit(some: list[Reading], kind: str) -> Logistic:
    """The model of a kind."""
    return fitted(some, lambda one: one.label == "natural", HEARD[kind])


def main() -> None:
    """Fit, print what it is worth, and write the weights if told to."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true")
    chosen = options.parse_args()
    every, fits = candidates(), {}
    figures: dict[str, float] = {}
    for kind in HEARD:
        some = readings([c for c in every if c.kind == kind])
        scores = np.zeros(len(some), np.float32)
        for fold in sorted({one.set for one in some}):
            model = fit([one for one in some if one.set != fold], kind)
            for place, one in enumerate(some):
                if one.set == fold:
                    scores[place] = model(one.features)
        truth = np.array([one.label == "natural" for one in some], np.float32)
        figures[f"{kind}: read"], figures[f"{kind}: natural"] = len(some), float(truth.mean())
        figures[f"{kind}: area"] = area(scores, truth)
        for least in LIMITS:
            if (scores >= least).any():
                above = truth[scores >= least]
                figures[f"{kind}: from {least} on"] = len(above)
                figures[f"{kind}: natural from {least} on"] = float(above.mean())
        fits[kind] = fit(some, kind)
    record("expansion acceptance", figures)
    if chosen.write:
        WEIGHTS.write_bytes(msgspec.json.format(msgspec.json.encode(fits), indent=1) + b"\n")


if __name__ == "__main__":
    main()
