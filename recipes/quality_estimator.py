"""A small quality estimator, for trying the `quality` witness without COMET-Kiwi or MetricX.

    python recipes/quality_estimator.py -o quality.json
    polyglitch judge -i pairs.jsonl --quality python:recipes/quality_estimator.py:estimate

Five things that need no model are told of a source and its translation; a logistic model learns from the `tune` halves
of benchmarks/readings which outputs are at fault. It knows little: it shows how an estimator is brought along.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from polyglitch.compare.oracles.facts.oracle import sure_facts
from polyglitch.languages.record import guess_language
from polyglitch.nlp.lexicons.words import frequencies

COMMON, RAREST = (
    4.0,
    7.0,
)  # on the scale of Zipf frequencies: how far below 4 a word is counts, up to 3
SHORTEST = 4  # letters of a word that may be left over from the source
NOTICED = 0.1  # of estimates from 0 to 1


def told(source: str, output: str, language: str) -> list[float]:
    """What is told of one translation."""
    words = [word.strip(".,;:!?\"'()").lower() for word in output.split()]
    given = {word.strip(".,;:!?\"'()").lower() for word in source.split()}
    frequency = frequencies(language)
    rare = [max(0.0, COMMON - frequency(word)) for word in words if word.isalpha() and frequency]
    copied = [word for word in words if len(word) >= SHORTEST and word in given]
    length = math.log((len(words) + 1) / (len(source.split()) + 1))
    return [
        max(rare, default=0.0),
        sum(rare) / max(1, len(rare)),
        float(len(copied)),
        abs(length),
        float(len(sure_facts(source, output, "en", language))),
    ]


@cache
def model() -> dict[str, Any]:
    """What the recipe has written: the weights and where they start."""
    place = Path(os.environ.get("QUALITY_MODEL", "quality.json"))
    return json.loads(place.read_text("utf-8"))  # type: ignore[no-any-return]


def estimate(sources: Sequence[str], translations: Sequence[str]) -> list[float]:
    """The chance that each translation is free of faults."""
    known = model()
    found = []
    for source, output in zip(sources, translations, strict=True):
        row = told(
            source, output, guess_language([output]) or "pt"
        )  # each by itself, as verdicts are
        odds = known["intercept"] + sum(a * b for a, b in zip(known["weights"], row, strict=True))
        found.append(1 / (1 + math.exp(odds)))
    return found


estimate.noticed = NOTICED  # type: ignore[attr-defined]


def main() -> None:
    """Learn from outputs of which a reader said whether they are at fault."""
    from sklearn.linear_model import LogisticRegression

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("-o", "--output", type=Path, default=Path("quality.json"))
    chosen = options.parse_args()
    rows: dict[tuple[str, str, str], bool] = {}
    for language in ("pt", "es"):
        place = Path(__file__).parents[1] / "benchmarks" / "readings" / f"pairs_{language}.jsonl"
        for line in place.read_text("utf-8").splitlines():
            pair = json.loads(line)
            if pair["part"] != "tune" or pair["relation"] != "similar":
                continue
            for number in (0, 1):
                faulty = pair["bug"] and pair["where"] in (number, None)
                key = (pair["source"][number], pair["output"][number], language)
                rows[key] = rows.get(key, False) or faulty
    learned = LogisticRegression(max_iter=1000).fit(
        [told(*key) for key in rows], list(rows.values())
    )
    made = {
        "weights": [round(float(one), 4) for one in learned.coef_[0]],
        "intercept": round(float(learned.intercept_[0]), 4),
    }
    chosen.output.write_text(json.dumps(made, indent=1) + "\n", "utf-8")
    print(f"{len(rows)} outputs, {sum(rows.values())} at fault: {made}")


if __name__ == "__main__":
    main()
