"""Faults survived, counted: a campaign against a server that fails 30% of its calls in nine ways, killed ten times.

Shown at the end: every case has exactly one verdict, none is lost, nothing was asked again after its answer was in the
store, no redirect was followed, and the figures are those of a campaign without faults.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.copies import CASES_A_SEED, write_copies
from benchmarks.fault_server import FAULTS, fault_server
from benchmarks.results import record
from polyglitch.records import Input
from polyglitch.store.cases import output_key

SHARE, KILLS, CASES = 0.3, 10, 2_000
TOGETHER = 2  # texts a request, so that a wrong count can go either way
SOURCE = "en"
SAME = ("seeds", "cases", "violations", "undecided", "errors", "issues")


def start(folder: Path, base: str, store: str) -> subprocess.Popen[bytes]:
    """The campaign as a user starts it."""
    system = f"libretranslate:{SOURCE}-es@{base}?together={TOGETHER}"
    arguments = ["run", "--system", system, "--corpus", "seeds.txt", "--method", "copies"]
    # With 30% of the calls failing, one of 2,000 questions fails 9 times in a row by bad luck alone.
    arguments += ["--store", store, "--timeout", "2", "--retries", "16", "--json", "-j", "32"]
    path = os.pathsep.join([str(folder), *filter(None, sys.path)])
    return subprocess.Popen(
        [sys.executable, "-m", "polyglitch", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": path},
        start_new_session=True,
        stdout=subprocess.PIPE,
    )


def stored(store: Path) -> set[str]:
    """The keys of the outputs in a store."""
    if not store.exists():
        return set()
    try:
        with sqlite3.connect(store, timeout=30) as connection:
            return {row[0] for row in connection.execute("select key from outputs")}
    except sqlite3.OperationalError:  # not made yet
        return set()


def verdicts(store: Path) -> list[tuple[Any, ...]]:
    """Everything that was said of every case."""
    with sqlite3.connect(store, timeout=30) as connection:
        query = 'select method, "case", outcome, severity, record from verdicts'
        return sorted(connection.execute(query))


def lines(log: Path) -> list[dict[str, str]]:
    """What the server wrote down."""
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def kill_at(
    folder: Path, base: str, store: Path, aim: int, chance: random.Random
) -> subprocess.Popen[bytes]:
    """Start, and kill when about so many outputs are stored."""
    process = start(folder, base, store.name)
    while process.poll() is None and len(stored(store)) < aim:
        time.sleep(chance.uniform(0.01, 0.1))
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return process


def chaos(folder: Path, cases: int, kills: int, share: float = SHARE) -> dict[str, Any]:
    """Run with faults and kills, and again without either; what there is to show."""
    write_copies(folder, cases)
    chance = random.Random(5)
    log, store, plain = folder / "asked.jsonl", folder / "chaos.sqlite", folder / "plain.sqlite"
    inputs = cases + cases // CASES_A_SEED
    killed = 0
    marks: list[tuple[int, set[str]]] = []  # at each death: lines of the log, and what was stored
    with fault_server("--share", str(share), "--log", str(log), "--seed", "3") as base:
        for number in range(kills):
            aim = int(inputs * (number + chance.random()) / (kills + 1))
            killed += kill_at(folder, base, store, aim, chance).returncode == -signal.SIGKILL
            marks.append((len(lines(log)), stored(store)))
        started = time.perf_counter()
        figures = json.loads(start(folder, base, store.name).communicate()[0])
        seconds = time.perf_counter() - started
        signature = f"libretranslate:{SOURCE}-es@{base}"
    with fault_server() as base:
        undisturbed = json.loads(start(folder, base, plain.name).communicate()[0])
    asked = lines(log)
    return {
        "cases": cases,
        "killed": killed,
        **counted(asked),
        "cases_with_one_verdict": sum(
            n == 1 for n in Counter(v[1] for v in verdicts(store)).values()
        ),
        "cases_lost": cases - len(verdicts(store)),
        "asked_again_after_stored": sum(asked_after(asked, signature, *mark) for mark in marks),
        "redirects_followed": sum(line["how"] == "redirected" for line in asked),
        "errors": figures["errors"],
        "violations": figures["violations"],
        "violations_without_faults": undisturbed["violations"],
        "same_figures": all(figures[name] == undisturbed[name] for name in SAME),
        "same_verdicts": verdicts(store) == verdicts(plain),
        "seconds_after_last_kill": seconds,
    }


def counted(asked: list[dict[str, str]]) -> dict[str, Any]:
    """Calls and faults of each kind, as the server saw them."""
    faults = Counter(line["how"] for line in asked if line["how"] in FAULTS)
    answered = sum(line["how"] == "answered" for line in asked)
    total = sum(line["how"] in ("asked", *FAULTS) for line in asked)
    return {
        "texts_asked": total,
        "texts_answered": answered,
        "share_failed": sum(faults.values()) / total,
        "faults": dict(sorted(faults.items())),
    }


def asked_after(asked: list[dict[str, str]], signature: str, position: int, known: set[str]) -> int:
    """How many texts were asked after a moment at which their answers were in the store."""
    return sum(
        output_key(signature, Input(line["text"], language=language)) in known
        for line in asked[position:]
        for language in (SOURCE, None)  # seeds know theirs, what was made of them does not
        if line["how"] in ("asked", *FAULTS)
    )


def main() -> None:
    """The whole of it, in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        record("chaos", chaos(Path(name), CASES, KILLS))


if __name__ == "__main__":
    main()
