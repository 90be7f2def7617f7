"""A campaign whose cases are settled by workers, without a cluster: the same results, lost workers, limits of cost."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from benchmarks.fault_server import fault_server

from polyglitch.campaign import Campaign, make_campaign
from polyglitch.errors import LeaseLost, LimitReached, SystemFailed
from polyglitch.flow import Flow, run
from polyglitch.records import Case
from polyglitch.run.method_actor import opened
from polyglitch.run.plan import LocalEngine
from polyglitch.run.ray_actors import Worker
from polyglitch.run.workers import Foreman, Settled, WorkerLost
from polyglitch.store.store import Store

SYSTEM = "def shout(text):\n    return text.upper().replace('7', 'SEVEN')\n"
WORKERS = 3


class Crew(LocalEngine):
    """Workers in threads of this process, in the place of a cluster; some calls are lost before or after work."""

    def __init__(self, campaign: Campaign, lost: tuple[int, ...] = ()) -> None:
        raw = msgspec.json.encode(campaign)
        self.workers = [Worker(raw, WORKERS) for _ in range(WORKERS)]
        self.calls, self.lost, self.permits = 0, lost, list[int]()

    def foreman(self, run: str, store: Store, languages: Any) -> Any:
        turn = cycle(self.workers)

        def send(method: str, cases: list[Case], permit: int) -> Settled:
            self.calls += 1
            number = self.calls
            self.permits.append(permit)
            worker = next(turn)
            if number in self.lost and number % 2:
                raise WorkerLost
            reply = worker.settle(run, languages, method, msgspec.json.encode(cases), permit)
            if number in self.lost:
                raise WorkerLost
            found: Settled = opened(reply, Settled)
            return found

        return Foreman(store, send, WORKERS)

    def close(self) -> None:
        for worker in self.workers:
            worker.end()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [f"The old bridge number {n} fell into the water.\n" for n in range(60)]
    (tmp_path / "seeds.txt").write_text("".join(lines))
    (tmp_path / "shout.py").write_text(SYSTEM)
    return tmp_path


def campaign(store: str, **more: Any) -> Campaign:
    options = {
        "system": "python:shout.py:shout",
        "corpus": "seeds.txt",
        "methods": ["relations"],
        "parameters": {"relations": {"relations": ["swap-letters"]}},
        "store": store,
        "source_language": "en",
    }
    return make_campaign(options | more)


def content(where: str, run_id: str) -> list[Any]:
    store = Store(where)
    try:
        return [store.verdicts.get(run_id, "relations"), list(store.verdicts.issues(run_id))]
    finally:
        store.close()


@pytest.mark.slow
def test_workers_come_to_the_same(folder: Path, where: str) -> None:
    alone, figures = run(campaign("alone.sqlite"))
    wanted = campaign(where)
    crew = Crew(wanted, lost=(2, 3, 5))
    with (
        patch("polyglitch.flow.open_engine", lambda _: crew),
        patch.object(Flow, "keep_verdicts", side_effect=AssertionError("the driver keeps none")),
    ):
        run_id, again = run(wanted)
    assert run_id == alone and crew.calls > 5
    counts = ("seeds", "cases", "violations", "undecided", "issues")
    assert [again[name] for name in counts] == [figures[name] for name in counts]
    assert content(where, run_id) == content("alone.sqlite", alone)
    assert again["queries"] <= figures["queries"]  # what a lost worker asked it did not tell
    store = Store(where)
    with store.database.engine.connect() as connection:
        for table in ("claims", "leases"):
            assert connection.exec_driver_sql(f"select count(*) from {table}").scalar() == 0, table
    store.close()
    late = crew.workers[0].settle(run_id, ("en", None), "relations", b"[]", crew.permits[0])
    with pytest.raises(LeaseLost):
        opened(late, Settled)


def test_a_worker_that_fails_ends_the_run(folder: Path, where: str) -> None:
    wanted = campaign(where)
    crew = Crew(wanted)
    with (
        patch("polyglitch.flow.open_engine", lambda _: crew),
        patch.object(Worker, "_start", side_effect=SystemFailed("no server")),
        pytest.raises(SystemFailed, match="no server"),
    ):
        run(wanted)


@pytest.fixture
def server(folder: Path) -> Iterator[str]:
    with fault_server("--log", str(folder / "asked.jsonl")) as base:
        yield base


@pytest.mark.slow
def test_workers_share_a_limit(folder: Path, where: str, server: str) -> None:
    wanted = campaign(where, system=f"libretranslate:en-es@{server}?together=4", max_chars=1500)
    crew = Crew(wanted)
    with (
        patch("polyglitch.flow.open_engine", lambda _: crew),
        pytest.raises(LimitReached, match="of at most 1,500 characters"),
    ):
        run(wanted)
    store = Store(where)
    (row,) = store.runs.rows()
    assert 1000 < row["figures"]["characters"] <= 1500 and row["figures"]["unasked"]
    assert store.leases.spent(row["id"]).characters <= 1500
    store.close()
