"""How many sentences get a case, and how well the cases read: by method and register, on sentences of our own.

    python -m benchmarks.words [--half test] [--method sit ...] [--show] [--param KEY=VALUE]

The sentences stand in `readings/sentences.tsv`, some for tuning and some, `test`, that no limit was chosen on.
`--show` prints every case. What one reader called the cases of the test half stands in `readings/cases.tsv`; the
figures of that are printed last.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.results import record
from polyglitch.campaign import make_method
from polyglitch.records import Case, Edit, Input, Seed
from polyglitch.tools import Toolbox

FOLDER = Path(__file__).parent / "readings"
METHODS = ("sit", "transrepair", "cat", "rti", "patinv")


def sentences(half: str) -> dict[str, list[Seed]]:
    """The sentences of a half by register."""
    found: dict[str, list[Seed]] = {}
    with (FOLDER / "sentences.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        for number, row in enumerate(rows):
            if row["half"] == half:
                seed = Seed(f"{row['register']}-{number}", Input(row["sentence"], language="en"))
                found.setdefault(row["register"], []).append(seed)
    return found


def every(by_register: dict[str, list[Seed]]) -> list[Seed]:
    """All sentences."""
    return [seed for seeds in by_register.values() for seed in seeds]


def covered(name: str, by_register: dict[str, list[Seed]], cases: Sequence[Case]) -> list[str]:
    """A line a register: cases a sentence, and how many sentences have none."""
    made = Counter(case.seed_id for case in cases)
    lines = []
    for register, seeds in {**by_register, "all": every(by_register)}.items():
        none = sum(not made[seed.id] for seed in seeds)
        count = sum(made[seed.id] for seed in seeds)
        lines.append(
            f"{name:12} {register:10} {count / len(seeds):5.2f} cases a sentence, "
            f"{none:3} of {len(seeds)} sentences without"
        )
    return lines


# What a case was called by its reader: what counts, among which. A cut is what RTI took out, a removal PatInv's.
QUESTIONS = {
    "natural": ({"other", "alike", "same"}, {"odd"}),
    "alike in meaning": ({"alike", "same"}, {"other"}),
    "rightly cut": ({"right"}, {"wrong"}),
    "grammatical": ({"sentence"}, {"broken"}),
}
# What is asked of a method's cases; PatInv's replacements must not be alike.
ASKED = {
    "sit": ("natural",),
    "transrepair": ("natural", "alike in meaning"),
    "cat": ("natural", "alike in meaning"),
    "rti": ("rightly cut",),
    "patinv": ("natural", "alike in meaning", "grammatical"),
}


def what_was_read() -> dict[str, float]:
    """What reading said of the cases of the test half, by method, and by register where there are ten."""
    with (FOLDER / "cases.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    figures: dict[str, float] = {}
    for method, questions in ASKED.items():
        for question in questions:
            good, bad = QUESTIONS[question]
            for register in [*sorted({row["register"] for row in rows}), "all"]:
                labels = [
                    row["label"]
                    for row in rows
                    if row["method"] == method
                    and register in (row["register"], "all")
                    and row["label"] in good | bad
                ]
                if labels and (len(labels) >= 10 or register == "all"):
                    share = sum(label in good for label in labels) / len(labels)
                    print(
                        f"{method:12} {register:10} {question}: {share:.0%} of {len(labels)} read"
                    )
                    if register == "all":
                        figures[f"{method} {question}"] = share
    return figures


def main() -> None:
    """Print coverage, and what reading said."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--half", choices=("tune", "test", "phrases"), default="tune")
    options.add_argument("--register", action="append", help="only these")
    options.add_argument("--method", action="append", choices=METHODS)
    options.add_argument("--param", action="append", default=[])
    options.add_argument("--show", action="store_true")
    chosen = options.parse_args()
    parameters = dict(item.split("=", 1) for item in chosen.param)
    by_register = {
        register: seeds
        for register, seeds in sentences(chosen.half).items()
        if register in (chosen.register or [register])
    }
    seeds = every(by_register)
    figures: dict[str, float] = {}
    tools = Toolbox(languages=("en", None))
    for name in chosen.method or METHODS:
        cases = list(make_method(name, parameters).mutate(seeds, tools))
        for line in covered(name, by_register, cases):
            print(line)
        if chosen.show:
            for case in cases:
                edit = case.edit or Edit("", 0, 0, "", "")
                print(f"  {case.seed_id:12} {edit.old} > {edit.new}: {case.inputs[-1].text}")
        figures[f"{name} sentences without"] = 1 - len({c.seed_id for c in cases}) / len(seeds)
        figures[f"{name} cases a sentence"] = len(cases) / len(seeds)
    record("words", figures | what_was_read())


if __name__ == "__main__":
    main()
