"""Whether two stores say the same: cases, verdicts and issues of their newest runs, whatever code wrote them.

    python -m benchmarks.same_verdicts before.sqlite after.sqlite

Read by plain SQL and JSON, so that it works for any version, if both stores have one schema: rebuilding must not change
what is found.
Ends with 1 where something differs, and shows the first differences.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections import Counter
from typing import Any

SHOWN = 5  # differences of a kind
DIGITS = 6  # of a score: sums may be made in another order

Found = dict[str, dict[tuple[str, ...], Any]]


def newest(path: str) -> Found:
    """Cases, verdicts and issues of the run that a store made last."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
        row = connection.execute("select id from runs order by created desc limit 1").fetchone()
        if row is None:
            raise SystemExit(f"{path} holds no run")
        # Since schema 4 runs have numbers.
        tables = {name for (name,) in connection.execute("select name from sqlite_master")}
        run = "(select id from names where name = ?)" if "names" in tables else "?"
        cases = connection.execute(f"select method, id, record from cases where run = {run}", row)
        found: Found = {"cases": {(method, name): texts(text) for method, name, text in cases}}
        verdicts = connection.execute(
            f"select method, [case], outcome, record from verdicts where run = {run}",
            row,
        )
        found["verdicts"] = {
            (method, name): said(how, text) for method, name, how, text in verdicts
        }
        issues = connection.execute(
            "select method, seed, kind, record from issues where run = ?", row
        )
        found["issues"] = {
            (method, seed): (kind, json.loads(text)["case_ids"])
            for method, seed, kind, text in issues
        }
    return found


def texts(record: str) -> list[str]:
    """What a case asks."""
    return [item["text"] for item in json.loads(record)["inputs"]]


def said(outcome: str, record: str) -> tuple[str, float | None, str]:
    """What matters of a verdict; a record leaves out what its columns say."""
    verdict = json.loads(record)
    score = verdict.get("score")
    return outcome, score and round(score, DIGITS), verdict.get("reason", "")


def differences(before: Found, after: Found) -> Counter[str]:
    """How many of each kind differ, the first of them printed."""
    count: Counter[str] = Counter()
    for kind in before:
        old, new = before[kind], after[kind]
        for key in sorted(old.keys() | new.keys()):
            if old.get(key) != new.get(key):
                count[kind] += 1
                if count[kind] <= SHOWN:
                    print(kind, *key, old.get(key, "absent"), "->", new.get(key, "absent"))
    return count


def main(before: str, after: str) -> int:
    """Compare, tell, and say whether all is the same."""
    old, new = newest(before), newest(after)
    count = differences(old, new)
    told = ", ".join(f"{len(old[kind])} {kind} ({count[kind]} differ)" for kind in old)
    print(f"{before} and {after}: {told}")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
