"""Fit the models that say which words fit: logistic regression on the swaps that were read.

    python -m benchmarks.acceptance [--write]

Reads `readings/swaps.tsv`. The models are fitted on the tuning half; what they are worth is printed by leaving out one
set of sentences after the other of that half (each was written at another time, and read with other models), then on
the test half. `--write` puts the weights where the program reads them.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from benchmarks.results import record
from benchmarks.words import FOLDER
from polyglitch.nlp.models.smollm import open_smollm
from polyglitch.nlp.proposers.candidate_scoring import ASKED_FOR, Logistic
from polyglitch.nlp.proposers.in_context import open_words_in_context, place_of
from polyglitch.nlp.proposers.smollm import SmolLmProposer
from polyglitch.protocols import Floats
from polyglitch.records import Slot
from polyglitch.tools import Toolbox

FILE = Path(__file__).parents[1] / "src" / "polyglitch" / "resources" / "models" / "words.json"
RIDGE = 5.0  # on standardised features: of 1 to 30, the area under the curve hardly changes
STEPS = 40


class Reading(NamedTuple):
    """A swap that was read: where it stands, what it was called, and what is known of it."""

    half: str
    set: str  # of sentences, which were written and read together
    label: str  # odd, other, alike, same
    features: dict[str, float]


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a file of readings."""
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def readings() -> list[Reading]:
    """The swaps that were read, measured."""
    swaps = rows("swaps.tsv")
    sets = {row["sentence"]: row["set"] for row in rows("sentences.tsv")}
    parser = Toolbox(languages=("en", None)).parser("en")
    texts = sorted({row["sentence"] for row in swaps})
    parses = dict(zip(texts, parser.parse(texts), strict=True))
    words: dict[tuple[str, int], set[str]] = {}
    for row in swaps:
        words.setdefault((row["sentence"], int(row["start"])), set()).add(row["new"])
    slots = [
        Slot(parses[text], next(i for i, t in enumerate(parses[text].tokens) if t.start == start))
        for text, start in words
    ]
    proposer = SmolLmProposer(open_smollm(), "en", floor=0.0)
    found = proposer.measured(slots, [frozenset(some) for some in words.values()])
    likeness = open_words_in_context("en")
    known: dict[tuple[str, int, str], dict[str, float]] = {}
    for (text, start), slot, some in zip(words, slots, found, strict=True):
        pairs = [(place_of(slot), place_of(slot, one.word)) for _, one in some]
        for (_, one), cosine in zip(some, likeness.likeness(pairs), strict=True):
            one.in_context = cosine
            known[text, start, one.word] = one.features(slot)
    return [
        Reading(
            row["half"],
            sets[row["sentence"]],
            row["label"],
            known[row["sentence"], int(row["start"]), row["new"]],
        )
        for row in swaps
        # Words that are no longer proposed are not measured.
        if (row["sentence"], int(row["start"]), row["new"]) in known
    ]


def fitted(some: Sequence[Reading], right: Callable[[Reading], bool], names: list[str]) -> Logistic:
    """The ridge regression of a label on some features, by Newton's method."""
    table = np.array([[one.features[name] for name in names] for one in some])
    mean, spread = table.mean(0), table.std(0) + 1e-6
    x = np.c_[np.ones(len(some)), (table - mean) / spread]
    y = np.array([right(one) for one in some], float)
    ridge = RIDGE * np.eye(x.shape[1])
    ridge[0, 0] = 0.0
    weights = np.zeros(x.shape[1])
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-x @ weights))
        slope = x.T @ (x * (p * (1 - p) + 1e-9)[:, None]) + ridge
        weights -= np.linalg.solve(slope, x.T @ (p - y) + ridge @ weights)
    plain = weights[1:] / spread
    intercept = round(float(weights[0] - plain @ mean), 4)
    return Logistic(
        intercept, {name: round(float(w), 4) for name, w in zip(names, plain, strict=True)}
    )


def area(scores: Floats, right: Floats) -> float:
    """The area under the curve: how often a right one has more than a wrong one."""
    above = scores[right == 1][:, None] - scores[right == 0][None, :]
    return float((above > 0).mean() + 0.5 * (above == 0).mean())


def natural(one: Reading) -> bool:
    """Whether a reader took the swap."""
    return one.label != "odd"


def alike(one: Reading) -> bool:
    """Whether a reader took it and found the meaning kept."""
    return one.label in ("alike", "same")


def models(some: Sequence[Reading]) -> dict[str, Logistic]:
    """All models, for what may be installed."""
    names = list(some[0].features)
    lexical = {name for name in names if name.startswith("wordnet") or name == "same field"}
    found = {}
    for wordnet, left_out in (("", set[str]()), (" without wordnet", lexical)):
        left = [name for name in names if name not in left_out]
        plain = [name for name in left if name != "in context"]
        # Before the model has passed over a word, its state is not known, and never of a last word.
        first = [name for name in plain if not name.endswith("state")]
        for title, right in (("natural", natural), ("alike", alike)):
            found[f"{title}{wordnet}"] = fitted(some, right, left)
            found[f"{title}{wordnet} without minilm"] = fitted(some, right, plain)
            found[f"{title} at first{wordnet}"] = fitted(some, right, first)
    return found


def judged(model: Logistic, some: Sequence[Reading]) -> Floats:
    """What a model says of some readings."""
    return np.array([model(one.features) for one in some], np.float32)


def main() -> None:
    """Fit, print what it is worth, and write the weights if told to."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true")
    chosen = options.parse_args()
    every = readings()
    tune = [one for one in every if one.half == "tune"]
    test = [one for one in every if one.half == "test"]
    fits = models(tune)
    figures: dict[str, float] = {"read for tuning": len(tune), "read for testing": len(test)}
    for title, right in (("natural", natural), ("alike", alike)):
        scores = np.zeros(len(tune), np.float32)
        for left_out in sorted({one.set for one in tune}):
            others = models([one for one in tune if one.set != left_out])[title]
            here = [i for i, one in enumerate(tune) if one.set == left_out]
            scores[here] = judged(others, [tune[i] for i in here])
        truth = np.array([right(one) for one in tune], np.float32)
        figures[f"{title}: area, set left out"] = area(scores, truth)
        for least in (0.6, 0.75, 0.9, ASKED_FOR):
            if (scores >= least).any():
                figures[f"{title}: right from {least} on"] = float(truth[scores >= least].mean())
        if test:
            truth = np.array([right(one) for one in test], np.float32)
            figures[f"{title}: area, test half"] = area(judged(fits[title], test), truth)
    record("acceptance", figures)
    if chosen.write:
        FILE.write_bytes(msgspec.json.format(msgspec.json.encode(fits), indent=1) + b"\n")


if __name__ == "__main__":
    main()
