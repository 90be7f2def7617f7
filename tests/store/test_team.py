"""A store for a team: on a server, by several at once, and from a file to a server and back."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import text

from polyglitch.errors import Missing, SystemFailed, UsageError
from polyglitch.records import Input, Issue, Label, Output, Seed, Verdict, new_case
from polyglitch.store import schema
from polyglitch.store.migrations import copy_store
from polyglitch.store.store import Store, server_url, shown
from tests.conftest import Cli
from tests.postgres import PASSWORD, Server

SEED = Seed("s1", Input("The cat sat."))


def label(issue: str, who: str, verdict: str, when: str) -> Label:
    return msgspec.convert(
        {"record": "label/1", "issue_id": issue, "verdict": verdict, "who": who, "when": when},
        Label,
    )


def filled(where: str) -> Store:
    """A store with a finished run, an issue, two labels, and what a tool keeps."""
    store = Store(where)
    store.runs.begin("r1", {"methods": []})
    store.cases.add_seeds("r1", 0, [SEED])
    cases = [new_case(SEED, "similar", (SEED.input, Input(f"Dog {n}."))) for n in range(1200)]
    store.cases.add("r1", "sit", 0, cases, [SEED.id])
    verdicts = [
        Verdict(case.id, "violated", reason="a\0b", score=n / 3) for n, case in enumerate(cases)
    ]
    store.verdicts.add("r1", "sit", list(zip(cases, verdicts, strict=True)))
    store.outputs.add({f"k{n}": Output(f"\0 sortie {n} é") for n in range(1200)})
    store.verdicts.set_issues("r1", [Issue("i1", "s1", "sit", (cases[0].id,), 2.5)])
    store.labels.set("r1", label("i1", "ann", "bug", "2026-01-01T00:00:00+00:00"))
    store.labels.set("r1", label("i1", "ann", "unsure", "2026-01-02T00:00:00+00:00"))
    store.outputs.keep("counts by " + "a parser with a long name " * 4, {"x": {"nsubj": 2}})
    store.runs.finish("r1", {"cases": 1200})
    return store


def rows(store: Store) -> dict[str, list[tuple[object, ...]]]:
    """Everything in a store but the numbers of log rows, which are each store's own."""
    found = {}
    with store.database.engine.connect() as connection:
        for table in schema.metadata.sorted_tables:
            wanted = [c for c in table.c if (table.name, c.name) != ("label_log", "id")]
            found[table.name] = sorted(
                map(tuple, connection.execute(table.select().with_only_columns(*wanted)))
            )
    return found


def test_a_store_goes_to_the_server_and_back_unchanged(
    postgres: Server, tmp_path: Path, cli: Cli
) -> None:
    here, back, there = tmp_path / "here.sqlite", tmp_path / "back.sqlite", postgres.new_database()
    first = filled(str(here))
    told = cli("store", "copy", here, there).stdout
    assert "verdicts         1,200 new" in told and "label log            2 new" in told
    assert set(
        map(
            int,
            (
                line.split()[-2].replace(",", "")
                for line in cli("store", "copy", here, there).stdout.splitlines()
            ),
        )
    ) == {0}, "a second copy adds nothing"
    cli("store", "copy", there, back)
    middle, last = Store(there), Store(str(back))
    assert rows(first) == rows(middle) == rows(last)
    assert middle.labels.undo("r1", "ann") == "i1", "the log came along"
    assert [said.verdict for said in middle.labels.of_issue("i1")] == ["bug"]
    for store in (first, middle, last):
        store.close()


def test_a_new_file_gets_the_pages_and_what_is_claimed_stays_behind(tmp_path: Path) -> None:
    first, last = filled(str(tmp_path / "here.sqlite")), Store(str(tmp_path / "there.sqlite"))
    held = rows(first)
    with first.database.engine.begin() as connection:
        connection.execute(text("insert into leases values (7, 'me', 9e9)"))
        connection.execute(text("insert into claims values (x'00ff', 7)"))
    added = copy_store(first, last)
    assert rows(last) == held
    assert added["verdicts"] == 1200 and added["label_log"] == 2
    assert not any(copy_store(first, last).values()), "a second copy adds nothing"
    last.labels.set("r1", label("i1", "bo", "bug", "2026-01-03T00:00:00+00:00"))
    assert len(last.labels.of_issue("i1")) == 2, "and the copy is a store like any other"
    first.close()
    last.close()


def test_pages_of_another_size_are_copied_row_by_row(tmp_path: Path) -> None:
    where = tmp_path / "there.sqlite"
    with sqlite3.connect(where) as connection:
        connection.execute("pragma page_size = 1024")
        connection.execute("vacuum")
    first, last = filled(str(tmp_path / "here.sqlite")), Store(str(where))
    copy_store(first, last)
    assert rows(first) == rows(last)
    first.close()
    last.close()


@pytest.mark.slow
def test_two_peoples_stores_come_together(where: str, tmp_path: Path) -> None:
    ann, bo = filled(str(tmp_path / "ann.sqlite")), filled(str(tmp_path / "bo.sqlite"))
    ann.labels.set("r1", label("i1", "ann", "not a bug", "2026-01-05T00:00:00+00:00"))
    bo.labels.set("r1", label("i1", "bo", "bug", "2026-01-03T00:00:00+00:00"))
    team = Store(where)
    copy_store(ann, team)
    added = copy_store(bo, team)
    assert {name for name, count in added.items() if count} == {"labels", "label_log"}
    assert [(said.who, said.verdict) for said in team.labels.of_issue("i1")] == [
        ("ann", "not a bug"),
        ("bo", "bug"),
    ], "the later of ann's two labels counts, though bo's copy came last"
    for store in (ann, bo, team):
        store.close()


