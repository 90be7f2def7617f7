"""Peak memory by number of cases: a campaign holds none of them longer than a batch."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.copies import write_copies
from benchmarks.results import record

SYSTEM = "def shout(texts):\n    return [text.upper() for text in texts]\n"
RUN = """
import resource, sys
from polyglitch.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit as end:
    assert not end.code, end.code
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, file=sys.stderr)
"""


def peak(cases: int) -> tuple[float, float]:
    """Peak megabytes and seconds of a campaign with so many cases."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "shout.py").write_text(SYSTEM)
        write_copies(folder, cases)
        arguments = [
            "run",
            "--system",
            "python:shout:shout",
            "--corpus",
            "seeds.txt",
            "--method",
            "copies",
        ]
        started = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", RUN, *arguments, "--store", "s.sqlite", "-q"],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path])},
            check=True,
            stderr=subprocess.PIPE,
            text=True,
        )
        return float(done.stderr.split()[-1]), time.perf_counter() - started


def main() -> None:
    """1,000, 10,000 and 100,000 cases."""
    figures: dict[str, float] = {}
    for cases in (1_000, 10_000, 100_000):
        megabytes, seconds = peak(cases)
        figures[f"peak_mb_{cases}"] = megabytes
        figures[f"cases_per_second_{cases}"] = cases / seconds
    figures["growth_mb"] = figures["peak_mb_100000"] - figures["peak_mb_1000"]
    record("memory", figures)


if __name__ == "__main__":
    main()
