"""Each method's own oracle against the aligned one on people's verdicts, method by method.

    python recipes/train_oracle.py ../shared/data/mt/pairs_google --scores scores.json
    python -m benchmarks.oracle_methods scores.json

The first command cross-validates the aligned oracle and keeps its scores (never of a pair it has learned from); the
second gives the published oracles' scores on the same pairs and prints AUC, and F at each one's best threshold, which
flatters all alike. SIT's structure is compared where there is a parser for the outputs (English), else as raw text.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks.oracle import auc
from polyglitch.compare.oracles.similarity import similar_enough
from polyglitch.compare.oracles.two_outputs import contained_in, label_count_distance, raw_distance
from polyglitch.protocols import Oracle
from polyglitch.records import Case, Input, Output, Trial
from polyglitch.represent.structures import dependencies
from polyglitch.tools import Toolbox

METRICS = ("lcs", "ed", "tfidf", "bleu")


class Row(NamedTuple):
    """A labelled pair with the aligned oracle's cross-validated score."""

    method: str
    direction: str
    source: str
    followup: str
    first: str
    second: str
    violated: bool
    score: float


def own_oracles(method: str, target: str) -> dict[str, tuple[Oracle, Callable[[dict], float]]]:
    """The published oracles of a method by name, and how to read a rising score from their details."""
    if method in ("CAT", "SIT"):
        found = {
            f"similar enough, {name}": (
                similar_enough(metrics=(name,), language=target),
                lambda verdict, name=name: -verdict["details"][name],
            )
            for name in METRICS
        }
        if method == "CAT":
            return found
        structure = (
            label_count_distance(dependencies, language=target)
            if target == "en"
            else raw_distance(language=target)
        )
        return {"structure" if target == "en" else "raw distance": (structure, by_score)} | found
    if method == "Purity":
        return {"contained": (contained_in(language=target), by_score)}
    return {}


def by_score(verdict: dict) -> float:
    """A distance: more is worse; what cannot be judged counts as no violation."""
    return verdict["score"] or 0.0


def best_f(labels: list[bool], scores: list[float]) -> float:
    """F at the best threshold."""
    best, hits, said, wanted = 0.0, 0, 0, sum(labels)
    order = sorted(range(len(scores)), key=lambda n: -scores[n])
    for place, number in enumerate(order):
        hits, said = hits + labels[number], said + 1
        last = place + 1 == len(order) or scores[order[place + 1]] != scores[number]
        if last:
            best = max(best, 2 * hits / (said + wanted))
    return best


def main() -> None:
    """One block a method and direction."""
    rows = [Row(*row) for row in json.loads(Path(sys.argv[1]).read_text("utf-8"))]
    tools = Toolbox()
    for method in ("SIT", "CAT", "Purity"):
        for direction in ("en2zh", "zh2en"):
            some = [row for row in rows if (row.method, row.direction) == (method, direction)]
            labels = [row.violated for row in some]
            print(f"{method} {direction}: {len(some)} pairs, {sum(labels)} violations")
            trials = [
                Trial(
                    Case(str(n), "s", "similar", (Input(row.source), Input(row.followup))),
                    ((Output(row.first),), (Output(row.second),)),
                )
                for n, row in enumerate(some)
            ]
            table = {"aligned": [row.score for row in some]}
            for name, (oracle, read) in own_oracles(method, direction[-2:]).items():
                verdicts = oracle(trials, tools)
                table[name] = [read({"score": v.score, "details": v.details}) for v in verdicts]
            for name, scores in table.items():
                print(f"  {name:<22} AUC {auc(labels, scores):.3f}  F {best_f(labels, scores):.3f}")


if __name__ == "__main__":
    main()
