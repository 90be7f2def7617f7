"""Labels: a word a reviewer, taken back one by one, counted, and found again by any filter."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyglitch.records import Input, Issue, Label, Seed, Verdict, decode, encode, new_case
from polyglitch.store.labels import QueueFilter
from polyglitch.store.store import Store

RUN = "run"


@pytest.fixture
def store(where: str) -> Iterator[Store]:
    opened = filled(where)
    yield opened
    opened.close()


def filled(where: str, count: int = 20) -> Store:
    """A store with issues of two methods, every fourth of a kind, the worst first."""
    store = Store(where)
    store.runs.begin(RUN, {})
    issues = [
        Issue(
            f"i{n}",
            f"s{n}",
            ("sit", "cat")[n % 2],
            ("c",),
            float(count - n),
            ("", "name")[n % 4 == 0],
        )
        for n in range(count)
    ]
    store.verdicts.set_issues(RUN, issues)
    store.queue.make_searchable(
        RUN, {issue.id: f"Sentence {issue.id} Ärger 100%" for issue in issues}
    )
    return store


def label(issue: str, verdict: str, who: str = "ann", kind: str = "") -> Label:
    return decode(
        encode({"record": "label/1", "issue_id": issue, "verdict": verdict, "who": who,
                "when": "2026-01-01T00:00:00+00:00", "kind": kind}),
        Label,
    )  # fmt: skip


def ids(store: Store, who: str = "ann", **wanted: object) -> list[str]:
    return [row.id for row in store.queue.page(RUN, who, QueueFilter(**wanted))]  # type: ignore[arg-type]


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["ann", "bo"]),
            st.sampled_from(["i1", "i2", "i3"]),
            st.sampled_from(["bug", "not a bug", "unsure", "undo"]),
        ),
        max_size=25,
    )
)
def test_undo_goes_back_step_by_step(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, str]]
) -> None:
    store = filled(str(tmp_path_factory.mktemp("undo") / "runs.sqlite"), 4)
    pasts: dict[str, list[dict[str, str]]] = {"ann": [{}], "bo": [{}]}
    for who, issue, verdict in steps:
        past = pasts[who]
        if verdict == "undo":
            assert (store.labels.undo(RUN, who) is None) == (len(past) == 1)
            if len(past) > 1:
                past.pop()
        else:
            store.labels.set(RUN, label(issue, verdict, who))
            past.append(past[-1] | {issue: verdict})
    for who, past in pasts.items():
        said = {w.issue_id: w.verdict for w in store.labels.of_run(RUN) if w.who == who}
        assert said == past[-1]
        assert store.labels.labelled_by(RUN, who) == len(said)
    store.close()


def test_filters_find_what_they_name(store: Store) -> None:
    assert ids(store) == [f"i{n}" for n in range(20)]
    assert ids(store, method="cat") == [f"i{n}" for n in range(1, 20, 2)]
    assert ids(store, kind="name") == ["i0", "i4", "i8", "i12", "i16"]
    assert ids(store, least=18) == ["i0", "i1", "i2"]
    assert ids(store, search="ÄRGER 100%") == ids(store)
    assert ids(store, search="i1_") == ids(store, search="%i1") == []
    assert ids(store, search="SENTENCE I13") == ["i13"]
    store.labels.set(RUN, label("i1", "bug", kind="number"))
    store.labels.set(RUN, label("i1", "not a bug", "bo"))
    store.labels.set(RUN, label("i2", "bug"))
    store.labels.set(RUN, label("i2", "bug", "bo"))
    assert ids(store, label="bug") == ids(store, label="labelled") == ["i1", "i2"]
    assert "i1" not in ids(store, label="unlabelled") and "i3" in ids(store, label="unlabelled")
    assert ids(store, label="disagreement") == ["i1"]
    assert ids(store, who="bo", label="not a bug") == ["i1"]
    assert ids(store, kind="number") == ["i1"]
    assert store.queue.suspected_kinds(RUN) | store.queue.named_kinds(RUN) == {"name", "number"}
    assert store.queue.count(RUN, "bo", QueueFilter(label="unlabelled", method="sit")) == 9
    assert store.queue.row(RUN, "ann", QueueFilter(), "i2").verdict == "bug"
    assert store.queue.row(RUN, "ann", QueueFilter(), "nothing") is None


def test_pages_meet_without_gap_in_both_directions(store: Store) -> None:
    forward, after = [], 0
    while rows := store.queue.page(RUN, "ann", QueueFilter(), after=after, limit=6):
        forward += [row.id for row in rows]
        after = rows[-1].position
        store.labels.set(RUN, label(rows[0].id, "bug"))  # labels do not move the pages
    assert forward == [f"i{n}" for n in range(20)]
    back = store.queue.page(RUN, "ann", QueueFilter(), before=after, limit=6)
    assert [row.id for row in back] == forward[-7:-1]


def test_undecided_cases_have_a_queue_of_their_own(store: Store) -> None:
    seed = Seed("s", Input("Rain."))
    cases = [new_case(seed, "similar", (seed.input, Input(f"Snow {n}."))) for n in range(4)]
    store.cases.add(RUN, "sit", 0, cases)
    outcomes = ("undecided", "holds", "violated", "undecided")
    verdicts = [Verdict(c.id, o, reason="timeout") for c, o in zip(cases, outcomes, strict=True)]  # type: ignore[arg-type]
    store.verdicts.add(RUN, "sit", list(zip(cases, verdicts, strict=True)))
    first, last = (f"{RUN}:{cases[n].id}" for n in (0, 3))
    assert ids(store, shelf="undecided") == [first, last]
    assert ids(store, shelf="undecided", search="Snow 3") == [last]
    assert ids(store, shelf="undecided", search="TIMEOUT", method="sit") == [first, last]
    store.labels.set(RUN, label(last, "bug"))
    assert ids(store, shelf="undecided", label="unlabelled") == [first]
    assert store.labels.labelled_by(RUN, "ann") == 0, "progress is about issues"


def test_reviewers_at_once_lose_nothing(store: Store) -> None:
    def work(who: str) -> None:
        for n in range(20):
            store.labels.set(RUN, label(f"i{n}", ("bug", "unsure")[n % 2], who))
        store.labels.undo(RUN, who)

    threads = [threading.Thread(target=work, args=(f"r{n}",)) for n in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(c.who, c.total) for c in store.labels.counts(RUN)] == [(f"r{n}", 19) for n in range(5)]
    joint = store.labels.joint(RUN)
    assert len(joint) == 10
    assert joint["r0", "r1"] == {("bug", "bug"): 10, ("unsure", "unsure"): 9}
    without = store.labels.joint(RUN, {"i0", "i1"})
    assert without["r0", "r1"] == {("bug", "bug"): 9, ("unsure", "unsure"): 8}


def test_a_store_of_the_first_schema_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    said = label("i1", "bug", kind="number")
    with sqlite3.connect(path) as old:
        old.executescript(
            "create table about (key varchar(40) primary key, value text);"
            "insert into about values ('schema', '1');"
            "create table labels (issue varchar(32), who varchar(128), verdict varchar(16) not null,"
            " record text not null, primary key (issue, who));"
        )
        old.execute("insert into labels values ('i1', 'ann', 'bug', ?)", (encode(said),))
    store = Store(str(path))
    assert store.labels.of_issue("i1") == [said]
    store.verdicts.set_issues(RUN, [Issue("i1", "s", "sit", ("c",), 1.0)])
    assert ids(store, kind="number") == ["i1"]
    store.close()
    again = Store(str(path))
    assert again.labels.of_issue("i1") == [said], "opened a second time, it is left as it is"
