"""The labelled corpus of the hate speech tables: tweets of Davidson et al., alone or with HateCheck's cases.

    python -m benchmarks.hate_corpus DAVIDSON.csv.gz -o hate.jsonl [--with HATECHECK.csv.gz]

All tweets labelled hateful or harmless, and 1,500 of the 19,190 offensive ones, shuffled. With HateCheck's cases among
the seeds a comparison with HateCheck is circular: what is said of variety is said of the tweets alone.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
from pathlib import Path

CLASSES = {"0": "hate", "1": "offensive", "2": "non-hate"}
OFFENSIVE = 1500  # else they would be half of the corpus, and only two capabilities ask for them


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of a packed table."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def corpus(davidson: Path, hatecheck: Path | None = None, seed: int = 3) -> list[tuple[str, str]]:
    """Texts with their labels, shuffled."""
    dice = random.Random(seed)
    read = rows(hatecheck) if hatecheck else []
    cases = [(row["test_case"].strip(), row["label_gold"]) for row in read]
    tweets = [(row["tweet"], CLASSES[row["class"]]) for row in rows(davidson)]
    offensive = [tweet for tweet in tweets if tweet[1] == "offensive"]
    chosen = cases + [tweet for tweet in tweets if tweet[1] != "offensive"]
    chosen += dice.sample(offensive, OFFENSIVE)
    dice.shuffle(chosen)
    return chosen


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("davidson", type=Path)
    parser.add_argument("--with", dest="hatecheck", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    options = parser.parse_args()
    made = corpus(options.davidson, options.hatecheck)
    lines = [json.dumps({"text": text, "label": label}) + "\n" for text, label in made]
    options.out.write_text("".join(lines), "utf-8")
    print(f"{len(made):,} rows in {options.out}")