@pytest.mark.slow
def test_copying_needs_two_stores(cli: Cli, tmp_path: Path) -> None:
    filled(str(tmp_path / "a.sqlite")).close()
    assert "no such file" in cli("store", "copy", "gone.sqlite", "b.sqlite", code=2).stderr
    assert (
        "both"
        in cli(
            "store", "copy", "a.sqlite", f"{tmp_path}/../{tmp_path.name}/a.sqlite", code=2
        ).stderr
    )


def test_an_old_schema_on_the_server_is_brought_up_to_date(postgres: Server) -> None:
    where = postgres.new_database()
    store = filled(where)
    with store.database.engine.begin() as connection:  # as the first version had it
        connection.execute(text("alter table labels drop column kind"))
        connection.execute(text("update about set value = '1'"))
    store.close()
    again = Store(where)
    assert [said.verdict for said in again.labels.of_issue("i1")] == ["unsure"]
    with again.database.engine.connect() as connection:
        assert connection.scalar(text("select value from about")) == str(schema.VERSION)
    again.close()


def test_many_open_a_new_store_at_once(where: str) -> None:
    problems: list[BaseException] = []

    def open_it() -> None:
        try:
            Store(where).close()
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems


def test_one_reviewer_in_two_windows_keeps_a_whole_log(where: str) -> None:
    windows = [filled(where), Store(where)]

    def work(store: Store) -> None:
        for n in range(15):
            store.labels.set(
                "r1", label("i1", "cy", ("bug", "unsure")[n % 2], f"2026-02-{n + 1:02}")
            )

    threads = [threading.Thread(target=work, args=(store,)) for store in windows]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for _ in range(30):
        assert windows[0].labels.undo("r1", "cy") == "i1"
    assert windows[0].labels.undo("r1", "cy") is None
    assert [said.who for said in windows[0].labels.of_issue("i1")] == ["ann"], "undone to the first"
    for store in windows:
        store.close()


RUN = ("run", "--system", "cmd:python3 judge.py", "--corpus", "corpus.csv", "--method", "suite")


def prepare(folder: Path) -> None:
    """A classifier that writes down what it is asked, and a suite for it that it half fails."""
    (folder / "judge.py").write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    open('asked.txt', 'a').write(line)\n"
        "    print('positive', flush=True)\n"
    )
    rows = (f"House number {n} is red.,{('positive', 'negative')[n % 2]}\n" for n in range(300))
    (folder / "corpus.csv").write_text("text,label\n" + "".join(rows))


def test_a_campaign_by_two_processes_on_a_server(
    postgres: Server, tmp_path: Path, cli: Cli
) -> None:
    prepare(tmp_path)
    arguments = (*RUN, "--store", postgres.new_database(), "--json")
    found: list[dict[str, int]] = []
    threads = [
        threading.Thread(target=lambda: found.append(json.loads(cli(*arguments).stdout)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    asked = Counter((tmp_path / "asked.txt").read_text().splitlines())
    assert max(asked.values()) == 1, asked.most_common(3)
    assert sum(one["queries"] for one in found) == len(asked)
    assert [(one["cases"], one["violations"]) for one in found] == [(300, 150)] * 2


@pytest.mark.parametrize(
    ("address", "cause"),
    [
        ("mysql://me@host/name", "mysql"),
        ("postgresql://host:port/name", "no database URL"),
        ("sqlite:///runs.sqlite", "use a file for SQLite"),
    ],
)
def test_an_address_that_is_none_is_refused(address: str, cause: str) -> None:
    with pytest.raises(UsageError, match=cause):
        server_url(address)


def test_the_driver_is_named_when_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyglitch.store.store.find_spec", lambda _: None)
    with pytest.raises(Missing, match=r"\[postgres\]|psycopg\["):
        server_url("postgresql://me@host/name")


def test_a_password_is_never_shown(postgres: Server, cli: Cli, tmp_path: Path) -> None:
    where = postgres.new_database()
    with pytest.raises(SystemFailed, match="password authentication failed") as refused:
        Store(where.replace("s3cret%2F", "wrong"))
    assert "wrong" not in str(refused.value)
    prepare(tmp_path)
    outputs = [word for name in ("html", "jsonl", "sarif", "md") for word in ("-o", f"r.{name}")]
    done = cli(*RUN, "--store", where, "--limit", "20", *outputs)
    reports = [path.read_text() for path in tmp_path.glob("r.*")]
    assert len(reports) == 4 and "postgresql://team:***@" in "".join(reports)
    for text_shown in (*reports, done.stdout, done.stderr, shown(where)):
        assert "s3cret" not in text_shown and PASSWORD not in text_shown
    assert shown("postgresql://h/n?password=s3cret&x=1") == "postgresql://h/n?password=***&x=1"


def test_a_server_that_goes_away_is_said_plainly(postgres: Server) -> None:
    store = Store(postgres.new_database())
    nowhere = "postgresql://team@127.0.0.1:1/none"
    with pytest.raises(SystemFailed, match="check that the server runs"):
        Store(nowhere)
    with (
        store.database.engine.connect() as connection,
        pytest.raises(SystemFailed, match="cannot be used"),
    ):
        connection.execute(text("select pg_terminate_backend(pg_backend_pid())"))
    assert store.outputs.get(["k"]) == {}, "the next query has a new connection"
    store.close()
