"""How fast the languages of two regexes are compared: pairs a second on one core, every pair from scratch.

Parsing, minimal automata, product and counting are all timed; then other pairs of the same regexes, whose automata are
known by then, as in a campaign whose descriptions come again; then the same by size of the regexes. The regexes are
NL-RX-Synth's where the reference data is there (POLYGLITCH_SHARED, or ../shared), else made of the same operators at
random.
"""

from __future__ import annotations

import gzip
import os
import random
import time
from pathlib import Path

from benchmarks.memory import slope
from benchmarks.results import record
from polyglitch.represent.automata.similarity import language_similarity

PAIRS, GROWN = 5_000, 20  # all regexes of NL-RX-Synth, each once
WORDS = ("ab", "ba", "[a-c]", "[0-9]", "dog", "x", "[A-Z]", "yz")
TERMS = ("([AEIOUaeiou])", "([0-9])", "([A-Za-z])", "([A-Z])", "([a-z])", "(.)", "(dog)", "(truck)")
SHAPES = (
    "{}.*{}.*",
    "({}|{})",
    "({}&{})",
    "(.*)({}){}",
    "({}{}){{3,}}",
    "~({}|{})",
    "\\b{}.*{}\\b",
)


def regexes() -> list[str]:
    """Twice as many regexes as pairs, in a fixed random order."""
    shared = Path(os.environ.get("POLYGLITCH_SHARED", Path(__file__).parents[2] / "shared"))
    file = shared / "data" / "regex" / "nl_rx_synth_tokenised.tsv.gz"
    if file.is_file():
        with gzip.open(file, "rt") as lines:
            found = [line.rstrip("\n").split("\t")[1].replace(" ", "") for line in lines]
    else:
        pick = random.Random(1).choice
        found = [pick(SHAPES).format(pick(TERMS), pick(TERMS)) for _ in range(4 * PAIRS)]
    random.Random(0).shuffle(found)
    return found[: 2 * PAIRS]


def main() -> None:
    """Time all pairs once, by processor time: what other programs do is no matter of ours."""
    found = regexes()
    started = time.process_time()
    results = [language_similarity(a, b) for a, b in zip(found[::2], found[1::2], strict=True)]
    seconds = time.process_time() - started
    met = found[1:] + found[:1]
    started = time.process_time()
    for a, b in zip(met[::2], met[1::2], strict=True):
        language_similarity(a, b)
    known = time.process_time() - started
    figures = {
        "pairs": len(results),
        "pairs_per_second": len(results) / seconds,
        "pairs_per_second_of_known_regexes": len(results) / known,
        "undecided": sum(result.value is None for result in results),
        "equal": sum(result.value == 1.0 for result in results),
    }
    record("automata", figures | by_size())


def by_size() -> dict[str, float]:
    """Milliseconds a pair by the number of terms in each regex, and how that grows."""
    times: dict[int, float] = {}
    for terms in (2, 4, 8, 16, 32):
        dice = random.Random(terms)
        pairs = [(composed(terms, dice), composed(terms, dice)) for _ in range(GROWN)]
        started = time.process_time()
        for a, b in pairs:
            language_similarity(a, b)
        times[terms] = (time.process_time() - started) / GROWN
    told = {f"milliseconds_{terms}_terms": 1000 * seconds for terms, seconds in times.items()}
    return told | {"slope_by_terms": slope(times)}


def composed(terms: int, dice: random.Random) -> str:
    """A regex of so many terms: words in a row, with choices and repeats between."""
    parts = []
    for _ in range(terms // 2):
        one, other = dice.choice(WORDS), dice.choice(WORDS)
        parts.append(dice.choice(("({}|{})", "({})+({})", "({})?({})")).format(one, other))
    return "".join(parts)


if __name__ == "__main__":
    main()
