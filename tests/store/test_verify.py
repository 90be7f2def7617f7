"""A store that was damaged says so, with what is lost; one that says nothing is as it was written."""

from __future__ import annotations

import random
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from polyglitch.errors import PolyglitchError
from polyglitch.records import Input, Issue, Output, Seed, Verdict, new_case
from polyglitch.store import migrations
from polyglitch.store.cases import output_key
from polyglitch.store.migrations import copy_store
from polyglitch.store.store import Store
from tests.conftest import Cli

SEEDS = [Seed(f"s{n}", Input(f"The cat sat on mat {n}.")) for n in range(40)]


def fill(store: Store, run: str = "r1") -> None:
    """A small run, done."""
    store.runs.begin(run, {"methods": [], "systems": ["m"], "languages": ["en", "pt"]})
    store.cases.add_seeds(run, 0, SEEDS)
    cases = [new_case(seed, "similar", (seed.input, Input(f"A dog {seed.id}."))) for seed in SEEDS]
    store.cases.add(run, "sit", 0, cases, [seed.id for seed in SEEDS])
    for case in cases:
        store.outputs.add({output_key("m", item): Output(f"O {item.text}") for item in case.inputs})
    store.outputs.add({output_key("m", Input("bad")): Output(status="error", error="no")})
    store.verdicts.add(run, "sit", [(case, Verdict(case.id, "violated")) for case in cases])
    store.verdicts.set_issues(run, [Issue("i1", "s1", "sit", (cases[1].id,), 1.0)])
    store.runs.finish(run, {"cases": 40})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    store = Store(str(tmp_path / "runs.sqlite"))
    fill(store)
    store.close()
    return tmp_path / "runs.sqlite"


def damage(path: Path) -> dict[str, list[Any]]:
    """What each run has of damage."""
    store = Store(str(path))
    try:
        sealed = [run for run, done in store.seals.runs().items() if done]
        return {run: found for run in (*sealed, "") if (found := store.seals.verify(run))}
    finally:
        store.close()


def test_a_store_as_it_was_written(where: str) -> None:
    store = Store(where)
    try:
        fill(store)
        fill(store, "r2")  # on the same outputs
        assert store.seals.runs() == {"r1": True, "r2": True}
        assert [store.seals.verify(run) for run in ("r1", "r2", "")] == [[], [], []]
        store.outputs.forget_failures("r1")
        store.outputs.add({output_key("m", Input("later")): Output("fine")})
        assert store.seals.verify("") == []
        store.runs.finish("r1", {}, "running")
        store.runs.forget("r2")
        assert store.seals.runs() == {"r1": False}
    finally:
        store.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sql", "table", "kind"),
    [
        ("update cases set record = replace(record, 'dog', 'dag') where seed = x'017333'", "cases", "changed"),
        ("update verdicts set outcome = 'holds' where seed = x'017334'", "verdicts", "changed"),
        ("update seeds set position = 99 where id = x'017335'", "seeds", "changed"),
        ("update issues set severity = 2.0", "issues", "changed"),
        ("update runs set figures = '{}'", "runs", "changed"),
        ("update outputs set record = replace(record, 'cat', 'cut')", "outputs", "changed"),
        ("delete from verdicts where seed = x'017336'", "verdicts", "lost"),
        ("delete from outputs where status = 'ok'", "outputs", "lost"),
        ("delete from generated where seed = x'017337'", "generated", "lost"),
        ("insert into issues select run, 'i2', method, seed, 9, kind, 2, record from issues", "issues", "added"),
        ("delete from digests where name = 'cases'", "cases", "added"),
        ("update seals set chain = 'x'", "digests", "changed"),
    ],
)  # fmt: skip
def test_what_was_damaged_is_told(path: Path, sql: str, table: str, kind: str) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(sql)
    (found,) = [one for rows in damage(path).values() for one in rows]
    assert found.table == table
    assert getattr(found, kind)
    assert kind in str(found)


def content(path: Path) -> list[Any]:
    """All that a report is made of."""
    with sqlite3.connect(path) as connection:
        connection.text_factory = bytes
        tables = ("runs", "seeds", "generated", "cases", "verdicts", "issues")
        found = [
            connection.execute(f"select * from {name} order by 1, 2, 3").fetchall()
            for name in tables
        ]
        good = "select * from outputs where status = 'ok' order by 1"
        return [*found, connection.execute(good).fetchall()]


@pytest.mark.slow
def test_no_flipped_byte_gives_silently_different_results(path: Path, tmp_path: Path) -> None:
    before, raw = content(path), path.read_bytes()
    dice, told = random.Random(7), 0
    for number in range(60):
        broken = Path(shutil.copy(path, tmp_path / f"broken-{number}.sqlite"))
        place = dice.randrange(100, len(raw))
        changed = raw[place] ^ dice.randrange(1, 256)
        broken.write_bytes(raw[:place] + bytes([changed]) + raw[place + 1 :])
        try:
            found = damage(broken)
        except PolyglitchError:
            told += 1
            continue
        if found:
            told += 1
        else:
            assert content(broken) == before, place
    assert told >= 5, "some of them hit what a report is made of"


def test_a_copy_keeps_its_seal(path: Path, tmp_path: Path) -> None:
    old, new = Store(str(path)), Store(str(tmp_path / "copy.sqlite"))
    try:
        copy_store(old, new)
        assert new.seals.runs() == {"r1": True}
        assert new.seals.verify("r1") == new.seals.verify("") == []
    finally:
        old.close()
        new.close()


@pytest.mark.slow
def test_the_command_says_what_is_lost(cli: Cli, path: Path) -> None:
    assert "r1  as it was written" in cli("store", "verify", str(path)).stdout
    with sqlite3.connect(path) as connection:
        connection.execute("delete from verdicts where seed = x'017336'")
    done = cli("store", "verify", str(path), code=3)
    assert "damaged: r1: verdicts: 1 lost (sit " in done.stdout
    assert "--fresh" in done.stderr


@pytest.mark.parametrize("busy", ["nobody", "writer", "log", "reader of the target"])
def test_a_file_is_copied_whoever_is_at_work_on_it(
    path: Path, tmp_path: Path, busy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "PATIENCE", 0.1)
    old, new = Store(str(path)), Store(str(tmp_path / "copy.sqlite"))
    other = Store(str(tmp_path / "copy.sqlite" if "target" in busy else path))
    with other.database.engine.connect() as connection:
        if busy == "writer":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            connection.exec_driver_sql("delete from verdicts")  # and taken back
        elif busy != "nobody":
            connection.exec_driver_sql("BEGIN")
            connection.exec_driver_sql("select count(*) from runs").fetchall()
        if busy == "log":
            old.outputs.add({output_key("m", Input("late")): Output("kept in the log")})
        copy_store(old, new)
    try:
        assert new.seals.runs() == {"r1": True}
        assert new.seals.verify("r1") == new.seals.verify("") == []
        assert len(new.outputs.get([output_key("m", Input("late"))])) == (busy == "log")
        assert not list(tmp_path.glob("*.part"))
        assert (tmp_path / "copy.sqlite").stat().st_mode & 0o077 == 0, "for its owner's eyes"
    finally:
        for store in (old, new, other):
            store.close()
