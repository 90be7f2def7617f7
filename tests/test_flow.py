"""A whole campaign: interrupted, resumed, bounded, refused."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from polyglitch.campaign import make_campaign
from polyglitch.errors import NothingToTest, SystemFailed, UsageError
from polyglitch.flow import run
from polyglitch.results.findings import worst_first
from polyglitch.results.history import History
from polyglitch.store.store import Runs, Store
from tests.conftest import ROOT, Cli

pytestmark = pytest.mark.slow

# A translator of sorts that writes down every text it is asked and takes its time.
COUNTING = """
import os, time

def translate(text):
    with open(os.environ["ASKED"], "a") as log:
        log.write(text + "\\n")
    time.sleep(float(os.environ.get("SLOW", "0")))
    words = text.split()
    return " ".join(reversed(words)) if "river" in words else " ".join(w.upper() for w in words)

def unsteady(text):
    if os.environ["DOWN"] == "1" and len(text) % 5 == 0:
        raise ConnectionError("no route")
    return translate(text)

def broken(text):
    raise ValueError("model not loaded")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "counting.py").write_text(COUNTING)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASKED", str(tmp_path / "asked.log"))
    return tmp_path


def campaign(folder: Path, store: str = "s.sqlite", **more: Any) -> Any:
    options = {
        "system": f"python:{folder / 'counting.py'}:translate",
        "corpus": "sample",
        "methods": ["sit"],
        "parameters": {"sit": {"per_seed": 4, "structure": "raw", "threshold": 1}},
        "source_language": "en",
        "store": str(folder / store),
        "limit": 20,
    }
    return make_campaign(options | more)


def verdicts(path: Path) -> list[tuple[Any, ...]]:
    with sqlite3.connect(path) as connection:
        return sorted(
            connection.execute('select method, "case", outcome, severity, record from verdicts')
        )


def asked(folder: Path) -> list[str]:
    log = folder / "asked.log"
    return log.read_text().splitlines() if log.exists() else []


def test_a_second_run_asks_nothing_and_says_the_same(folder: Path) -> None:
    run_id, first = run(campaign(folder))
    count = len(asked(folder))
    assert first["cases"] > 20
    assert first["queries"] == count == len(set(asked(folder)))
    again_id, again = run(campaign(folder))
    assert (again_id, again["queries"], again["cases"]) == (run_id, 0, first["cases"])
    assert len(asked(folder)) == count


def test_another_threshold_is_another_run_on_the_same_outputs(folder: Path) -> None:
    one, first = run(campaign(folder))
    strict = {"sit": {"per_seed": 4, "structure": "raw", "threshold": 40}}
    other, second = run(campaign(folder, parameters=strict))
    assert one != other
    assert second["queries"] == 0
    assert second["violations"] < first["violations"]


