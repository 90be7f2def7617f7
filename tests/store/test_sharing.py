"""One store, claims of the dead, a full disk, a file that cannot be written: nothing asked twice, nothing lost."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from benchmarks.copies import write_copies
from sqlalchemy import event

from polyglitch.errors import LeaseLost
from polyglitch.records import Input, Output
from polyglitch.run.asking import Asker
from polyglitch.store.cases import output_key
from polyglitch.store.store import Store
from polyglitch.systems.spending import Spent
from tests.conftest import ROOT
from tests.postgres import Server
from tests.run.test_ask import Upper

pytestmark = pytest.mark.slow


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}


def intact(path: Path) -> bool:
    with sqlite3.connect(path) as connection:
        return bool(connection.execute("pragma integrity_check").fetchone()[0] == "ok")


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_what_a_dead_process_claimed_is_asked_after_its_lease(tmp_path: Path) -> None:
    path = str(tmp_path / "s.sqlite")
    script = (
        "import os, sys; from polyglitch.store.store import Store; store = Store(sys.argv[1], lease=1.0); "
        "store.leases.claim(store.leases.grant(), sys.argv[2:]); os.kill(os.getpid(), 9)"
    )
    key = output_key("upper", Input("hello"))
    subprocess.run([sys.executable, "-c", script, path, key], env=environment())
    store = Store(path)
    asker = Asker(Upper(), store)
    assert asker.gather(asker.submit([Input("hello")]))[key].text == "HELLO"
    asker.close()


def test_a_claim_holds_while_its_lease_lives_and_not_after(where: str) -> None:
    store = Store(where)
    one, other = store.leases.grant(), store.leases.grant()
    assert store.leases.claim(one, ["a", "b"]).mine == {"a", "b"}
    assert store.leases.claim(other, ["b", "c"]).mine == {"c"}
    store.leases.add_answers(one, {"a": Output("A")})
    assert store.leases.claimed(["a", "b"]) == {"b": one}
    assert store.leases.claim(other, ["a"]).mine == set(), "it is answered"
    store.leases.end(one)
    assert store.leases.claim(other, ["b"]).mine == {"b"}
    store.close()


def test_a_lease_that_expired_has_no_claims_and_gets_none(where: str) -> None:
    clock = Clock()
    store = Store(where, clock, lease=10.0)
    asleep, other = store.leases.grant(), store.leases.grant()
    store.leases.claim(asleep, ["a", "b"])
    clock.now += 8
    store.leases.renew(other)
    assert store.leases.claim(other, ["a"]).mine == set()
    clock.now += 3
    assert store.leases.claimed(["a", "b"]) == {}
    assert store.leases.claim(other, ["a"]).mine == {"a"}
    for late in (store.leases.renew, lambda token: store.leases.claim(token, ["c"])):
        with pytest.raises(LeaseLost):
            late(asleep)
    assert store.leases.grant() > other, "a token is never given twice"
    store.close()


def test_an_answer_under_an_expired_lease_is_kept_once_at_most(where: str) -> None:
    clock = Clock()
    store = Store(where, clock, lease=10.0)
    asleep = store.leases.grant()
    store.leases.claim(asleep, ["a", "b", "c"])
    clock.now += 11
    other = store.leases.grant()
    assert store.leases.claim(other, ["a", "b"]).mine == {"a", "b"}
    store.leases.add_answers(other, {"b": Output("of the other")})
    late = {key: Output("late") for key in "abc"}
    kept = store.leases.add_answers(asleep, late)
    assert {key: output.text for key, output in kept.items()} == {"b": "of the other", "c": "late"}
    assert store.leases.claimed(["a"]) == {"a": other}, "the later claim stands"
    assert store.leases.add_answers(other, {"a": Output("of the other")}).keys() == {"a"}
    texts = {key: output.text for key, output in store.outputs.get(list("abc")).items()}
    assert texts == {"a": "of the other", "b": "of the other", "c": "late"}
    store.close()


def test_a_server_has_the_one_clock(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(postgres.new_database())
    token = store.leases.grant()
    monkeypatch.setattr("polyglitch.store.leases.time.time", lambda: time.monotonic() + 1e12)
    assert store.leases.claim(token, ["a"]).mine == {"a"}, "however wrong the clock of this machine"
    store.close()


def test_closing_in_the_middle_leaves_no_claim_behind(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "s.sqlite"))

    class Slow(Upper):
        parallel, batch_size = 8, 4

        def ask(self, inputs: Sequence[Input]) -> Sequence[Output]:
            time.sleep(0.01)
            return super().ask(inputs)

    inputs = [Input(f"text {n}") for n in range(400)]
    for moment in range(8):
        asker = Asker(Slow(), store)
        asker.submit(inputs[: 50 * (moment + 1)])
        time.sleep(0.02 * moment)
        asker.close()
        time.sleep(0.1)  # whatever its threads still do
        assert store.leases.claimed([asker.key(item) for item in inputs]) == {}
    asker = Asker(Upper(), store)
    waited = [future.result(timeout=60) for future in asker.submit(inputs)]
    assert sum(map(len, waited)) >= 400
    asker.close()


def test_after_a_long_sleep_a_worker_goes_on_under_a_new_lease(
    tmp_path: Path,
) -> None:
    store = Store(str(tmp_path / "s.sqlite"))
    asker = Asker(Upper(), store)
    before = asker._lease
    store.leases.end(before)  # as good as expired
    found = asker.gather(asker.submit([Input("hello")]))
    assert found[asker.key(Input("hello"))].text == "HELLO"
    assert asker._lease > before
    asker.close()
    with sqlite3.connect(tmp_path / "s.sqlite") as connection:
        assert connection.execute("select count(*) from leases").fetchone() == (0,)
        assert connection.execute("select count(*) from claims").fetchone() == (0,)


def test_a_store_of_the_version_before_is_read_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    store = Store(str(path))
    store.outputs.add({"k": Output("kept")})
    store.close()
    with sqlite3.connect(path) as connection:  # as version 2 left it in the middle of a run
        connection.executescript(
            "drop table leases; drop table claims; drop table spending;"
            "create table workers (id varchar(32) primary key, host varchar(128), pid integer, beat float);"
            "create table claims (key varchar(32) primary key, worker varchar(32));"
            "create index claims_of_worker on claims (worker);"
            "create table spending (run varchar(32), worker varchar(32), requests integer not null,"
            " characters integer not null, cost float not null, primary key (run, worker));"
            "insert into workers values ('w', 'h', 1, 0); insert into claims values ('a', 'w');"
            "insert into spending values ('r', 'w', 3, 40, 0.5);"
            "update about set value = '2' where key = 'schema'"
        )
    again = Store(str(path))
    assert again.outputs.get(["k"])["k"].text == "kept"
    assert again.leases.spent("r") == Spent(3, 40, 0.5)
    assert again.leases.claim(again.leases.grant(), ["a"]).mine == {"a"}
    again.close()


def test_ctrl_c_in_the_middle_of_a_statement_is_no_failing_disk(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "s.sqlite"))

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    event.listen(store.database.engine, "do_execute", interrupt)
    with pytest.raises(KeyboardInterrupt):
        store.outputs.get(["k"])


def test_ctrl_c_waits_for_the_end_of_a_transaction(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    path = str(tmp_path / "s.sqlite")
    store, other = Store(path), Store(path)

    def interrupt(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    event.listen(store.database.engine, "after_cursor_execute", interrupt, once=True)
    with pytest.raises(KeyboardInterrupt) as interrupted:
        store.outputs.add({"k": Output("kept")})
    started = time.monotonic()
    other.outputs.add({"l": Output("kept too")})  # while what was interrupted is still in hand
    assert time.monotonic() - started < 10, "nobody holds the lock"
    assert set(other.outputs.get(["k", "l"])) == {"k", "l"}
    assert interrupted.value is not None
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


PR_CAPBSET_DROP = 24
CAMPAIGN = ["run", "--system", "cmd-once:cat", "--corpus", "seeds.txt", "--method", "copies", "-q"]


def polyglitch(folder: Path, *more: str, **how: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "polyglitch", *CAMPAIGN, *more],
        cwd=folder,
        env=environment() | {"PYTHONPATH": os.pathsep.join([str(folder), str(ROOT / "src")])},
        capture_output=True,
        text=True,
        timeout=200,
        **how,  # type: ignore[call-overload]
    )


def test_a_full_disk_is_said_and_leaves_an_intact_store_that_goes_on(tmp_path: Path) -> None:
    write_copies(tmp_path, 1000)

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

    full = polyglitch(tmp_path, "--store", "s.sqlite", preexec_fn=little_room)
    assert full.returncode == 3, full.stderr
    assert "cannot be used" in full.stderr
    assert "disk" in full.stderr
    assert "Traceback" not in full.stderr
    assert intact(tmp_path / "s.sqlite")
    assert polyglitch(tmp_path, "--store", "s.sqlite").returncode == 0


def obey_permissions() -> None:
    """Root may write whatever it likes: give that up (CAP_DAC_OVERRIDE) for what is started next."""
    if os.geteuid() == 0 and ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, 1, 0, 0, 0):
        raise OSError("this root cannot give up its rights")


def test_a_store_that_cannot_be_written_is_said_and_left_alone(tmp_path: Path) -> None:
    write_copies(tmp_path, 100)
    assert polyglitch(tmp_path, "--store", "s.sqlite", "--limit", "2").returncode == 0
    path = tmp_path / "s.sqlite"
    before = path.read_bytes()
    path.chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        refused = polyglitch(tmp_path, "--store", "s.sqlite", preexec_fn=obey_permissions)
    finally:
        tmp_path.chmod(0o755)
    assert refused.returncode == 3, refused.stderr
    assert "cannot be used" in refused.stderr
    assert "readonly" in refused.stderr or "unable to open" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert path.read_bytes() == before
