"""Limits hold over all processes of a run and after a kill, and no service can count them away."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from benchmarks.fault_server import fault_server

from polyglitch.errors import LimitReached
from polyglitch.records import Input
from polyglitch.store.store import Store
from polyglitch.systems.spending import Limits, Meter, Spent
from polyglitch.tools import open_system
from tests.conftest import ROOT
from tests.systems.http.recorder import recorder

LIMIT = 3000
SEEDS = [f"The old bridge number {number} fell into the water." for number in range(100)]


def start(folder: Path, base: str) -> subprocess.Popen[str]:
    """A run under a limit of characters, as a user starts it."""
    options = ["run", "--system", f"libretranslate:en-es@{base}", "--corpus", "seeds.txt"]
    options += ["--method", "relations", "--param", "relations.relations=swap-letters", "-q"]
    options += ["--store", "s.sqlite", "--max-chars", str(LIMIT)]
    return subprocess.Popen(
        [sys.executable, "-m", "polyglitch", *options],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def sent(folder: Path) -> int:
    """The characters that the service was sent."""
    log = folder / "asked.jsonl"
    lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    return sum(len(line["text"]) for line in lines if line["how"] == "asked")


@pytest.mark.slow
def test_three_processes_and_a_kill_keep_to_one_limit(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("\n".join(SEEDS) + "\n")
    with fault_server("--log", str(tmp_path / "asked.jsonl")) as base:
        killed, *others = [start(tmp_path, base) for _ in range(3)]
        while not sent(tmp_path):
            assert killed.poll() in (None, 4)
            time.sleep(0.01)
        killed.send_signal(signal.SIGKILL)
        for process in (killed, *others):
            said = process.communicate(timeout=200)[1]
            assert process.returncode in (4, -signal.SIGKILL), said
        again = start(tmp_path, base)
        assert "of at most 3,000 characters" in again.communicate(timeout=200)[1]
    assert 0 < sent(tmp_path) <= LIMIT


def test_what_one_process_set_aside_another_cannot_spend(where: str) -> None:
    stores = [Store(where), Store(where)]
    meters = [Meter(Limits(max_chars=100)) for _ in stores]
    accounts = [
        store.leases.account("run", meter) for store, meter in zip(stores, meters, strict=True)
    ]
    prices = {key: Spent(1, 30, 0.0) for key in "abcdef"}
    first = stores[0].leases.claim(stores[0].leases.grant(), list("abc"), accounts[0], prices)
    assert first.mine == {"a", "b", "c"}
    token = stores[1].leases.grant()
    second = stores[1].leases.claim(token, list("def"), accounts[1], prices)
    assert (second.mine, second.unpaid) == (set(), {"d", "e", "f"})
    assert "has sent 90 of at most 100" in str(second.refusal)
    assert stores[1].leases.claimed(list("def")) == {}, "what is not paid for is not claimed"
    with pytest.raises(LimitReached):
        meters[1].reserve(11)
    meters[0].settle(meters[0].reserve(30), billed=True)
    stores[0].leases.end(1, accounts[0])  # it sent one of three and lets go of the others
    third = stores[1].leases.claim(token, list("def"), accounts[1], prices)
    assert len(third.mine) == 2
    assert stores[0].leases.spent("run").characters == 90
    for store in stores:
        store.close()


READ, WRITTEN = "prompt_tokens", "completion_tokens"


@pytest.mark.slow
@pytest.mark.parametrize(
    "usage",
    [
        {READ: -1_000_000, WRITTEN: 5},
        {READ: 50, WRITTEN: -1_000_000},
        {READ: 10**400, WRITTEN: 10**400},
        {READ: 0, WRITTEN: 0},
        {READ: 50},
        {READ: "many", WRITTEN: None},
        {READ: True, WRITTEN: 1.5},
        {},
    ],
)
def test_counts_that_cannot_be_neither_lower_nor_break_the_cost(usage: dict[str, Any]) -> None:
    reply = {"choices": [{"message": {"content": "a word " * 20}}], "usage": usage}
    limits = Limits(price="2/10", max_cost=1.0)
    meter = Meter(limits)
    with recorder(lambda _: (200, reply)) as server:
        system: Any = open_system(f"openai:m@{server.base}")
        system.limit(limits, meter)
        [output] = system.ask([Input("hello " * 20)])
        system.close()
    assert output.ok
    expected = system.expected(Input("hello " * 20)).cost
    assert math.isfinite(meter.now.cost) and meter.now.cost == pytest.approx(expected)
    assert "cannot be; the cost is reckoned by what was sent" in meter.remark


def test_counts_that_can_be_are_taken() -> None:
    meter = Meter(Limits(price="2/10"))
    meter.settle(meter.reserve(400, 100), billed=True, tokens=(90, 12), written=50)
    assert meter.now.cost == pytest.approx((2 * 90 + 10 * 12) / 1e6)
    assert not meter.remark
