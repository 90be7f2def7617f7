"""What calibration is worth: the similarity oracle with published thresholds, and fitted on labelled pairs.

The pairs (SIT, CAT, CIT; Google Translate, English to Chinese) were labelled by people. Every fitted figure is of
sentences that the fit did not see.
"""

from __future__ import annotations

import csv
import gzip
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.results import record
from polyglitch.compare.oracles.similarity import similar_enough
from polyglitch.evaluate.calibration import Goal, Sample, calibrate, held_out
from polyglitch.records import Input, Output, Seed, Trial, Verdict, new_case
from polyglitch.tools import Toolbox

SOURCES = ("SIT", "CAT", "CIT")
GOALS = {"F": Goal("f"), "precision>=.5": Goal("precision", 0.5), "recall>=.9": Goal("recall", 0.9)}


def pairs(folder: Path, source: str) -> Iterator[tuple[Trial, bool]]:
    """Labelled pairs as trials."""
    with gzip.open(folder / f"{source}-en2zh.csv.gz", "rt", encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            seed = Seed(row["S_s"], Input(row["S_s"]))
            case = new_case(seed, "similar", (seed.input, Input(row["S_f"])))
            yield (
                Trial(case, ((Output(row["T_s"]),), (Output(row["T_f"]),))),
                row["Violation"] == "1",
            )


def sample_of(found: list[tuple[Trial, Verdict, bool]]) -> Sample:
    """The metrics of the pairs that the oracle could judge."""
    names = list(found[0][1].details)
    return Sample(
        {name: [verdict.details[name] for _, verdict, _ in found] for name in names},
        [bug for _, _, bug in found],
        [trial.case.seed_id for trial, _, _ in found],
    )


def main() -> None:
    """Print a table for each source of pairs."""
    folder = Path(os.environ.get("POLYGLITCH_SHARED", "../shared")) / "data" / "mt" / "pairs_google"
    if not folder.is_dir():
        print(f"no reference data at {folder}; set POLYGLITCH_SHARED", file=sys.stderr)
        return
    figures: dict[str, float] = {}
    for source in SOURCES:
        labelled = list(pairs(folder, source))
        verdicts = similar_enough(vote="all", language="zh")([t for t, _ in labelled], Toolbox())
        both = [(t, v, bug) for (t, bug), v in zip(labelled, verdicts, strict=True) if v.details]
        bugs = sum(bug for _, _, bug in both)
        hits = [bug for _, verdict, bug in both if verdict.outcome == "violated"]
        as_is = held_out(len(hits), sum(hits), bugs, len(both))
        print(f"\n{source}: {len(both)} pairs, {bugs} violations")
        print(
            f"  published: precision {as_is.precision:.2f} recall {as_is.recall:.2f} F {as_is.f:.2f}"
        )
        figures[f"{source}, published thresholds (F)"] = as_is.f
        for name, goal in GOALS.items():
            found, best = calibrate(sample_of(both), goal)
            for one in found:
                held = one.held_out
                print(
                    f"  {'>' if one is best else ' '} {name:<14} {one.name[:60]:<60} at {one.threshold:g}: held out "
                    f"precision {held.precision:.2f} recall {held.recall:.2f} F {held.f:.2f}"
                )
            figures[f"{source}, {name}: {best.name} (held-out F)"] = best.held_out.f
    record("calibrate", figures)


if __name__ == "__main__":
    main()
