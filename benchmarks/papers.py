"""Published tables made again from the published data, the published figure beside ours.

    python -m benchmarks.papers [../shared/data]

Where the data is absent it says so and measures nothing. ALiCT's diversity is `benchmarks.diversity`.
Best F is over all thresholds, as the papers choose theirs.
"""

from __future__ import annotations

import csv
import gzip
import re
import sys
from pathlib import Path
from typing import Any

from recipes.descriptions import kb13, same

from benchmarks.oracle import read_cat
from benchmarks.results import record, shared_data
from polyglitch.compare.oracles.aligned.oracle import judge_pairs
from polyglitch.compare.oracles.aligned.resources import Resources
from polyglitch.evaluate.calibration import area, choose
from polyglitch.represent.descriptions.rerank import describe
from polyglitch.represent.meaning import semmt_d, semmt_h, semmt_r
from polyglitch.tools import Toolbox

SYNTH = 2000  # of the 10,000 sentences: equivalence of regexes takes its time
SIT_DISTANCE = re.compile(r"Distance: ([\d.]+)")


def measured(scores: list[float], bugs: list[bool], direction: Any = "below") -> dict[str, float]:
    """Precision, recall and F at the best threshold, and the area under the curve."""
    cut = choose(scores, bugs, direction=direction)
    return {
        "threshold": round(cut.threshold, 3),
        "precision": round(cut.precision, 3),
        "recall": round(cut.recall, 3),
        "f": round(cut.f, 3),
        "auc": round(area(scores, bugs, direction), 3),
    }


def diff_oracle(data: Path) -> dict[str, Any]:
    """CAT's 100 labelled records: each metric, and the aligned oracle on the same pairs."""
    records = read_cat(data / "mt" / "labelled_cat.txt")
    bugs = [row.bug for row in records]
    found: dict[str, Any] = {
        name: measured([row.published[name] for row in records], bugs)
        for name in records[0].published
    }
    judged = judge_pairs([row.quad for row in records], Resources(Toolbox(), "en", "zh"))
    found["aligned"] = measured([one.score for one in judged], bugs, "above")
    return found


def semmt(data: Path) -> dict[str, Any]:
    """SemMT's RQ2: its own metrics as published and as built here, on 282 labelled round trips."""
    with (data / "semmt" / "rq2_SemMT_SemMT_Issues_Label.csv").open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["Translation_Label"]]
    bugs = [row["Translation_Label"] == "bug" for row in rows]
    pairs = [(row["Mutants"], row["Mutants (RTT Translation)"]) for row in rows]
    published = {"published REG": "LEVEN", "published DFA": "DFA", "published SBERT": "SBERT"}
    found: dict[str, Any] = {}
    for name, column in published.items():  # where the published tool gave up it wrote "False"
        given = [
            (float(row[column]), bug)
            for row, bug in zip(rows, bugs, strict=True)
            if row[column] != "False"
        ]
        found[name] = {"rows": len(given), **measured(*map(list, zip(*given, strict=True)))}
    for metric in (semmt_r, semmt_d, semmt_h):
        found[metric.name] = measured(metric.score(pairs), bugs)
    found["paper"] = {"SemMT-R f": 0.563, "SemMT-D f": 0.502, "SemMT-H f": 0.529}
    return found


def transrepair_issues(data: Path) -> dict[str, Any]:
    """TransRepair's part of RQ2 by its published scores, mutants that people called wrong left out."""
    path = data / "semmt" / "rq2_TransRepair_TransRepair_Issues_Label.csv"
    with path.open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["Translation_Label"] in LABELS]
    bugs = [row["Translation_Label"] == "bug" for row in rows]
    return {
        name: measured([float(row[f"{name}_Score"]) for row in rows], bugs)
        for name in ("LEVEN", "BLEU")
    }


def sit_issues(data: Path) -> dict[str, Any]:
    """SIT's part of RQ2 by the distance of the first mutant of each issue."""
    blocks = (data / "semmt" / "rq2_SIT_issues.txt").read_text("utf-8").split("ID: ")[1:]
    distance = {
        int(block.split()[0]): float(found[1])
        for block in blocks
        if (found := SIT_DISTANCE.search(block))
    }
    with (data / "semmt" / "rq2_SIT_SIT_Issues_Label.csv").open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if int(row["ID"]) in distance]
    rows = [row for row in rows if row["Label_On_Mutants_Consistent"] in LABELS]
    bugs = [row["Label_On_Mutants_Consistent"] == "bug" for row in rows]
    return {"distance": measured([distance[int(row["ID"])] for row in rows], bugs, "above")}


def descriptions(data: Path) -> dict[str, float]:
    """The share of sentences whose regex is equivalent to the one given."""
    folder = data / "regex"
    with gzip.open(folder / "nl_rx_synth_tokenised.tsv.gz", "rt") as lines:
        synth = [tuple(line.rstrip("\n").split("\t")[:2]) for line in lines][:SYNTH]
    with (
        gzip.open(folder / "turk_val.src.txt.gz", "rt") as texts,
        gzip.open(folder / "turk_val.targ.txt.gz", "rt") as regexes,
    ):
        turk = [(a.rstrip("\n"), b.rstrip("\n")) for a, b in zip(texts, regexes, strict=True)]
    return {
        "kb13": share(kb13(folder), "search"),
        "turk_val": share(joined(turk), "whole"),
        f"nl_rx_synth, first {SYNTH}": share(joined(synth), "whole"),
    }


def joined(rows: list[Any]) -> list[tuple[str, str]]:
    """The same with regexes that are not cut into tokens."""
    return [(text, regex.replace("{ ,", "{ 0 ,").replace(" ", "")) for text, regex in rows]


def share(rows: list[tuple[str, str]], style: Any) -> float:
    """How many of the sentences are read right."""
    right = sum(same(describe(text, style).regex, regex) for text, regex in rows)
    return round(right / len(rows), 4)


LABELS = ("bug", "correct")
TABLES = {
    "labelled_cat": diff_oracle,
    "rq2_semmt": semmt,
    "rq2_transrepair": transrepair_issues,
    "rq2_sit": sit_issues,
    "sentence_to_regex": descriptions,
}


def main() -> None:
    """All tables, one after the other."""
    data = Path(sys.argv[1]) if len(sys.argv) > 1 else shared_data()
    if data is None or not data.is_dir():
        print("skipped: no reference data; set POLYGLITCH_SHARED")
        return
    record("papers", {name: make(data) for name, make in TABLES.items()})


if __name__ == "__main__":
    main()
