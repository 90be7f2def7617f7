"""Run every benchmark, or those named on the command line, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
HELPERS = ("copies", "fault_server", "rank_variants", "results", "sight")


def main() -> int:
    """Run them one after the other; the number of those that failed."""
    names = sys.argv[1:] or sorted(
        path.stem for path in FOLDER.glob("[!_]*.py") if path.stem not in HELPERS
    )
    failed = 0
    for name in names:
        print(f"== {name}", flush=True)
        failed += subprocess.run([sys.executable, "-m", f"benchmarks.{name}"]).returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
