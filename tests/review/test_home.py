"""Home and the pages about a run: figures that are the store's, twins labelled once, a bug to hand on."""

from __future__ import annotations

import re
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

pytest.importorskip("starlette", reason="pip install 'polyglitch[web]'")

from polyglitch.errors import UsageError
from polyglitch.results.history import NEWEST, History
from polyglitch.review import home
from polyglitch.store.store import Store

from .samples import LATER, RUN, add_later_run, fill
from .test_app import FROM_US, client_for, come_in, label


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = fill(tmp_path / "runs.sqlite", 12)
    add_later_run(made, 10)
    return made


def add_twin(store: Store) -> str:
    """What a second method raised on the inputs of the first issue; its id."""
    issue = next(iter(store.verdicts.issues(RUN)))
    cases = [case for case, _ in store.verdicts.get(RUN, issue.method, ids=issue.case_ids)]
    pairs = store.verdicts.get(RUN, issue.method, ids=issue.case_ids)
    other = "transrepair" if issue.method == "sit" else "sit"
    store.cases.add(
        RUN, other, 5000, [msgspec.structs.replace(case, method=other) for case in cases]
    )
    store.verdicts.add(RUN, other, pairs)
    twin = msgspec.structs.replace(issue, id="twin", method=other)
    store.verdicts.set_issues(RUN, [*store.verdicts.issues(RUN), twin])
    return issue.id


def text_of(page: str) -> str:
    return re.sub(r"<[^>]+>", "", page)


def test_home_lists_every_run_with_what_came_of_it(store: Store) -> None:
    client = client_for(store, run=RUN)
    page = client.get("/home").text
    assert f"/run/{RUN}/" in page and f"/run/{LATER}/" in page
    assert "English to Portuguese, on the bundled sentences" in page
    assert "90.0%" in page, "the share of the later run that holds"
    assert "By method" in page
    assert "By what is tested" not in page, "one thing was tested: it stands under its method"


def line(system: str, holds: float, **by_test: float | None) -> home.RunLine:
    """A finished run of one series."""
    return home.RunLine(
        id=system,
        title=f"{system}, on reviews.csv",
        system=system,
        created="2026-11-17T07:00:00+00:00",
        done=True,
        methods=("relations",),
        cases=10,
        issues=1,
        holds=holds,
        held=f"{holds:.0%}",
        passed=None,
        degenerate=False,
        series="relations on reviews.csv",
        by_method={"relations": holds},
        by_test=by_test,
    )


def test_runs_of_a_series_stand_beside_each_other_the_weakest_test_first() -> None:
    (found,) = home.tested(
        [line("new", 0.7, typo=0.5, names=1.0, order=None), line("old", 0.9, typo=1.0, names=0.2)]
    )
    assert (found.weak, found.held) == (("names", "typo"), ())
    assert [one.system for one in found.lines] == ["new", "old"]
    assert home.tested([line("new", 1.0, typo=1.0)]) == [], "one thing is told by method already"
    (found,) = home.tested([line("new", 1.0, typo=1.0, names=1.0)])
    assert (found.weak, found.held) == ((), ("names", "typo"))


def test_a_trend_over_several_systems_names_them() -> None:
    (one,) = home.trends([line("new", 0.7), line("old", 0.9)])
    assert one.in_words == "2 runs, from 90% (old) to 70% (new) of the tests holding"
    (one,) = home.trends([line("same", 0.7), line("same", 0.9)])
    assert one.in_words == "2 runs, from 90% to 70% of the tests holding"
    assert one.dots[0][2] == "90%, same, 17 November 2026, 07:00 UTC"


def test_any_run_of_the_store_can_be_reviewed(store: Store) -> None:
    client = client_for(store, run=RUN)
    come_in(client, "Ann")
    assert 'data-base=""' in client.get("/").text
    assert f'data-base="/run/{RUN}"' in client.get(f"/run/{RUN}/").text
    assert client.get("/run/0000/").status_code == 404


def test_the_name_leads_back_to_the_run_and_nowhere_else(store: Store) -> None:
    client = client_for(store, run=RUN)
    asked = client.get(f"/run/{RUN}/")
    assert asked.headers["location"] == f"/name?next=/run/{RUN}/"
    token = re.search(r'name="token" value="([^"]+)"', client.get("/name").text)
    assert token
    for wanted, lands in ((f"/run/{RUN}/", f"/run/{RUN}/"), ("//evil.example/", "/")):
        form = {"name": "Ann", "token": token[1], "next": wanted}
        assert client.post("/name", data=form, headers=FROM_US).headers["location"] == lands


