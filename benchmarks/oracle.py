"""Oracles against people's verdicts on records that the weights were not learned from.

    python -m benchmarks.oracle ../shared/data/mt

Prints, for each file of labelled records, the AUC of the scores published with it and of the aligned oracle, then how
many pairs a minute it judges in each direction. The cross-validated figures are printed by recipes/train_oracle.py.
"""

from __future__ import annotations

import csv
import gzip
import sys
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.results import record, shared_data
from polyglitch.compare.oracles.aligned.oracle import Quad, judge_pairs
from polyglitch.compare.oracles.aligned.resources import Resources
from polyglitch.evaluate.calibration import area
from polyglitch.tools import Toolbox


class Record(NamedTuple):
    """A labelled pair with the scores that were published with it."""

    quad: Quad
    bug: bool
    published: dict[str, float]


def read_cat(path: Path) -> list[Record]:
    """CAT's records: four scores, original output, then follow-ups with the last one's output, a label."""
    found = []
    for block in path.read_text("utf-8").split("\n\n"):
        lines = [line for line in block.split("\n") if line.strip()]
        if len(lines) < 9:
            continue
        scores = {line.split(":")[0]: float(line.split()[1]) for line in lines[:4]}
        label = lines[-1].split(":")[1].strip() == "True"
        first, source, second, followup = lines[4:8]
        found.append(Record(Quad(source, followup, first, second), label, scores))
    return found


def read_transrepair(path: Path) -> list[Record]:
    """TransRepair's records: a label, four scores, output, original, output, follow-up."""
    found = []
    for block in path.read_text("utf-8").split("\n\n"):
        lines = [line for line in block.split("\n") if line.strip()]
        if len(lines) < 9:
            continue
        label = lines[0].split(":")[1].strip() == "True"
        scores = {line.split(":")[0]: float(line.split(":")[1]) for line in lines[1:5]}
        first, source, second, followup = lines[5:9]
        found.append(Record(Quad(source, followup, first, second), label, scores))
    return found


def auc(labels: list[bool], scores: list[float]) -> float:
    """The chance that a bug scores above a correct pair, ties counting half."""
    return area(scores, labels, "above")


def print_speed(folder: Path, timed: int = 300) -> None:
    """Pairs a minute in both directions, models loaded."""
    for direction in ("en2zh", "zh2en"):
        with gzip.open(folder / f"CAT-{direction}.csv.gz", "rt", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))[: timed + 1]
        quads = [Quad(row["S_s"], row["S_f"], row["T_s"], row["T_f"]) for row in rows]
        resources = Resources(Toolbox(), *direction.split("2"))
        judge_pairs(quads[:1], resources)  # loads what is loaded on first use
        start = time.perf_counter()
        judge_pairs(quads[1:], resources)
        rate = 60 * (len(quads) - 1) / (time.perf_counter() - start)
        print(f"{direction}: {rate:.0f} pairs a minute")


def main() -> None:
    """One table a file, and the speed."""
    data = shared_data()
    if len(sys.argv) < 2 and data is None:
        print("skipped: no reference data; set POLYGLITCH_SHARED")
        return
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else (data or Path()) / "mt"
    figures: dict[str, float] = {}
    resources = Resources(Toolbox(), "en", "zh")
    for records, name in (
        (read_cat(folder / "labelled_cat.txt"), "labelled_cat"),
        (
            read_transrepair(folder / "transrepair" / "threshold_learning_google.txt"),
            "threshold_learning",
        ),
        (read_transrepair(folder / "transrepair" / "test_google.txt"), "test_google"),
    ):
        labels = [record.bug for record in records]
        print(f"{name}: {len(records)} records, {sum(labels)} bugs")
        for metric in records[0].published:
            print(f"  {metric:<14} AUC {auc(labels, [-r.published[metric] for r in records]):.3f}")
        start = time.perf_counter()
        found = judge_pairs([record.quad for record in records], resources)
        seconds = time.perf_counter() - start
        print(
            f"  {'aligned':<14} AUC {auc(labels, [j.score for j in found]):.3f}  ({seconds:.1f} s)"
        )
        figures[f"{name}: AUC"] = auc(labels, [j.score for j in found])
        figures[f"{name}: pairs a second"] = len(records) / seconds
        hits = sum(j.violated and bug for j, bug in zip(found, labels, strict=True))
        flagged = sum(j.violated for j in found)
        print(
            f"  at the default threshold: {flagged} flagged, {hits} of them bugs, {sum(labels)} bugs in all"
        )
    print_speed(folder / "pairs_google")
    record("oracle", figures)


if __name__ == "__main__":
    main()
