"""One store, claims of the dead, a full disk, a file that cannot be written: nothing asked twice, nothing lost."""

from __future__ import annotations

import ctypes
import os
import resource
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from benchmarks.copies import write_copies

from polyglitch.records import Input, Output
from polyglitch.run.asking import Asker
from polyglitch.store.leases import NotListed
from polyglitch.store.outputs import output_key
from polyglitch.store.store import Store
from tests.conftest import ROOT
from tests.run.test_ask import Upper

pytestmark = pytest.mark.slow


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}


def intact(path: Path) -> bool:
    with sqlite3.connect(path) as connection:
        return bool(connection.execute("pragma integrity_check").fetchone()[0] == "ok")


def test_the_claims_of_a_dead_process_are_free_at_once(tmp_path: Path) -> None:
    path = str(tmp_path / "s.sqlite")
    script = (
        "import os, sys; from polyglitch.store.store import Store; store = Store(sys.argv[1]); "
        "store.leases.claim(store.leases.enlist(), sys.argv[2:]); os.kill(os.getpid(), 9)"
    )
    key = output_key("upper", Input("hello"))
    subprocess.run([sys.executable, "-c", script, path, key], env=environment())
    store = Store(path)
    assert list(store.leases.claimed([key])) == [key]
    asker = Asker(Upper(), store)
    assert asker.gather(asker.submit([Input("hello")]))[key].text == "HELLO"
    asker.close()


def test_a_claim_holds_while_its_worker_lives_and_not_after(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "s.sqlite"))
    one, other = store.leases.enlist(), store.leases.enlist()
    assert store.leases.claim(one, ["a", "b"]) == {"a", "b"}
    assert store.leases.claim(other, ["b", "c"]) == {"c"}
    store.leases.free_claims()
    assert store.leases.claim(other, ["a"]) == set()
    store.leases.add_answers(one, {"a": Output("A")})
    assert store.leases.claimed(["a", "b"]) == {"b": one}
    store.leases.dismiss(one)
    assert store.leases.claim(other, ["b"]) == {"b"}


def test_a_claim_whose_worker_is_not_listed_holds_nobody_up(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "s.sqlite"))
    gone, other = store.leases.enlist(), store.leases.enlist()
    assert store.leases.claim(gone, ["a", "b"]) == {"a", "b"}
    with sqlite3.connect(tmp_path / "s.sqlite") as connection:  # as an interrupted process left it
        connection.execute("delete from workers where id = ?", [gone])
    assert store.leases.claimed(["a", "b"]) == {}
    assert store.leases.claim(other, ["a"]) == {"a"}
    store.leases.free_claims()
    assert store.leases.claimed(["a", "b"]) == {"a": other}


def test_a_worker_that_ended_claims_nothing_any_more(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "s.sqlite"))
    ended, other = store.leases.enlist(), store.leases.enlist()
    store.leases.dismiss(ended)
    with pytest.raises(NotListed):
        store.leases.claim(ended, ["a"])
    with pytest.raises(NotListed):
        store.leases.beat(ended)
    assert store.leases.claim(other, ["a"]) == {"a"}


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


def test_after_a_long_sleep_a_worker_that_was_given_up_goes_on_under_a_new_name(
    tmp_path: Path,
) -> None:
    store = Store(str(tmp_path / "s.sqlite"))
    asker = Asker(Upper(), store)
    before = asker._listed
    store.leases.dismiss(before)  # what another process does after a minute of silence
    found = asker.gather(asker.submit([Input("hello")]))
    assert found[asker.key(Input("hello"))].text == "HELLO"
    assert asker._listed != before
    asker.close()
    with sqlite3.connect(tmp_path / "s.sqlite") as connection:
        assert connection.execute("select count(*) from workers").fetchone() == (0,)
        assert connection.execute("select count(*) from claims").fetchone() == (0,)


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
