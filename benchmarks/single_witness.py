"""What each witness is worth alone, on pairs that were read.

    python -m benchmarks.single_witness PAIRS.jsonl --target pt --lens firefox:en-pt --back firefox:pt-en

A line of the file has `source` and `output` (two texts each), `bug`, and may have `part` (tune or test) and `relation`.
Prints the area under the curve over all pairs and over each part, and what the shipped threshold brings on each part.
"""

from __future__ import annotations

import argparse
import json
import time
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.oracle import auc
from polyglitch.compare.oracles.witnesses import alone
from polyglitch.compare.oracles.witnesses.changed_words import Rarity, Witness
from polyglitch.compare.oracles.witnesses.confidence import Confidence, ForeignLens
from polyglitch.compare.oracles.witnesses.way_back import WayBack
from polyglitch.records import Case, Input, Output, Trial
from polyglitch.tools import Toolbox, open_back_lens, open_lens

READINGS = Path(__file__).parent / "readings"


def trial_of(row: dict[str, Any]) -> Trial:
    """A line of the file as a trial."""
    inputs = tuple(Input(text) for text in row["source"])
    case = Case(str(row["id"]), str(row["id"]), row.get("relation", "similar"), inputs)
    return Trial(case, tuple((Output(text),) for text in row["output"]))


def show(witness: Witness, limit: float, rows: list[dict[str, Any]], tools: Toolbox) -> None:
    """A line a part of the file."""
    start = time.process_time()
    said = witness.hear([trial_of(row) for row in rows], tools)
    seconds = time.process_time() - start
    scores = [0.0 if one is None else one.suspicion for one in said]
    for part in ("all", "tune", "test"):
        chosen = [n for n, row in enumerate(rows) if part in ("all", row.get("part"))]
        bugs = [bool(rows[n]["bug"]) for n in chosen]
        if not any(bugs) or all(bugs):
            continue
        found = [n for n in chosen if scores[n] > limit]
        right = sum(bool(rows[n]["bug"]) for n in found)
        print(
            f"{witness.name:<11} {part:<4} {len(chosen):>4} pairs {sum(bugs):>3} bugs  "
            f"AUC {auc(bugs, [scores[n] for n in chosen]):.3f}  over {limit:g}: {right} of {len(found)} right, "
            f"recall {right / sum(bugs):.2f}"
        )
    print(f"{witness.name:<11} {seconds:.1f} s of processor time")


def main() -> None:
    """Hear every witness that is at hand on the files given."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs", nargs="?", type=Path, default=READINGS / "pairs_pt.jsonl")
    parser.add_argument("--source", default="en")
    parser.add_argument("--target", default="pt")
    parser.add_argument("--lens")
    parser.add_argument("--back")
    given = parser.parse_args()
    if not given.pairs.is_file():
        print(f"skipped: {given.pairs} is not there")
        return
    rows = [json.loads(line) for line in given.pairs.read_text("utf-8").splitlines()]
    tools = Toolbox(
        languages=(given.source, given.target),
        lens=partial(open_lens, given.lens) if given.lens else None,
        back=partial(open_back_lens, given.back) if given.back else None,
    )
    show(Rarity(), alone.RARE, rows, tools)
    if given.lens:
        own = tools.lens_is_own
        lens, limit = (
            (Confidence(), alone.SURPRISING) if own else (ForeignLens(), alone.SURPRISING_OTHERS)
        )
        show(lens, limit, rows, tools)
    if given.back:
        show(WayBack(), alone.UNTOLD, rows, tools)


if __name__ == "__main__":
    main()
