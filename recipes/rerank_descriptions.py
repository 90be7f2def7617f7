"""Make resources/descriptions/rerank_whole.json: which of a description's readings is meant, seen as a whole.

    python -m recipes.rerank_descriptions DATA [--part 0/5 --to /tmp/part.json]

DATA is the folder that recipes/descriptions.py reads. Every sentence of NL-RX-Turk's training part, and some of
NL-RX-Synth, is parsed into its readings; those whose regex is equivalent to the published one are right. One weight a
feature, by maximum likelihood of the right readings with an even pull towards 0. `--part 0/5` leaves out every fifth
sentence of Turk and prints how many of these are read rightly. Nothing of the sentences ends up in the file.
Needs scipy.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from polyglitch.protocols import Floats
from polyglitch.represent.descriptions import grammar
from polyglitch.represent.descriptions.conventions import write_whole
from polyglitch.represent.descriptions.lexicon import read_words
from polyglitch.represent.descriptions.rerank import READ, features
from polyglitch.represent.descriptions.shapes import shape_of
from recipes.descriptions import FOLDER, pairs, same

SYNTH = 2500
PULL = 1.0  # of every weight towards 0; 1 to 3 do alike
RARE = 3  # features of fewer readings are left out
LEAST = 0.04  # weights nearer to 0 are not written
STEPS = 80


class Example(NamedTuple):
    """The features of each reading of a sentence, and which readings are right."""

    readings: list[Counter[str]]
    right: list[bool]


def example(text: str, regex: str) -> Example:
    """One sentence with its readings."""
    reading = read_words(text)
    items = grammar.readings(shape_of(reading.tokens), "whole", reading.formal)[:READ]
    found = [Counter(features(item, reading.tokens)) for item in items]
    return Example(
        found, [same(write_whole(item.meaning, reading.tokens), regex) for item in items]
    )


def fit(examples: list[Example]) -> dict[str, float]:
    """Weights under which the right readings are likeliest."""
    useful = [row for row in examples if any(row.right) and not all(row.right)]
    seen: Counter[str] = Counter(
        name for row in useful for reading in row.readings for name in reading
    )
    place = {name: at for at, name in enumerate(n for n, count in seen.items() if count >= RARE)}
    rows, columns, values, right, starts = [], [], [], [], []
    for row in useful:
        starts.append(len(right))
        for reading, fine in zip(row.readings, row.right, strict=True):
            for name, count in reading.items():
                if name in place:
                    rows.append(len(right))
                    columns.append(place[name])
                    values.append(float(count))
            right.append(fine)
    matrix = csr_matrix((values, (rows, columns)), shape=(len(right), len(place)))
    good, first = np.array(right, float), np.array(starts)
    owner = np.repeat(np.arange(len(useful)), np.diff([*starts, len(right)]))

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = matrix @ weights
        odds = np.exp(scores - np.maximum.reduceat(scores, first)[owner])
        total = np.add.reduceat(odds, first)
        mass = np.maximum(np.add.reduceat(odds * good, first), 1e-300)
        push = odds / total[owner] - odds * good / mass[owner]
        value = float(np.log(total / mass).sum() + PULL / 2 * weights @ weights)
        return value, matrix.T @ push + PULL * weights

    best = minimize(
        loss, np.zeros(len(place)), jac=True, method="L-BFGS-B", options={"maxiter": STEPS}
    ).x
    return {name: round(float(best[at]), 2) for name, at in place.items() if abs(best[at]) >= LEAST}


def share_right(examples: list[Example], weights: dict[str, float]) -> float:
    """How many sentences are read rightly."""
    count = 0
    for row in examples:
        scores = [
            sum(weights.get(name, 0.0) * times for name, times in reading.items())
            for reading in row.readings
        ]
        count += bool(scores) and row.right[scores.index(max(scores))]
    return count / len(examples)


def main() -> None:
    """Fit, say what was left out is read like, and write the file."""
    options = argparse.ArgumentParser()
    options.add_argument("data", type=Path)
    options.add_argument("--part", default="", help="0/5: without the first of five parts")
    options.add_argument("--to", type=Path, default=FOLDER / "rerank_whole.json")
    arguments = options.parse_args()
    found = [example(text, regex) for text, regex in pairs(arguments.data, SYNTH)]
    synth, turk = found[:SYNTH], found[SYNTH:]
    random.Random(3).shuffle(turk)
    left: list[Example] = []
    if arguments.part:
        number, parts = map(int, arguments.part.split("/"))
        left = turk[number::parts]
        turk = [row for at, row in enumerate(turk) if at % parts != number]
    weights = fit(turk + synth)
    if left:
        print(f"{share_right(left, weights):.3f} of {len(left):,} left out are read rightly")
    about = "Made by recipes/rerank_descriptions.py: what a feature of a whole reading is worth."
    arguments.to.write_text(
        json.dumps(
            {"about": about, "weights": dict(sorted(weights.items()))},
            indent=0,
            ensure_ascii=False,
        )
        + "\n",
        "utf-8",
    )
    print(f"{len(weights):,} weights in {arguments.to.name}")


if __name__ == "__main__":
    main()
