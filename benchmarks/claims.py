"""How well the oracle `claims` tells violations in pairs of answers that one person wrote and labelled.

`readings/claims_pairs.jsonl` has the pairs: sets in the order in which they were written, 1, 2, 5 and 6 split by topic
into a half for tuning and one for testing, 7 all for testing, the others all for tuning.
Of the test half only the figures are printed,
never a pair: whoever works on the rules should not see what they fail on there. `python -m benchmarks.claims --errors`
prints the errors of the other half.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.results import record
from polyglitch.compare.judge import Saved, trial_of
from polyglitch.compare.oracles.claims import claims
from polyglitch.compare.oracles.labels import words_only
from polyglitch.records import Verdict
from polyglitch.tools import Toolbox

PAIRS = Path(__file__).parent / "readings" / "claims_pairs.jsonl"


class Pair(msgspec.Struct, frozen=True):
    """A pair, whether a person calls it violated, and what the oracle and exact match say."""

    row: dict[str, Any]
    verdict: Verdict
    exact: bool

    @property
    def found(self) -> bool:
        """Whether the oracle calls it violated."""
        return self.verdict.outcome == "violated"

    @property
    def feature(self) -> str:
        """What kind of feature the pair is of."""
        return str(self.row["id"]).partition("-")[0]


def read(path: Path = PAIRS) -> list[dict[str, Any]]:
    """The pairs of a file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def judged(rows: list[dict[str, Any]]) -> list[Pair]:
    """What the oracle says of each pair."""
    trials = [trial_of(msgspec.convert(row, Saved)) for row in rows]
    verdicts = claims()(trials, Toolbox())
    equal = [words_only(r["source_output"]) == words_only(r["followup_output"]) for r in rows]
    return [
        Pair(row, verdict, same == (row["relation"] == "differs"))
        for row, verdict, same in zip(rows, verdicts, equal, strict=True)
    ]


def score(pairs: Iterable[tuple[bool, bool]]) -> tuple[float, float, float]:
    """Precision, recall and F of the violated, from what a person says and what was found."""
    counted = Counter(pairs)
    hit, alarm, miss = counted[True, True], counted[False, True], counted[True, False]
    precision, recall = hit / max(1, hit + alarm), hit / max(1, hit + miss)
    return precision, recall, 2 * hit / max(1, 2 * hit + alarm + miss)


def line(name: str, pairs: list[Pair]) -> str:
    """A row of the table."""
    told = score((p.row["violated"], p.found) for p in pairs)
    exact = score((p.row["violated"], p.exact) for p in pairs)[2]
    return f"{name:<22}{len(pairs):>6}" + "".join(f"{x:>8.2f}" for x in (*told, exact))


def causes(pairs: list[Pair]) -> dict[str, int]:
    """How many false alarms and misses each feature and relation has."""
    alarms = [p for p in pairs if p.found and not p.row["violated"]]
    missed = [p for p in pairs if p.row["violated"] and not p.found]
    found = Counter(f"false alarm, {p.feature}" for p in alarms)
    found.update(f"missed, {p.row['relation']}, {p.feature}" for p in missed)
    return dict(found.most_common())


def main() -> None:
    """Print the tables; with --errors the single errors of the tuning half."""
    pairs = judged(read())
    print(f"{'pairs':<22}{'n':>6}{'prec.':>8}{'recall':>8}{'F':>8}{'exact':>8}")
    for half in ("tune", "test"):
        some = [p for p in pairs if p.row["half"] == half]
        print(line(half, some))
        for number in sorted({p.row["set"] for p in some}):
            print(line(f"  set {number}", [p for p in some if p.row["set"] == number]))
        for key in ("relation", "feature"):
            names = sorted({p.row.get(key, p.feature) for p in some})
            for name in names:
                print(line(f"  {name}", [p for p in some if p.row.get(key, p.feature) == name]))
        print(f"  errors: {causes(some)}")
    if "--errors" in sys.argv:
        for p in pairs:
            if p.row["half"] == "tune" and p.found != p.row["violated"]:
                kept = {k: v for k, v in p.row.items() if k not in ("half", "set")}
                print(json.dumps({**kept, "reason": p.verdict.reason}, ensure_ascii=False))
    test = [p for p in pairs if p.row["half"] == "test"]
    newest = max(p.row["set"] for p in test)
    figures = {
        "f_test_half": score((p.row["violated"], p.found) for p in test)[2],
        "f_newest_test_half": score(
            (p.row["violated"], p.found) for p in test if p.row["set"] == newest
        )[2],
        "f_exact_match": score((p.row["violated"], p.exact) for p in test)[2],
    }
    record("claims", figures)


if __name__ == "__main__":
    main()
