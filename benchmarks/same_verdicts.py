"""Whether two stores say the same: cases, verdicts and issues of their newest runs, whatever code wrote them.

    python -m benchmarks.same_verdicts before.sqlite after.sqlite

Stores of any schema that this version reads: rebuilding must not change what is found.
Ends with 1 where something differs, and shows the first differences.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from polyglitch.records import Verdict
from polyglitch.results.history import open_history

SHOWN = 5  # differences of a kind
DIGITS = 6  # of a score: sums may be made in another order

Found = dict[str, dict[tuple[str, ...], Any]]


def newest(path: str) -> Found:
    """Cases, verdicts and issues of the run that a store made last; of a copy, as opening may bring it up to date."""
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(shutil.copy(path, folder))
        history = open_history("", str(copied))
        found: Found = {"cases": {}, "verdicts": {}, "issues": {}}
        for method in (one["name"] for one in history.definition["methods"]):
            for case, verdict in history.store.verdicts.get(history.run_id, method):
                found["cases"][method, case.id] = [item.text for item in case.inputs]
                found["verdicts"][method, case.id] = said(verdict)
            for issue in history.store.verdicts.issues(history.run_id, method):
                found["issues"][method, issue.seed_id] = (issue.kind, issue.case_ids)
        history.store.close()
    return found


def said(verdict: Verdict) -> tuple[str, float | None, str]:
    """What matters of a verdict."""
    score = verdict.score
    return verdict.outcome, score and round(score, DIGITS), verdict.reason


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
