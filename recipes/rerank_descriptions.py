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

from polyglitch.represent.descriptions import grammar
from polyglitch.represent.descriptions.conventions import write_whole
from polyglitch.represent.descriptions.lexicon import read_words
from polyglitch.represent.descriptions.rerank import READ, features
from polyglitch.represent.descriptions.shapes import shape_of
from recipes.descriptions import FOLDER, likeliest, pairs, same

SYNTH = 2500
PULL = 1.0  # of every weight towards 0; 1 to 3 do alike
RARE = 2  # features of so few sentences are left out
LEAST = 0.04  # weights nearer to 0 are not written


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
    """Weights under which the right readings are likeliest; those near 0 are left out."""
    useful = [row for row in examples if any(row.right) and not all(row.right)]
    readings, right = [row.readings for row in useful], [row.right for row in useful]
    found = likeliest(readings, right, PULL, RARE)
    return {name: round(value, 2) for name, value in found.items() if abs(value) >= LEAST}


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
