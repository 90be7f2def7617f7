"""The file of a store: the one that was named, private, readable where it cannot be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyglitch.errors import SystemFailed, UsageError
from polyglitch.records import Input, Output
from polyglitch.store import store as stores
from polyglitch.store.cases import output_key
from polyglitch.store.store import Store, shown

KEY = output_key("m", Input("x"))


@pytest.mark.parametrize(
    "name", ["a?b.sqlite", "a%20b.sqlite", "a#b.sqlite", "a b.sqlite", "ä&c=d"]
)
def test_a_store_is_the_file_that_was_named(tmp_path: Path, name: str) -> None:
    for _ in range(2):  # made, then opened again
        store = Store(str(tmp_path / name))
        store.outputs.add({KEY: Output("kept")})
        store.close()
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", [":memory:", "", "file::memory:?cache=shared"])
def test_memory_is_no_store(name: str) -> None:
    with pytest.raises(UsageError, match=r"is no file.*lost with the process"):
        Store(name)


def test_a_new_store_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    store = Store(str(path))
    store.outputs.add({KEY: Output("kept")})
    assert {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {0o600}
    store.close()
    path.chmod(0o640)
    Store(str(path)).close()
    assert path.stat().st_mode & 0o777 == 0o640, "a store that was shared on purpose stays so"


@pytest.mark.parametrize("word", ["password", "sslpassword", "SSLPassword"])
def test_no_password_of_an_address_is_shown(word: str) -> None:
    told = shown(f"postgresql://ann:secret@host/db?sslmode=require&{word}=secret&x=1")
    assert "secret" not in told and "sslmode=require" in told and "x=1" in told


def test_a_store_that_cannot_be_written_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "runs ?.sqlite"
    store = Store(str(path))
    store.runs.begin("r1", {"methods": []})
    store.outputs.add({KEY: Output("kept")})
    store.close()
    before = path.read_bytes()
    monkeypatch.setattr(stores, "writable", lambda _: False)  # as root everything is writable
    again = Store(str(path))
    assert again.outputs.get([KEY])[KEY].text == "kept"
    assert [row["id"] for row in again.runs.rows()] == ["r1"]
    with pytest.raises(SystemFailed, match="readonly"):
        again.outputs.add({output_key("m", Input("y")): Output("new")})
    again.close()
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
