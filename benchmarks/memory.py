"""Peak memory and time by number of cases: a campaign holds none longer than a batch, and each costs the same.

The slope is the exponent of time over cases, fitted to the logarithms: 1 is linear. What a start costs, measured on a
campaign of ten cases, is taken off first.
"""

from __future__ import annotations

import math
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
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, file=sys.stderr)
"""


def peak(cases: int) -> tuple[float, float, float, int]:
    """Peak megabytes, seconds, processor seconds and bytes of store of a campaign with so many cases."""
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
        seconds = time.perf_counter() - started
        processor, megabytes = map(float, done.stderr.split()[-2:])
        return megabytes, seconds, processor, (folder / "s.sqlite").stat().st_size


SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)


def slope(times: dict[int, float]) -> float:
    """The exponent of time over size, by least squares on logarithms."""
    x, y = [math.log(size) for size in times], [math.log(time) for time in times.values()]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    across = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return across / sum((a - mean_x) ** 2 for a in x)


def main() -> None:
    """From 1,000 to 100,000 cases."""
    figures: dict[str, float] = {}
    first = [peak(10) for _ in range(2)]
    start, begun = min(one[1] for one in first), min(one[2] for one in first)
    times: dict[int, float] = {}
    for cases in SIZES:
        megabytes, seconds, processor, size = peak(cases)
        times[cases] = max(seconds - start, 1e-3)
        figures[f"peak_mb_{cases}"] = megabytes
        figures[f"cases_per_second_{cases}"] = cases / times[cases]
        figures[f"cases_per_processor_second_{cases}"] = cases / max(processor - begun, 1e-3)
        figures["store_bytes_a_case"] = size / cases
    figures["start_seconds"] = start
    figures["growth_mb"] = figures["peak_mb_100000"] - figures["peak_mb_1000"]
    figures["slope"] = slope(times)
    record("memory", figures)


if __name__ == "__main__":
    main()
