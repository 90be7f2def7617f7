"""Peak memory and time by number of cases: a campaign holds none longer than a batch, and each costs the same.

`python -m benchmarks.memory` keeps them in SQLite, `python -m benchmarks.memory postgresql` on a server that is started
for it and goes away; its processor time is added. The slope is the exponent of time over cases, fitted to the
logarithms: 1 is linear. What a start costs, measured on a campaign of ten cases, is taken off first.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

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


class Taken(NamedTuple):
    """What a campaign took."""

    megabytes: float
    seconds: float
    processor: float
    size: int  # bytes of its store
    server: float = 0.0  # processor seconds of a database beside it


def peak(cases: int, where: str = "s.sqlite") -> Taken:
    """What a campaign with so many cases takes."""
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
            [sys.executable, "-c", RUN, *arguments, "--store", where, "-q"],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path])},
            check=True,
            stderr=subprocess.PIPE,
            text=True,
        )
        seconds = time.perf_counter() - started
        processor, megabytes = map(float, done.stderr.split()[-2:])
        size, server = (0, 0.0) if "://" in where else ((folder / where).stat().st_size, 0.0)
    if "://" in where:
        size, server = on_server(where)
    return Taken(megabytes, seconds, processor, size, server)


def on_server(where: str) -> tuple[int, float]:
    """Bytes of a database, and processor seconds of its server from its start to now."""
    import psycopg

    with psycopg.connect(where) as connection:
        size = connection.execute("select pg_database_size(current_database())").fetchone()
        folder = connection.execute("show data_directory").fetchone()
    if not size or not folder:
        raise SystemExit(f"{where}: the server does not say where its data are")
    pid = Path(folder[0], "postmaster.pid").read_text().split()[0]
    of_all, ticks = 0.0, os.sysconf("SC_CLK_TCK")
    for process in Path("/proc").glob("[0-9]*"):
        try:
            told = (process / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # ended meanwhile
        if process.name == pid:
            of_all += sum(map(int, told[11:15])) / ticks  # its own, and of those that ended
        elif told[1] == pid:
            of_all += sum(map(int, told[11:13])) / ticks
    return size[0], of_all


SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)


def slope(times: dict[int, float]) -> float:
    """The exponent of time over size, by least squares on logarithms."""
    x, y = [math.log(size) for size in times], [math.log(time) for time in times.values()]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    across = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return across / sum((a - mean_x) ** 2 for a in x)


def main() -> None:
    """From 1,000 to 100,000 cases."""
    if sys.argv[1:] != ["postgresql"]:
        measure("memory", iter(lambda: "s.sqlite", ""))
        return
    with databases("postgresql") as stores:
        measure("memory-postgresql", stores)


def measure(name: str, stores: Iterator[str]) -> None:
    """The same campaign in growing sizes, each in a store of its own."""
    figures: dict[str, float] = {}
    first = [peak(10, next(stores)) for _ in range(2)]
    start, begun = min(one.seconds for one in first), min(one.processor for one in first)
    empty, served = (first[-1].size, first[-1].server) if name != "memory" else (0, 0.0)
    times: dict[int, float] = {}
    for cases in SIZES:
        taken = peak(cases, next(stores))
        times[cases] = max(taken.seconds - start, 1e-3)
        here, there = max(taken.processor - begun, 1e-3), taken.server - served
        served = taken.server
        figures[f"peak_mb_{cases}"] = taken.megabytes
        figures[f"cases_per_second_{cases}"] = cases / times[cases]
        figures[f"cases_per_processor_second_{cases}"] = cases / (here + there)
        if there:
            figures[f"server_microseconds_a_case_{cases}"] = 1e6 * there / cases
        figures["store_bytes_a_case"] = (taken.size - empty) / cases
    figures["start_seconds"] = start
    figures["growth_mb"] = figures["peak_mb_100000"] - figures["peak_mb_1000"]
    figures["slope"] = slope(times)
    record(name, figures)


@contextmanager
def databases(given: str) -> Iterator[Iterator[str]]:
    """New databases of a server: of one that is started for it, or the one given, again and again."""
    if given != "postgresql":
        yield iter(lambda: given, "")
        return
    from tests.postgres import programs, running

    binaries = programs()
    if binaries is None:
        raise SystemExit("postgresql: no server is installed (Debian: postgresql)")
    with running(binaries) as server:
        yield iter(server.new_database, "")


if __name__ == "__main__":
    main()
