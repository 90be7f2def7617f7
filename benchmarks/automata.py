"""How fast the languages of two regexes are compared: pairs a second on one core, every pair from scratch.

Once as it is installed, with the compiled part where `make native` built it, and once in Python alone; the results must
be the same. Parsing, minimal automata, product and counting are all timed; then, in Python, other pairs of the same
regexes, whose automata are known by then, as in a campaign whose descriptions come again; then the same by size of the
regexes. They are those of NL-RX-Synth where the reference data is there (POLYGLITCH_SHARED, or ../shared), else made of
the same operators at random.
"""

from __future__ import annotations

import gzip
import os
import random
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.memory import slope
from benchmarks.results import record
from polyglitch.represent.automata.similarity import RegexSimilarity, compiled, language_similarity
from polyglitch.represent.regex.parse import parse

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
    pairs = list(zip(found[::2], found[1::2], strict=True))
    met = found[1:] + found[:1]
    again = list(zip(met[::2], met[1::2], strict=True))
    results, seconds = timed(pairs, language_similarity)
    plain, plain_seconds = timed(pairs, in_python)
    _, known_seconds = timed(again, in_python)
    if results != plain:
        raise SystemExit("the compiled part and Python do not agree")
    figures = {
        "pairs": len(results),
        "compiled": compiled() is not None,
        "pairs_per_second": len(results) / seconds,
        "pairs_per_second_in_python": len(results) / plain_seconds,
        "pairs_per_second_in_python_of_known_regexes": len(results) / known_seconds,
        "undecided": sum(result.value is None for result in results),
        "equal": sum(result.value == 1.0 for result in results),
    }
    record("automata", figures | by_size())


def timed(
    pairs: list[tuple[str, str]], compare: Callable[[str, str], RegexSimilarity]
) -> tuple[list[RegexSimilarity], float]:
    """What each pair comes to, and the processor seconds of all."""
    started = time.process_time()
    found = [compare(a, b) for a, b in pairs]
    return found, time.process_time() - started


def in_python(one: str, other: str) -> RegexSimilarity:
    """The similarity without the compiled part: trees never go through it."""
    return language_similarity(parse(one), parse(other))


def by_size() -> dict[str, float]:
    """Milliseconds a pair in Python by the number of terms in each regex, and how that grows."""
    times: dict[int, float] = {}
    for terms in (2, 4, 8, 16, 32):
        dice = random.Random(terms)
        pairs = [(composed(terms, dice), composed(terms, dice)) for _ in range(GROWN)]
        started = time.process_time()
        for a, b in pairs:
            in_python(a, b)
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
