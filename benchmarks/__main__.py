"""Run every benchmark, or those named on the command line, each in a process of its own.

Those that need reference data say so and are skipped where it is absent (POLYGLITCH_SHARED, or ../shared). `peers`
comes last: it installs several gigabytes the first time.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from benchmarks.results import OUT, beside_bar

FOLDER = Path(__file__).parent
HELPERS = (
    "axe",
    "copies",
    "draw",
    "environments",
    "fault_server",
    "hate_corpus",
    "plain_sentences",
    "rank_variants",
    "results",
    "screenshots",
    "sight",
)
LAST = "peers"
ON_A_SERVER = ("memory postgresql", "scale 100000 postgresql")  # again, where a server is installed


def main() -> int:
    """Run them one after the other; the number of those that failed."""
    from tests.postgres import programs

    found = {path.stem for path in FOLDER.glob("[!_]*.py")} - {*HELPERS, LAST}
    servers = ON_A_SERVER if programs() else ()
    names = sys.argv[1:] or [*sorted(found), *servers, LAST]
    failed = 0
    for name in names:
        print(f"== {name}", flush=True)
        module, *arguments = name.split()
        if subprocess.run([sys.executable, "-m", f"benchmarks.{module}", *arguments]).returncode:
            print(f"{name} failed", flush=True)
            failed += 1
    print("== figures with a bar", flush=True)
    for line in kept_and_missed(OUT):
        print(line, flush=True)
    return failed


def kept_and_missed(folder: Path) -> Iterator[str]:
    """Every figure that has a bar, as it was measured last; one that never was is said to be absent."""
    for name, wanted in tomllib.loads((FOLDER / "bars.toml").read_text("utf-8")).items():
        file = folder / f"{name}.json"
        figures = json.loads(file.read_text("utf-8")) if file.is_file() else {}
        for key, bar in wanted.items():
            if key in figures:
                yield f"{name}: {key} {figures[key]:.4g} {beside_bar(figures[key], bar)}"
            else:
                yield f"{name}: {key} not measured (bar {bar})"


if __name__ == "__main__":
    sys.exit(main())