def test_a_server_is_told_early_how_its_tables_grow(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What plans for a few rows compares every case with every verdict."""
    told: list[int] = []
    monkeypatch.setattr("polyglitch.flow.COUNTED_FROM", 10)
    monkeypatch.setattr(Runs, "count_rows", lambda self: told.append(1))
    _, figures = run(campaign(folder))
    assert figures["cases"] > 10
    assert len(told) > 1, "not only at the end"


def test_the_same_seed_gives_the_same_cases_in_any_store(folder: Path) -> None:
    run(campaign(folder, "a.sqlite"))
    run(campaign(folder, "b.sqlite"))
    dumps = []
    for name in ("a.sqlite", "b.sqlite"):
        with sqlite3.connect(folder / name) as connection:
            dumps.append(list(connection.execute("select * from cases order by method, position")))
    assert dumps[0] == dumps[1]


def test_what_was_not_tested_is_counted(folder: Path, cli: Cli) -> None:
    (folder / "seeds.txt").write_text("The ship left the harbour at noon.\nYes.\nNever.\n")
    figures = run(campaign(folder, corpus="seeds.txt", budget=2))[1]
    assert figures["without_case"] == {"sit": 2}
    assert (figures["cases"], figures["unasked"]) == (1, 3)  # a seed and one mutant, of four
    page = cli("report", "--store", "s.sqlite", "-o", "page.html")
    assert page.returncode == 0, page.stderr
    text = (folder / "page.html").read_text()
    assert "Inputs of which no test could be made" in text and "the budget was spent" in text
    with pytest.raises(NothingToTest, match="budget of queries is too small for any of 4 cases"):
        run(campaign(folder, corpus="seeds.txt", budget=1))


def test_a_budget_is_kept_whatever_the_store_knows(folder: Path) -> None:
    cold = run(campaign(folder, "cold.sqlite", budget=30))[1]
    run(campaign(folder, "warm.sqlite"))
    warm = run(campaign(folder, "warm.sqlite", budget=30))[1]
    assert cold["queries"] <= 30
    assert warm["queries"] == 0
    assert warm["cases"] == cold["cases"] > 0


def test_issues_are_read_back_worst_first(folder: Path) -> None:
    raw = {
        "per_seed": 4,
        "structure": "raw",
        "threshold": 4,
    }  # some are far beyond it, some are not
    run_id, figures = run(campaign(folder, parameters={"sit": raw}))
    store = Store(str(folder / "s.sqlite"))
    findings = list(History(store, run_id).findings())
    store.close()
    assert len(findings) == figures["issues"] > 5
    keys = [
        worst_first(f.issue, f.violations[0][1], f.violations[0][0], len(f.violations))
        for f in findings
    ]
    bands = [key[:4] for key in keys]  # of each issue three violations are read back, not all
    assert bands == sorted(bands) and len(set(bands)) > 1
    for finding in findings:
        worst = [verdict.severity for _, verdict in finding.violations]
        assert worst == sorted(worst, reverse=True)
        assert all(
            trial.outputs[0].text and trial.outputs[1].text for trial, _ in finding.violations
        )


def test_a_system_that_always_fails_is_said_to_fail(folder: Path) -> None:
    with pytest.raises(SystemFailed, match=r"failed on every case.*model not loaded"):
        run(campaign(folder, system=f"python:{folder / 'counting.py'}:broken"))


def test_what_failed_is_asked_again_when_told_to(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unsteady = campaign(folder, system=f"python:{folder / 'counting.py'}:unsteady")
    monkeypatch.setenv("DOWN", "1")
    first = run(unsteady)[1]
    assert 0 < first["undecided"] < first["cases"]
    monkeypatch.setenv("DOWN", "0")
    assert run(unsteady)[1]["undecided"] == first["undecided"]
    again = run(
        campaign(folder, system=f"python:{folder / 'counting.py'}:unsteady", retry_errors=True)
    )[1]
    assert again["undecided"] == 0
    assert again["cases"] == first["cases"]
    assert again["queries"] == first["errors"]


def test_nothing_to_test_is_not_a_success(folder: Path) -> None:
    (folder / "empty.txt").write_text("\n\n!!!\n")
    with pytest.raises(NothingToTest, match="0 seeds gave no case"):
        run(campaign(folder, corpus=str(folder / "empty.txt")))


def test_a_missing_language_is_asked_for_before_the_run(folder: Path) -> None:
    with pytest.raises(UsageError, match="--source-language"):
        (folder / "one.txt").write_text("Bridge 12, Zurich\n")  # in no language that is plain
        run(campaign(folder, corpus=str(folder / "one.txt"), source_language=None))
    assert asked(folder) == []


def start(folder: Path, store: str, slow: str) -> subprocess.Popen[bytes]:
    system = f"python:{folder / 'counting.py'}:translate"
    arguments = ["run", "--system", system, "--corpus", "sample", "--source-language", "en"]
    arguments += [
        "--method",
        "sit,transrepair",
        "--param",
        "sit.structure=raw",
        "--store",
        store,
        "-q",
    ]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "SLOW": slow}
    return subprocess.Popen(
        [sys.executable, "-m", "polyglitch", *arguments],
        cwd=folder,
        env=environment,
        start_new_session=True,
        preexec_fn=heed_ctrl_c,
    )


def heed_ctrl_c() -> None:
    """A shell has what it runs in the background ignore Ctrl-C, and a process passes that on to its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def stored_count(path: Path) -> int:
    if not path.exists():
        return 0
    try:
        with sqlite3.connect(path) as connection:
            return int(connection.execute("select count(*) from outputs").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def test_killed_again_and_again_it_ends_as_if_undisturbed(folder: Path) -> None:
    chance = random.Random(7)
    store = folder / "killed.sqlite"
    most_in_flight = 0
    for _ in range(6):
        before, asked_before = stored_count(store), len(asked(folder))
        process = start(folder, str(store), "0.01")
        aim = before + chance.randint(5, 40)  # kill somewhere after so many new outputs
        while stored_count(store) < aim:
            assert process.poll() is None, "ended before it could be killed"
            time.sleep(chance.uniform(0.005, 0.05))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        lost = (len(asked(folder)) - asked_before) - (stored_count(store) - before)
        most_in_flight = max(most_in_flight, lost)
    assert start(folder, str(store), "0").wait() == 0
    times_asked = len(asked(folder))
    distinct = len(set(asked(folder)))
    assert times_asked - distinct <= 6 * 32  # at most the batch in flight at each kill
    assert most_in_flight <= 32 + 1
    assert stored_count(store) == distinct

    undisturbed = folder / "undisturbed.sqlite"
    assert start(folder, str(undisturbed), "0").wait() == 0
    assert verdicts(store) == verdicts(undisturbed)
    assert len(verdicts(store)) > 200


@pytest.mark.parametrize("outputs", [20, 70, 150, 300])
def test_ctrl_c_keeps_what_is_finished_and_exits_130(folder: Path, outputs: int) -> None:
    store = folder / "stopped.sqlite"
    process = start(folder, str(store), "0.01")
    while stored_count(store) < outputs:
        assert process.poll() is None, "ended before it could be stopped"
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(30) == 130
    kept = stored_count(store)
    assert kept >= outputs
    count = len(asked(folder))
    assert start(folder, str(store), "0").wait(60) == 0
    assert len(asked(folder)) - count == stored_count(store) - kept


def test_run_json_prints_one_object(folder: Path, cli: Any) -> None:
    (folder / "seeds.txt").write_text(
        "The old bridge fell into the river.\nThe new law helps small firms.\n"
    )
    done = cli(
        "run", "--system", f"python:{folder / 'counting.py'}:translate", "--corpus", "seeds.txt",
        "--method", "sit", "--param", "sit.structure=raw", "--param", "sit.proposer=vectors",
        "--source-language", "en", "--store", "x.sqlite", "--json", "-o", "r.html", "-o", "r.jsonl",
    )  # fmt: skip
    figures = json.loads(done.stdout)
    wanted = {
        "cases",
        "queries",
        "cache_hits",
        "violations",
        "undecided",
        "errors",
        "issues",
        "seconds",
        "signature",
    }
    assert wanted <= set(figures)
    assert "sit[" in figures["signature"]
    assert (folder / "r.html").stat().st_size > 1000
    assert len((folder / "r.jsonl").read_text().splitlines()) >= figures["issues"]
