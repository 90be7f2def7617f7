"""How a campaign speeds up with the actors of a Ray cluster: `python -m benchmarks.actors [CASES [STORE]]`.

The system sleeps 50 ms an input, so that cores are not what is short. On PostgreSQL the actors ask, judge and keep
themselves; on SQLite the driver keeps for all of them. One campaign for each number of actors, each with a store of its
own, on one cluster that is started before. The clock starts when the last of the actors gave its first answer: starting
them is Ray's.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.memory import databases
from benchmarks.results import record
from polyglitch.campaign import make_campaign
from polyglitch.flow import run

SYSTEM = """
import os, time

def answer(text):
    time.sleep(0.05)
    with open(__file__ + ".log", "a") as log:
        log.write(f"{time.time()} {os.getpid()}\\n")
    return ("positive", "negative")[int(text.rsplit(" ", 1)[1][:-1]) % 2]
"""
ACTORS = (1, 2, 4, 8)
CASES = 120  # an actor


def campaign(folder: Path, store: str, actors: int, cases: int) -> float:
    """Answers a second, once all actors are at work."""
    with (folder / "corpus.csv").open("w") as out:
        out.write("text,label\n")
        for number in range(cases):
            out.write(f"the towns pay for case {number}.,{('positive', 'negative')[number % 2]}\n")
    options = {
        "system": f"python:{folder / 'system.py'}:answer",
        "corpus": str(folder / "corpus.csv"),
        "methods": ["suite"],
        "store": store,
        "engine": "ray",
        "jobs": actors,
    }
    log = folder / "system.py.log"
    log.unlink(missing_ok=True)
    _, figures = run(make_campaign(options))
    if figures["cases"] != cases or figures["violations"]:
        raise SystemExit(f"{store}: {figures['cases']} cases, {figures['violations']} violations")
    times, first = list[float](), dict[str, float]()
    for line in log.read_text().splitlines():
        moment, process = line.split()
        times.append(float(moment))
        first.setdefault(process, times[-1])
    start = max(first.values())
    later = [moment for moment in times if moment > start]
    rate = len(later) / (max(later, default=start + 1.0) - start)
    told = f"{len(first)} processes, {len(later)} answers once all were at work"
    print(f"{actors} actors: {rate:.1f} answers a second, {told}", flush=True)
    return rate


def measure(name: str, stores: Iterator[str], cases: int, folder: Path) -> dict[str, float]:
    """Answers a second by the number of actors, and how many times as fast they are as one."""
    rates = {actors: campaign(folder, next(stores), actors, actors * cases) for actors in ACTORS}
    figures = {f"{name}_answers_a_second_{actors}": rate for actors, rate in rates.items()}
    return figures | {f"{name}_times_{actors}": rate / rates[1] for actors, rate in rates.items()}


def main() -> None:
    """PostgreSQL, then a file."""
    import ray

    cases = int(sys.argv[1]) if len(sys.argv) > 1 else CASES
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    with tempfile.TemporaryDirectory(prefix="pg-") as name, databases("postgresql") as servers:
        folder = Path(name)
        (folder / "system.py").write_text(SYSTEM)
        files = iter(lambda: str(folder / f"{time.monotonic_ns()}.sqlite"), "")
        ray.init(
            address="local",
            num_cpus=max(ACTORS),  # of sleeping, not of computing
            include_dashboard=False,
            log_to_driver=False,
            configure_logging=False,
            _temp_dir=str(folder / "ray"),
            _node_ip_address="127.0.0.1",
        )
        figures = {"cases_an_actor": float(cases)}
        for name, stores in (("postgresql", servers), ("sqlite", files)):
            if name in (sys.argv[2:] or [name]):
                figures |= measure(name, stores, cases, folder)
        ray.shutdown()
    record("actors", figures)


if __name__ == "__main__":
    main()