def test_two_runs_side_by_side(store: Store) -> None:
    client = client_for(store, run=RUN)
    there = client.get(f"/compare?run={LATER}&run={RUN}")
    assert there.headers["location"] == f"/compare?old={RUN}&new={LATER}"
    page = text_of(client.get(there.headers["location"]).text)
    assert "No clear difference: 1 fixed, 1 broken of 10 that both decided." in page
    assert "The gate 0 is open." in page and "What the old run answered" in page
    fixed = page.split("Fixed: 1")[1].split("Flaky")[0]
    assert fixed.index("aberto em 1.") < fixed.index("What the new run answered"), (
        "what failed first"
    )
    assert client.get("/compare?run=one").status_code == 400


def test_a_finding_of_two_methods_is_one_and_labelled_once(store: Store) -> None:
    first = add_twin(store)
    client = client_for(store, run=RUN)
    token = come_in(client, "Ann")
    page = client.get("/").text
    assert 'data-id="twin"' not in page and "of 12 labelled" in page
    assert label(client, token, first, verdict="bug").json()["done"] == 1
    assert [said.verdict for said in store.labels.of_issue("twin")] == ["bug"]
    assert "Of 1 finding that was decided, 1 is a bug" in client.get("/labels").text
    headers = FROM_US | {"x-polyglitch-token": token, "accept": "application/json"}
    assert client.post("/undo", headers=headers).json()["done"] == 0
    assert not store.labels.of_issue("twin") and not store.labels.of_issue(first)


@pytest.mark.slow
def test_the_labels_say_how_precise_a_method_is_and_a_button_calibrates(store: Store) -> None:
    client = client_for(store, run=RUN)
    token = come_in(client, "Ann")
    assert "Nothing is labelled yet" in client.get("/labels").text
    for number, issue in enumerate(store.verdicts.issues(RUN, "sit")):
        label(client, token, issue.id, verdict="not a bug" if number == 0 else "bug")
    page = client.get("/labels").text
    assert "Of 6 findings that were decided, 5 are bugs" in page
    assert "83.3%" in page and "(43.6 to 97.0)" in page, "Wilson's interval of 5 in 6"
    done = client.post("/calibrate", data={"token": token}, headers=FROM_US)
    assert done.status_code == 200
    assert "On sentences that the choice did not see" in done.text
    assert "Few labels" in done.text


def test_a_bug_has_a_page_with_the_command_that_shows_it_again(store: Store) -> None:
    client = client_for(store, run=RUN)
    found = re.findall(r'href="(/bug/[0-9a-f]+)"', client.get("/bugs").text)
    assert found
    page = text_of(client.get(found[0]).text)
    assert "The pair that shows it best" in page and "Why it is a bug" in page
    assert "polyglitch run --system sample-translator --corpus sample --source-language en" in page
    assert f"polyglitch minimise {RUN[:4]} --store" in page
    assert client.get("/bug/0000").status_code == 404


@pytest.mark.slow
def test_a_run_that_goes_on_shows_what_it_found_so_far(tmp_path: Path) -> None:
    store = fill(tmp_path / "runs.sqlite", 2)
    add_later_run(store, 4, done=False)
    client = client_for(store, run=RUN)
    listed = client.get("/home").text
    assert f"/live/{LATER}" in listed
    assert '<td data-name="tests">4</td>' in listed, "what is judged so far"
    page = text_of(client.get(f"/live/{LATER}").text)
    assert "4 tests judged so far" in page and "The gate 0 is open." in page


def test_home_opens_where_the_first_run_goes_on_and_follows_it(tmp_path: Path) -> None:
    store = fill(tmp_path / "runs.sqlite", 2)
    row = store.runs.rows()[0]
    with sqlite3.connect(tmp_path / "runs.sqlite") as opened:
        opened.execute("update runs set state = 'running'")
    with pytest.raises(UsageError, match="holds no finished run"):
        History(store)
    client = client_for(store, run=NEWEST)
    assert f"/live/{row['id']}" in client.get("/home").text
    with sqlite3.connect(tmp_path / "runs.sqlite") as opened:
        opened.execute("update runs set state = 'done'")
    assert f"/run/{row['id']}/" in client.get("/home").text, "read anew, not remembered"


@pytest.mark.slow
def test_ctrl_c_says_goodbye(tmp_path: Path) -> None:
    fill(tmp_path / "runs.sqlite", 2).close()
    command = [sys.executable, "-m", "polyglitch", "review", "--port", "0", "--store"]
    process = subprocess.Popen(
        [*command, str(tmp_path / "runs.sqlite")], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().split()[1].endswith("/home")
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "Goodbye. Labels are kept in" in said


def test_browser_tests_wait_from_outside() -> None:
    word = "wait_for_" + "function("  # refused by the policy of our pages, and only now and then
    for path in Path(__file__).parents[1].rglob("*.py"):
        assert word not in path.read_text("utf-8"), f"{path.name}: use wait_until"
