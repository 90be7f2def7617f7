"""Make resources/descriptions/weights_STYLE.toml: which readings of descriptions people mean.

    python -m recipes.descriptions DATA --style whole [--rounds 3]
    python -m recipes.descriptions DATA --style search [--rounds 3]

DATA is a folder with the published pairs: NL-RX-Synth and NL-RX-Turk's training part for `whole`, the first half of
KB13 for `search`, which starts from the weights of `whole`. Each sentence is parsed
into all its readings; those whose regex is equivalent to the published one are right. The weights of the grammar's
features are fitted by maximum likelihood of the right readings; readings are found anew each round, since the
weights decide which partial readings are kept. Nothing of the sentences ends up in the file.
"""

from __future__ import annotations

import argparse
import gzip
import math
import random
from collections import Counter, defaultdict
from pathlib import Path

from polyglitch.represent.automata.dfa import AutomatonLimits, TooLarge, equivalent
from polyglitch.represent.descriptions import grammar
from polyglitch.represent.descriptions.conventions import write_search, write_whole
from polyglitch.represent.descriptions.lexicon import read_words
from polyglitch.represent.descriptions.shapes import prior, shape_of, weights
from polyglitch.represent.regex.parse import BadRegex, parse

FOLDER = Path(__file__).parents[1] / "src/polyglitch/resources/descriptions"
KEPT = 16
EPOCHS = 12
RATE = 0.15
PULL = 2e-5  # towards the prior weight
LIMITS = AutomatonLimits(states=400, seconds=0.5)
Example = tuple[list[tuple[str, ...]], frozenset[int]]  # features of the readings, the right ones


def pairs(folder: Path, synth: int) -> list[tuple[str, str]]:
    """Sentences with their regexes: all of Turk's training part and some of Synth."""
    rows = []
    with gzip.open(folder / "nl_rx_synth_tokenised.tsv.gz", "rt") as lines:
        rows += [tuple(line.rstrip("\n").split("\t")) for line in lines]
    random.Random(1).shuffle(rows)
    rows = rows[:synth]
    with (
        gzip.open(folder / "turk_train.src.txt.gz", "rt") as texts,
        gzip.open(folder / "turk_train.targ.txt.gz", "rt") as regexes,
    ):
        rows += [(a.rstrip("\n"), b.rstrip("\n")) for a, b in zip(texts, regexes, strict=True)]
    return [(a, b.replace("{ ,", "{ 0 ,").replace(" ", "")) for a, b in rows if b]


def kb13(folder: Path) -> list[tuple[str, str]]:
    """The given half of KB13."""
    texts = (folder / "kb13_first_half.src.txt").read_text("utf-8").splitlines()
    regexes = (folder / "kb13_first_half.targ.txt").read_text("utf-8").splitlines()
    return list(zip(texts, regexes, strict=True))


def same(one: str, other: str) -> bool:
    """Whether two regexes are equivalent; what takes too long is not."""
    try:
        return equivalent(parse(one), parse(other), LIMITS)
    except (TooLarge, BadRegex):
        return False


def examples(rows: list[tuple[str, str]], style: str) -> tuple[list[Example], float]:
    """The readings of every sentence that has both right and wrong ones; and the share now right."""
    found, right = [], 0
    write_regex = write_search if style == "search" else write_whole
    for text, regex in rows:
        reading = read_words(text, bare_literals=style == "search")
        tokens = reading.tokens
        items = grammar.readings(shape_of(tokens), style, reading.formal)
        good = frozenset(
            index
            for index, item in enumerate(items)
            if same(write_regex(item.meaning, tokens), regex)
        )
        right += 0 in good
        if good and len(good) < len(items):
            found.append(([item.features for item in items], good))
    return found, right / len(rows)


def fit(found: list[Example], start: dict[str, float]) -> dict[str, float]:
    """Weights under which the right readings are likeliest."""
    weight: dict[str, float] = dict(start)
    order = list(range(len(found)))
    for epoch in range(EPOCHS):
        random.Random(epoch).shuffle(order)
        rate = RATE / (1 + epoch / 2)
        for index in order:
            readings, good = found[index]
            scores = [sum(weight.get(f, prior(f)) for f in features) for features in readings]
            top = max(scores)
            odds = [math.exp(score - top) for score in scores]
            total, mass = sum(odds), sum(odds[i] for i in good)
            change: dict[str, float] = defaultdict(float)
            for i, features in enumerate(readings):
                push = (odds[i] / mass if i in good and mass else 0.0) - odds[i] / total
                if abs(push) > 1e-4:
                    for feature in features:
                        change[feature] += push
            for feature, push in change.items():
                old = weight.get(feature, prior(feature))
                weight[feature] = old + rate * push - PULL * (old - prior(feature))
    return weight


def main() -> None:
    """Fit, say how right the readings are before each round, and write the file."""
    options = argparse.ArgumentParser()
    options.add_argument("data", type=Path)
    options.add_argument("--style", choices=("whole", "search"), default="whole")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--synth", type=int, default=2500)
    options.add_argument("--limit", type=int, default=None)
    options.add_argument("--part", default="", help="0/2: without the first half, to measure on it")
    options.add_argument("--to", type=Path, default=None)
    arguments = options.parse_args()
    style = arguments.style
    rows = kb13(arguments.data) if style == "search" else pairs(arguments.data, arguments.synth)
    random.Random(2).shuffle(rows)
    if arguments.part:
        left_out, parts = map(int, arguments.part.split("/"))
        rows = [row for index, row in enumerate(rows) if index % parts != left_out]
    rows = rows[: arguments.limit]
    grammar.KEPT = KEPT
    known = dict(weights("whole"))
    for number in range(arguments.rounds):
        grammar.weights = lambda style, known=known: known
        grammar.readings.cache_clear()
        found, right = examples(rows, style)
        print(
            f"round {number}: {right:.3f} right, {len(found)} of {len(rows)} to learn from",
            flush=True,
        )
        known = fit(found, known)
        target = arguments.to or FOLDER / f"weights_{style}.toml"
        write(known, found, target, 2 if style == "whole" else 0)


def write(known: dict[str, float], found: list[Example], target: Path, rare: int) -> None:
    """The features that were seen more often than `rare`, with two decimals."""
    seen = Counter(f for readings, _ in found for f in set().union(*readings))
    lines = [
        f'"{name}" = {value:.2f}\n' for name, value in sorted(known.items()) if seen[name] > rare
    ]
    head = "# Made by recipes/descriptions.py: what each feature of a reading is worth.\n"
    target.write_text(head + "".join(lines), "utf-8")


if __name__ == "__main__":
    main()
