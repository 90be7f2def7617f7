"""`store copy` of one file into a new one over `cp` of the same file, by the clock and by processor time.

    python -m benchmarks.store_copy

Both are done when the new file is on the disk (`fsync`); by turns, the best of three. The store has 100,000 cases with
all that is kept of them; what the command takes for a store of ten cases is taken off. A merge is the same into a store
that holds something already, row by row.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.copies import write_copies
from benchmarks.memory import SYSTEM
from benchmarks.results import record

CASES, TURNS = 100_000, 3


def main() -> None:
    """Fill a store, copy it in each way."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "shout.py").write_text(SYSTEM)
        write_copies(folder, CASES)
        (folder / "few.txt").write_text("Another sentence stands here.\n")
        campaign(folder, "seeds.txt", "large.sqlite")
        campaign(folder, "few.txt", "small.sqlite")
        start, ours, theirs = [], [], []
        for _ in range(TURNS):
            start.append(timed(folder, lambda: copy(folder, "small.sqlite")))
            ours.append(timed(folder, lambda: copy(folder, "large.sqlite")))
            theirs.append(timed(folder, lambda: plain_copy(folder)))
        timed(folder, lambda: copy(folder, "small.sqlite"))
        merged = timed(folder, lambda: copy(folder, "large.sqlite"), keep=True)
        megabytes = (folder / "large.sqlite").stat().st_size / 1e6
    clock, processor = (min(row) for row in zip(*ours, strict=True))
    begun, begun_processor = (min(row) for row in zip(*start, strict=True))
    plain = min(theirs)[0]
    figures = {
        "megabytes": megabytes,
        "copy_seconds": clock - begun,
        "cp_seconds": plain,
        "copy_over_cp": (clock - begun) / plain,
        "copy_cpu_seconds": processor - begun_processor,
        "merge_cpu_seconds": merged[1] - begun_processor,
        "start_seconds": begun,
    }
    record("store_copy", figures)


def campaign(folder: Path, corpus: str, store: str) -> None:
    """A finished run in a store."""
    wanted = f"run --system python:shout:shout --corpus {corpus} --method copies --store {store} -q"
    polyglitch(folder, *wanted.split())


def copy(folder: Path, store: str) -> None:
    """A store into t.sqlite."""
    polyglitch(folder, "store", "copy", store, "t.sqlite")


def plain_copy(folder: Path) -> None:
    """The large one, as any other file is copied."""
    subprocess.run(["cp", "large.sqlite", "t.sqlite"], cwd=folder, check=True)


def polyglitch(folder: Path, *arguments: str) -> None:
    """One command."""
    path = os.pathsep.join([str(folder), *sys.path])
    command = [sys.executable, "-m", "polyglitch", *arguments]
    subprocess.run(
        command, cwd=folder, env=os.environ | {"PYTHONPATH": path}, check=True, capture_output=True
    )


def timed(folder: Path, work: Callable[[], object], keep: bool = False) -> tuple[float, float]:
    """Seconds by the clock until it is on the disk, and processor seconds."""
    if not keep:
        for file in folder.glob("t.sqlite*"):
            file.unlink()
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    work()
    if (folder / "t.sqlite").exists():
        with (folder / "t.sqlite").open("rb") as written:
            os.fsync(written.fileno())
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
