"""One store, claims of the dead, a full disk, a file that cannot be written: nothing asked twice, nothing lost."""

from __future__ import annotations

import ctypes
import os
import resource
import sqlite3
import subprocess
import sys
from pathlib import Path

from benchmarks.copies import write_copies

from polyglitch.records import Input, Output
from polyglitch.run.ask import Asker
from polyglitch.store.outputs import output_key
from polyglitch.store.store import Store
from tests.conftest import ROOT
from tests.run.test_ask import Upper


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}


def intact(path: Path) -> bool:
    with sqlite3.connect(path) as connection:
        return bool(connection.execute("pragma integrity_check").fetchone()[0] == "ok")


def test_the_claims_of_a_dead_process_are_free_at_once(tmp_path: Path) -> None:
    path = str(tmp_path / "s.sqlite")
    script = (
        "import os, sys; from polyglitch.store.store import Store; store = Store(sys.argv[1]); "
        "store.claim(store.enlist(), sys.argv[2:]); os.kill(os.getpid(), 9)"
    )
    key = output_key("upper", Input("hello"))
    subprocess.run([sys.executable, "-c", script, path, key], env=environment())
    store = Store(path)
    assert list(store.claimed([key])) == [key]
    asker = Asker(Upper(), store)
    assert asker.gather(asker.submit([Input("hello")]))[key].text == "HELLO"
    asker.close()


def test_a_claim_holds_while_its_worker_lives_and_not_after(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "s.sqlite"))
    one, other = store.enlist(), store.enlist()
    assert store.claim(one, ["a", "b"]) == {"a", "b"}
    assert store.claim(other, ["b", "c"]) == {"c"}
    store.free_claims()
    assert store.claim(other, ["a"]) == set()
    store.add_answers(one, {"a": Output("A")})
    assert store.claimed(["a", "b"]) == {"b": one}
    store.dismiss(one)
    assert store.claim(other, ["b"]) == {"b"}


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
