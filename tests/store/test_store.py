"""The store: kept once, read back as it was, refused when it is something else."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import text

from polyglitch.errors import SystemFailed, UsageError
from polyglitch.records import Input, Issue, Output, Seed, Verdict, new_case
from polyglitch.store.cases import output_key
from polyglitch.store.store import Store

SEED = Seed("s1", Input("The cat sat."))


@pytest.fixture
def store(where: str) -> Iterator[Store]:
    opened = Store(where)
    yield opened
    opened.close()


def cases_of(count: int) -> list:
    return [
        new_case(SEED, "similar", (SEED.input, Input(f"The dog {n} sat."))) for n in range(count)
    ]


def test_an_output_is_found_by_system_and_whole_input(store: Store) -> None:
    question = Input("Who?", context="A story.")
    store.outputs.add({output_key("m1", question): Output("Ann")})
    assert store.outputs.get([output_key("m1", question)])[output_key("m1", question)].text == "Ann"
    for other in (
        output_key("m2", question),
        output_key("m1", Input("Who?")),
        output_key("m1", Input("Who?", "A")),
    ):
        assert store.outputs.get([other]) == {}


def test_the_first_answer_stays(store: Store) -> None:
    key = output_key("m", Input("x"))
    store.outputs.add({key: Output("first")})
    store.outputs.add({key: Output("second")})
    assert store.outputs.get([key])[key].text == "first"


def test_pending_cases_come_in_order_until_they_have_a_verdict(store: Store) -> None:
    cases = cases_of(25)
    store.cases.add("r", "sit", 0, cases, ["s1"])
    assert store.cases.generated("r", "sit", [SEED]) == {"s1"}
    first = next(iter(store.cases.pending("r", "sit", [SEED], 10)))
    assert [case.id for case in first] == [case.id for case in cases[:10]]
    store.verdicts.add("r", "sit", [(case, Verdict(case.id, "holds")) for case in first])
    rest = [case.id for page in store.cases.pending("r", "sit", [SEED], 10) for case in page]
    assert rest == [case.id for case in cases[10:]]
    assert store.verdicts.outcomes("r") == {("sit", "holds"): 10}


def test_a_case_made_again_is_kept_once(store: Store) -> None:
    cases = cases_of(3)
    store.cases.add("r", "sit", 0, cases)
    store.cases.add("r", "sit", store.cases.count("r", "sit"), cases)
    assert sum(len(page) for page in store.cases.pending("r", "sit", [SEED], 10)) == 3


def test_a_case_repeats_nothing_of_its_seed(store: Store) -> None:
    seed = Seed("s1", Input("The cat sat.", language="en"), "good", "a folder/b.csv:7")
    other = Seed("s2", Input("It rained."), None, "elsewhere:8")
    cases = [
        new_case(seed, "similar", (seed.input, Input("A dog sat."))),
        new_case(seed, "label:x", (seed.input,), None, ("good",)),
        new_case(seed, "label:y", (seed.input,), None, ("bad",)),
        new_case(other, "same", (other.input, other.input)),
        new_case(other, "same", (Input("It rained.", "yesterday"),)),
    ]
    store.cases.add_seeds("r", 0, [seed, other])
    known = {one.id: one for one in (seed, other)}
    store.cases.add("r", "sit", 0, cases, known, known)
    assert store.cases.seeds("r", ["s1", "s2"]) == known
    assert store.cases.seed("r", "s1") == seed
    made = [msgspec.structs.replace(case, method="sit") for case in cases]
    assert store.cases.of_seeds("r", "sit", [seed, other]) == made
    assert [
        case for page in store.cases.pending("r", "sit", [seed, other], 2) for case in page
    ] == made
    with store.database.engine.connect() as connection:
        records = connection.exec_driver_sql("select record from cases order by position").scalars()
        for record in records.all()[:4]:
            assert "The cat" not in record and "It rained" not in record and "good" not in record
        kept = connection.exec_driver_sql("select record from seeds order by position").scalars()
        assert '":7"' in kept.all()[0]


def test_issues_are_replaced_and_keep_their_order(store: Store) -> None:
    store.runs.begin("r", {})
    old = [Issue("i0", "s1", "sit", ("c",), 9.0)]
    new = [Issue(f"i{n}", f"s{n}", "sit", ("c",), 5.0 - n) for n in range(1, 4)]
    assert store.verdicts.set_issues("r", old) == 1
    assert store.verdicts.set_issues("r", new) == 3
    assert [issue.id for issue in store.verdicts.issues("r")] == ["i1", "i2", "i3"]
    assert store.verdicts.finders("r", ["s2"]) == {"s2": ["sit"]}


def test_threads_may_write_at_once(store: Store) -> None:
    def write(thread: int) -> None:
        for n in range(40):
            store.outputs.add({f"{thread}-{n}": Output(str(n))})

    threads = [threading.Thread(target=write, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.outputs.get([f"{t}-{n}" for t in range(6) for n in range(40)])) == 240


def test_text_of_every_kind_comes_back(store: Store) -> None:
    texts = ["", "\x00\x01", "😀 ‮abc", "a\nb\r\n", "'; drop table outputs; --", "x" * 100_000]
    store.outputs.add({f"k{n}": Output(text) for n, text in enumerate(texts)})
    assert [store.outputs.get([f"k{n}"])[f"k{n}"].text for n in range(len(texts))] == texts


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("create table letters (body text)")
    before = path.read_bytes()
    with pytest.raises(UsageError, match="no Polyglitch store"):
        Store(str(path))
    assert path.read_bytes() == before


def test_a_store_of_a_later_schema_is_refused(store: Store, where: str) -> None:
    with store.database.engine.begin() as connection:
        connection.execute(text("update about set value = '999'"))
    with pytest.raises(UsageError, match="schema '999'"):
        Store(where)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, just notes " * 50)
    with pytest.raises(SystemFailed, match=r"notes\.txt"):
        Store(str(path))
    assert path.read_text().startswith("not a database")
