"""Several processes on one store, one of them killed: everything is answered, and nothing asked twice but what died."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import Future
from pathlib import Path

import pytest

from polyglitch.records import Input, Output
from polyglitch.run.threads import ClaimedAnswers
from polyglitch.store.cases import output_key
from polyglitch.store.store import Store
from tests.conftest import ROOT

pytestmark = pytest.mark.slow

COUNT, BATCH, JOBS = 600, 4, 2

# Asks all texts in an order of its own and writes down which it was asked.
WORKER = f"""
import os, random, sys, time
from polyglitch.records import Input, Output
from polyglitch.run.asking import Asker
from polyglitch.store.store import Store

where, log, number = sys.argv[1:]

class Upper:
    languages, signature, batch_size, parallel = (None, None), "upper", {BATCH}, {JOBS}

    def ask(self, inputs):
        line = "".join(f"{{number}} {{item.text}}\\n" for item in inputs)
        with open(log, "a") as out:
            out.write(line)
        time.sleep(0.02)
        return [Output(item.text.upper()) for item in inputs]

    def close(self): ...

store = Store(where)
asker = Asker(Upper(), store)
texts = [f"text {{n}}" for n in range({COUNT})]
random.Random(int(number)).shuffle(texts)
for start in range(0, {COUNT}, 40):
    some = [Input(text) for text in texts[start:start + 40]]
    answers = asker.gather(asker.submit(some))
    assert [answers[asker.key(i)].text for i in some] == [i.text.upper() for i in some]
asker.close()
print(asker.queries)
"""


def start(where: str, log: Path, number: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WORKER, where, str(log), str(number)]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def lines(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


def test_three_processes_one_killed(where: str, tmp_path: Path) -> None:
    log = tmp_path / "asked.txt"
    workers = [start(where, log, number) for number in range(3)]
    while sum(line.startswith("0 ") for line in lines(log)) < 40:
        assert workers[0].poll() is None
        time.sleep(0.01)
    workers[0].send_signal(signal.SIGKILL)
    counts = [int(worker.communicate(timeout=120)[0] or 0) for worker in workers]
    assert [worker.returncode for worker in workers] == [-signal.SIGKILL, 0, 0]
    asked = Counter(line.partition(" ")[2] for line in lines(log))
    assert len(asked) == COUNT and min(counts[1:]) > 0
    twice = {text for text, count in asked.items() if count > 1}
    by_killed = {line.partition(" ")[2] for line in lines(log) if line.startswith("0 ")}
    # Of a quick system answers are kept a quarter of a second at a time: that much may be asked again.
    assert twice <= by_killed and len(twice) < len(by_killed), "only what died unanswered"
    store = Store(where)
    keys = [output_key("upper", Input(text)) for text in asked]
    assert len(store.outputs.get(keys)) == COUNT
    assert not store.leases.claimed(keys), "an answer ends its claim"
    store.close()


def test_a_store_that_fails_is_told_to_whoever_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(str(tmp_path / "s.sqlite"))
    key, item = output_key("upper", Input("hello")), Input("hello")
    store.leases.claim(store.leases.grant(), [key])  # somebody else asks it, and lives

    def gone(_: object) -> None:
        raise OSError("disk I/O error")

    monkeypatch.setattr(store.leases, "claimed", gone)
    elsewhere = ClaimedAnswers(store, lambda *_: None)
    for _ in range(2):  # the first failure must not leave a second wait without a thread
        future: Future[dict[str, Output]] = Future()
        elsewhere.wait({key: item}, {}, future)
        with pytest.raises(OSError, match="disk"):
            future.result(timeout=20)
    store.close()
