"""Runs that are interrupted, put to sleep, or lose their server in the middle go on and end as if nothing had been."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmarks.copies import write_copies

from polyglitch.store.store import Store
from tests.conftest import ROOT
from tests.postgres import programs, running

CASES, INPUTS = 200, 220
MOMENTS = (1, 20, 45, 75, 105, 135, 165, 200)  # outputs that are in the store at the interrupt
SAME = ("seeds", "cases", "violations", "undecided", "errors", "issues")

# The command line, with a lease that is short enough to be waited for.
SHORT_LEASE = """
import sys
from functools import partial
from polyglitch import flow
from polyglitch.cli.main import main
from polyglitch.store.store import Store
flow.Store = partial(Store, lease=1.5)
main(sys.argv[1:])
"""
SLOW = """
import sys, time
for line in sys.stdin:
    with open("asked.txt", "a") as log:
        log.write(line)
    time.sleep(0.01)
    words = line.split()
    print(" ".join(words[:4] if "river" in words and len(words) > 10 else words), flush=True)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_copies(tmp_path, CASES)
    (tmp_path / "slow.py").write_text(SLOW)
    return tmp_path


def start(folder: Path, store: str, *program: str) -> subprocess.Popen[str]:
    """The campaign as a user starts it, in a session of its own."""
    arguments = ["run", "--system", f"cmd:{sys.executable} slow.py", "--corpus", "seeds.txt"]
    arguments += ["--method", "copies", "--store", store, "--json", "-q"]
    return subprocess.Popen(
        [sys.executable, *(program or ("-m", "polyglitch")), *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{folder}"},
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def figures(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What a run that ended well says of itself."""
    out, err = process.communicate(timeout=200)
    assert process.returncode == 0, err
    found = json.loads(out)
    return {name: found[name] for name in SAME}


def wait_for(process: subprocess.Popen[str], count: Callable[[], int], aim: int) -> None:
    """Until so many outputs are kept."""
    ends = time.monotonic() + 120
    while count() < aim:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < ends, f"{count()} of {aim} outputs"
        time.sleep(0.01)


def outputs(path: Path) -> int:
    """How many outputs a file holds."""
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30) as connection:
            return int(connection.execute("select count(*) from outputs").fetchone()[0])
    except sqlite3.OperationalError:  # not made yet
        return 0


def verdicts(store: Store) -> list[tuple[Any, ...]]:
    """Everything that was said of every case."""
    with store.database.engine.connect() as connection:
        query = 'select method, "case", outcome, severity, record from verdicts order by 1, 2'
        return [tuple(row) for row in connection.exec_driver_sql(query)]


def left_behind(store: Store) -> tuple[int, int]:
    """Leases and claims that are still there."""
    with store.database.engine.connect() as connection:
        counts = [
            connection.exec_driver_sql(f"select count(*) from {name}").scalar_one()
            for name in ("leases", "claims")
        ]
    return counts[0], counts[1]


def undisturbed(folder: Path) -> tuple[dict[str, Any], list[tuple[Any, ...]]]:
    """Figures and verdicts of a run that nothing happened to."""
    found = figures(start(folder, "undisturbed.sqlite"))
    assert found["cases"] == CASES and found["violations"] > 0
    return found, verdicts(Store(str(folder / "undisturbed.sqlite")))


@pytest.mark.slow
def test_eight_runs_interrupted_at_different_moments_go_on(folder: Path) -> None:
    wanted, said = undisturbed(folder)
    for moment in MOMENTS:
        path = folder / f"{moment}.sqlite"
        process = start(folder, path.name)
        wait_for(process, lambda path=path: outputs(path), moment)  # type: ignore[misc]
        os.killpg(process.pid, signal.SIGINT)
        last_words = process.communicate(timeout=60)[1]
        assert process.returncode == 130, last_words
        assert left_behind(Store(str(path))) == (0, 0), "nobody has to wait for who ended"
    again = [start(folder, f"{moment}.sqlite") for moment in MOMENTS]
    assert [figures(process) for process in again] == [wanted] * len(MOMENTS)
    for moment in MOMENTS:
        assert verdicts(Store(str(folder / f"{moment}.sqlite"))) == said


def stop_between_writes(process: subprocess.Popen[str], path: Path) -> None:
    """Send it to sleep when it holds no lock: who sleeps on the lock keeps all others from writing."""
    for _ in range(200):
        os.kill(process.pid, signal.SIGSTOP)
        with contextlib.closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other:
            try:
                other.execute("BEGIN IMMEDIATE")
                other.execute("ROLLBACK")
                return
            except sqlite3.OperationalError:
                os.kill(process.pid, signal.SIGCONT)
                time.sleep(0.01)
    raise AssertionError("it writes all the time")


@pytest.mark.slow
def test_a_run_that_sleeps_past_its_lease_goes_on_beside_another(folder: Path) -> None:
    wanted, said = undisturbed(folder)
    (folder / "asked.txt").unlink()
    path = folder / "shared.sqlite"
    asleep = start(folder, path.name, "-c", SHORT_LEASE)
    wait_for(asleep, lambda: outputs(path), 30)
    stop_between_writes(asleep, path)
    try:
        time.sleep(2.0)
        assert figures(start(folder, path.name, "-c", SHORT_LEASE)) == wanted
    finally:
        os.kill(asleep.pid, signal.SIGCONT)
    assert figures(asleep) == wanted
    assert verdicts(Store(str(path))) == said
    assert left_behind(Store(str(path))) == (0, 0)
    asked = Counter((folder / "asked.txt").read_text().splitlines())
    assert len(asked) == INPUTS
    twice = [text for text, count in asked.items() if count > 1]
    assert max(asked.values()) <= 2 and len(twice) <= 64, "only what was in hand"


@pytest.mark.slow
@pytest.mark.needs("psycopg")
def test_a_server_that_restarts_in_the_middle_is_waited_for(folder: Path) -> None:
    binaries = programs()
    if binaries is None:
        pytest.skip("no PostgreSQL server: apt-get install postgresql (make test does, as root)")
    wanted, said = undisturbed(folder)
    (folder / "asked.txt").unlink()
    with running(binaries) as server:
        where = server.new_database()
        process = start(folder, where)
        asked = folder / "asked.txt"
        for aim in (30, 120):
            wait_for(
                process, lambda: len(asked.read_text().split("\n")) if asked.exists() else 0, aim
            )
            server.restart()
            assert process.poll() is None, process.communicate()
        assert figures(process) == wanted
        store = Store(where)
        assert verdicts(store) == said
        assert left_behind(store) == (0, 0)
        store.close()
    assert set(Counter(asked.read_text().splitlines()).values()) == {1}, "nothing asked twice"
