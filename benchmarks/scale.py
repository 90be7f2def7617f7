"""A campaign of many cases from end to end: `python -m benchmarks.scale [CASES] [postgresql://... | postgresql]`.

The system answers at once and the method compares labels, so that what is measured is Polyglitch itself: reading,
keeping, claiming, judging. Models come on top; benchmarks/overhead.py has them. The campaign is killed when half of it
was asked and goes on; then come the report, the first page of the review and a copy of the store. One answer in ten is
wrong, so that there are issues to show. Each step is a process of its own: processor seconds and peak memory. Smaller
campaigns before it tell how the cost grows. `postgresql` alone starts a server in a folder that goes away.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.memory import databases, slope
from benchmarks.results import record
from polyglitch.store.store import Store

SYSTEM = """
import atexit, os, signal, threading

asked, lock, kill = 0, threading.Lock(), int(os.environ.get("KILL_AT", "0"))
if not kill:
    atexit.register(lambda: open(__file__ + ".asked", "w").write(str(asked)))

def answer(texts):
    global asked
    with lock:
        asked += len(texts)
    if kill and asked >= kill:
        os.kill(os.getpid(), signal.SIGKILL)
    numbers = [int(text.rsplit(" ", 1)[1][:-1]) for text in texts]
    return [("positive", "negative")[n % 2 == (n % 10 != 0)] for n in numbers]

answer.batch, answer.batch_size = True, 256
"""
SENTENCE = "the committee said on Monday that river towns would pay more for clean water next year"
WORDS = SENTENCE.split()
SIZES = (1_000, 10_000, 100_000)
CLI = (sys.executable, "-m", "polyglitch")
PAGE = """
import sys, time
from starlette.testclient import TestClient
from polyglitch.review.access import Hosts, Sessions
from polyglitch.review.app import make_app
from polyglitch.review.evidence import Trees
from polyglitch.review.queue_view import QueueView
from polyglitch.store.store import Store
from polyglitch.tools import Toolbox

desk = QueueView(Store(sys.argv[1]))
app = make_app(desk, Trees(Toolbox().parser), Hosts("127.0.0.1", 8765), Sessions(8765))
client = TestClient(app, base_url="http://127.0.0.1:8765", cookies={"polyglitch_reviewer": "ann"})
for _ in range(2):
    start = time.process_time()
    assert client.get("/").status_code == 200
    print(1000 * (time.process_time() - start))
"""


def sentence(number: int) -> str:
    """Fifteen words or so, no two alike."""
    shift = number % len(WORDS)
    return " ".join([*WORDS[shift:], *WORDS[:shift], f"in case {number}."])


def spent(*arguments: str, **environment: str) -> tuple[float, float, float, str]:
    """Seconds, processor seconds, peak megabytes and output of a process; one that fails ends the benchmark."""
    started = time.monotonic()
    child = subprocess.Popen(
        arguments,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | environment,
    )
    said = child.stdout.read() if child.stdout else ""
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != (-9 if "KILL_AT" in environment else 0):
        raise SystemExit(f"{' '.join(arguments)}: exit {child.returncode}\n{said}")
    processor = used.ru_utime + used.ru_stime
    return time.monotonic() - started, processor, used.ru_maxrss / 1024, said


def size_of(where: str) -> int:
    """Bytes of a store with its indexes."""
    if "://" not in where:
        return Path(where).stat().st_size
    from sqlalchemy import text

    store = Store(where)
    with store.database.engine.connect() as connection:
        found = connection.scalar(text("select pg_database_size(current_database())"))
    store.close()
    return int(found or 0)


def write_campaign(cases: int, where: str, folder: Path) -> tuple[str, ...]:
    """The files of a campaign, and the command that runs it."""
    (folder / "system.py").write_text(SYSTEM)
    with (folder / "corpus.csv").open("w") as out:
        out.write("text,label\n")
        for number in range(cases):
            out.write(f"{sentence(number)},{('positive', 'negative')[number % 2]}\n")
    system = f"python:{folder / 'system.py'}:answer"
    told = ("run", "--system", system, "--corpus", str(folder / "corpus.csv"), "--method", "suite")
    return (*CLI, *told, "--store", where, "-q")


def measure(cases: int, where: str, folder: Path) -> dict[str, float]:
    """Run a campaign, killed at half; what both parts of it took together."""
    command = write_campaign(cases, where, folder)
    Store(where).close()
    empty = size_of(where)
    first = spent(*command, KILL_AT=str(cases // 2))
    second = spent(*command)
    asked = int((folder / "system.py.asked").read_text())
    found = {
        "cases": cases,
        "seconds": first[0] + second[0],
        "processor_seconds": first[1] + second[1],
        "cases_a_second": cases / (first[0] + second[0]),
        "cases_a_processor_second": cases / (first[1] + second[1]),
        "store_bytes_a_case": (size_of(where) - empty) / cases,
        "peak_memory_mb": max(first[2], second[2]),
        "asked_again_after_the_kill": cases // 2 + asked - cases,
    }
    for step, took in (("first_half", first), ("after_the_kill", second)):
        found[f"{step}_processor_seconds"] = took[1]
    return found


def looked_at(where: str, folder: Path) -> dict[str, float]:
    """Report, review and copy of a store."""
    report = spent(*CLI, "report", "--store", where, "-o", str(folder / "report.html"))
    page = spent(sys.executable, "-c", PAGE, where)
    cold, warm = map(float, page[3].split())
    copied = spent(*CLI, "store", "copy", where, str(folder / "copy.sqlite"))
    return {
        "report_processor_seconds": report[1],
        "report_memory_mb": report[2],
        "report_mb": (folder / "report.html").stat().st_size / 1e6,
        "review_first_page_ms": cold,
        "review_next_page_ms": warm,
        "copy_processor_seconds": copied[1],
        "copy_mb_a_processor_second": size_of(where) / 1e6 / copied[1],
        "copy_memory_mb": copied[2],
    }


def end_to_end(name: str, cases: int, stores: Iterator[str]) -> None:
    """Campaigns of growing size, the last with all that follows."""
    times: dict[int, float] = {}
    start = 0.0  # of both processes, as a campaign of ten cases shows it
    for size in [10, *(size for size in SIZES if size < cases), cases]:
        with tempfile.TemporaryDirectory() as folder:
            where = next(stores)
            where = where if "://" in where else str(Path(folder) / where)
            figures = measure(size, where, Path(folder))
            if not start:
                start = figures["processor_seconds"]
                continue
            times[size] = max(figures["processor_seconds"] - start, 1e-3)
            print(f"{name}: {size:,} cases in {times[size]:.1f} processor seconds", flush=True)
            if size == cases:
                figures |= looked_at(where, Path(folder))
                report = figures["report_processor_seconds"]
                figures |= {"report_of_100000_cases": report} if cases == 100_000 else {}
    figures |= {f"processor_seconds_{size}": taken for size, taken in times.items()}
    record(name, figures | {"slope": slope(times)} if len(times) > 1 else figures)


def main() -> None:
    """SQLite, or PostgreSQL where it is asked for."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    if len(sys.argv) > 2:
        with databases(sys.argv[2]) as stores:
            end_to_end("scale-postgresql", cases, stores)
    else:
        end_to_end("scale", cases, iter(lambda: "scale.sqlite", ""))


if __name__ == "__main__":
    main()
