"""Run every benchmark, or those named on the command line, each in a process of its own.

Those that need reference data say so and are skipped where it is absent (POLYGLITCH_SHARED, or ../shared). `peers`
comes last: it installs several gigabytes the first time.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
HELPERS = (
    "copies",
    "draw",
    "environments",
    "fault_server",
    "hate_corpus",
    "rank_variants",
    "results",
    "sight",
)
LAST = "peers"


def main() -> int:
    """Run them one after the other; the number of those that failed."""
    found = {path.stem for path in FOLDER.glob("[!_]*.py")} - {*HELPERS, LAST}
    names = sys.argv[1:] or [*sorted(found), LAST]
    failed = 0
    for name in names:
        print(f"== {name}", flush=True)
        if subprocess.run([sys.executable, "-m", f"benchmarks.{name}"]).returncode:
            print(f"{name} failed", flush=True)
            failed += 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
