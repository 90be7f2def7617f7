"""Make resources/descriptions/weights_STYLE.toml: which readings of descriptions people mean.

    python -m recipes.descriptions DATA --style whole [--rounds 1]
    python -m recipes.descriptions DATA --style search [--rounds 3]
    python -m recipes.descriptions DATA --style search --rounds 2 --crossed

DATA is a folder with the published pairs: NL-RX-Synth and NL-RX-Turk's training part for `whole`, the first half of
KB13 for `search`, which starts from the weights of `whole`. Each sentence is parsed
into all its readings; those whose regex is equivalent to the published one are right. The weights of the grammar's
features are fitted by maximum likelihood of the right readings; readings are found anew each round, since the
weights decide which partial readings are kept. `--crossed` writes nothing: it fits on each half of the sentences and
says how many of the other half are then read right. Nothing of the sentences ends up in the file. Needs scipy.
"""

from __future__ import annotations

import argparse
import gzip
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from polyglitch.protocols import Floats
from polyglitch.represent.automata.dfa import AutomatonLimits, TooLarge, equivalent
from polyglitch.represent.descriptions import grammar
from polyglitch.represent.descriptions.conventions import write_search, write_whole
from polyglitch.represent.descriptions.lexicon import read_words
from polyglitch.represent.descriptions.shapes import prior, shape_of, weights
from polyglitch.represent.regex.parse import BadRegex, parse

FOLDER = Path(__file__).parents[1] / "src/polyglitch/resources/descriptions"
KEPT = 16
PULL = {"whole": 0.3, "search": 0.02}  # of every weight towards where it starts
RARE = {"whole": 2, "search": 0}  # features of so few sentences keep the weight they start with
STEPS = 80
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


def fit(found: list[Example], start: dict[str, float], style: str) -> dict[str, float]:
    """Weights under which the right readings are likeliest, near those of the start."""
    readings = [[Counter(features) for features in example] for example, _ in found]
    right = [[at in good for at in range(len(example))] for example, good in found]
    first = {
        name: start.get(name, prior(name)) for example in readings for r in example for name in r
    }
    return start | likeliest(readings, right, PULL[style], RARE[style], lambda name: first[name])


def likeliest(
    readings: Sequence[Sequence[Counter[str]]],
    right: Sequence[Sequence[bool]],
    pull: float,
    rare: int,
    start: Callable[[str], float] = lambda name: 0.0,
) -> dict[str, float]:
    """One weight a feature by maximum likelihood of the right readings, with an even pull towards where it starts."""
    seen = Counter(name for example in readings for name in set().union(*example))
    place = {name: at for at, name in enumerate(n for n, times in seen.items() if times > rare)}
    rows, columns, values, rest = [], [], [], []
    for number, reading in enumerate(each for example in readings for each in example):
        rest.append(
            sum(start(name) * times for name, times in reading.items() if name not in place)
        )
        for name, times in reading.items():
            if name in place:
                rows.append(number)
                columns.append(place[name])
                values.append(float(times))
    matrix = csr_matrix((values, (rows, columns)), shape=(len(rest), len(place)))
    base = matrix @ np.array([start(name) for name in place]) + np.array(rest)
    good = np.array([fine for example in right for fine in example], float)
    sizes = np.array([len(example) for example in readings])
    first, owner = np.cumsum(sizes) - sizes, np.repeat(np.arange(len(sizes)), sizes)

    def loss(change: Floats) -> tuple[float, Floats]:
        scores = base + matrix @ change
        odds = np.exp(scores - np.maximum.reduceat(scores, first)[owner])
        total = np.add.reduceat(odds, first)
        mass = np.maximum(np.add.reduceat(odds * good, first), 1e-300)
        push = odds / total[owner] - odds * good / mass[owner]
        value = float(np.log(total / mass).sum() + pull / 2 * change @ change)
        return value, matrix.T @ push + pull * change

    none = np.zeros(len(place))
    best = minimize(loss, none, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    return {name: start(name) + float(best[at]) for name, at in place.items()}


def main() -> None:
    """Fit, say how right the readings are before each round, and write the file."""
    options = argparse.ArgumentParser()
    options.add_argument("data", type=Path)
    options.add_argument("--style", choices=("whole", "search"), default="whole")
    options.add_argument("--rounds", type=int, default=1)
    options.add_argument("--synth", type=int, default=2500)
    options.add_argument("--limit", type=int, default=None)
    options.add_argument("--part", default="", help="0/2: without the first half, to measure on it")
    options.add_argument("--to", type=Path, default=None)
    options.add_argument("--crossed", action="store_true", help="measure each half by the other")
    arguments = options.parse_args()
    style = arguments.style
    rows = kb13(arguments.data) if style == "search" else pairs(arguments.data, arguments.synth)
    random.Random(2).shuffle(rows)
    if arguments.crossed:
        print_crossed(rows[: arguments.limit], style, arguments.rounds)
        return
    if arguments.part:
        left_out, parts = map(int, arguments.part.split("/"))
        rows = [row for index, row in enumerate(rows) if index % parts != left_out]
    rows = rows[: arguments.limit]
    target = arguments.to or FOLDER / f"weights_{style}.toml"
    for known, found in fitted(rows, style, arguments.rounds):
        write(known, found, target, RARE[style])


def fitted(
    rows: list[tuple[str, str]], style: str, rounds: int
) -> Iterator[tuple[dict[str, float], list[Example]]]:
    """The weights after each round, and what they were learned from."""
    known = dict(weights("whole"))
    for number in range(rounds):
        found, right = read_with(known, rows, style, KEPT)
        print(
            f"round {number}: {right:.3f} right, {len(found)} of {len(rows)} to learn from",
            flush=True,
        )
        known = fit(found, known, style)
        yield known, found


def read_with(
    known: dict[str, float], rows: list[tuple[str, str]], style: str, kept: int
) -> tuple[list[Example], float]:
    """The readings under some weights, and the share that is right."""
    grammar.KEPT = kept
    grammar.weights = lambda style: known
    grammar.readings.cache_clear()
    return examples(rows, style)


def print_crossed(rows: list[tuple[str, str]], style: str, rounds: int) -> None:
    """How many sentences of each half are read right with weights of the other."""
    kept, right = grammar.KEPT, 0.0  # readings are kept as a user's are
    for half in (0, 1):
        *_, (known, _) = fitted(
            [row for at, row in enumerate(rows) if at % 2 != half], style, rounds
        )
        held_out = rows[half::2]
        _, share = read_with(known, held_out, style, kept)
        right += share * len(held_out)
        print(f"half {half}: {share:.3f} of {len(held_out)} left out are right", flush=True)
    print(f"both: {round(right)} of {len(rows)}, {right / len(rows):.3f}")


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
