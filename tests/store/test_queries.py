"""What is asked of the database: as few queries for many findings as for one, and no walk through a whole run."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import event, text

from polyglitch.records import Input, Issue, Label, Output, Seed, Verdict, new_case
from polyglitch.results.history import History
from polyglitch.store.cases import output_key
from polyglitch.store.store import Store

Asked = list[tuple[str, Any]]
SEEDS = [Seed(f"{n:016x}", Input(f"The cat {n} sat.")) for n in range(40)]
DEFINITION = {
    "systems": ["shout"],
    "languages": ["en", "pt"],
    "methods": [{"name": "sit", "route": "direct"}],
}


@contextmanager
def listened(store: Store) -> Iterator[Asked]:
    """The statements that are sent to the database, with their values."""
    asked: Asked = []

    def hear(_: Any, cursor: Any, statement: str, values: Any, *more: Any) -> None:
        asked.append((statement, values))

    event.listen(store.database.engine, "before_cursor_execute", hear)
    yield asked
    event.remove(store.database.engine, "before_cursor_execute", hear)


def filled(folder: Path) -> Store:
    """A run whose seeds have a case each, of which all but the last five are violated."""
    store = Store(str(folder / "s.sqlite"))
    store.runs.begin("r", DEFINITION)
    store.cases.add_seeds("r", 0, SEEDS)
    cases = [new_case(seed, "similar", (seed.input, Input("A dog."))) for seed in SEEDS]
    store.cases.add("r", "sit", 0, cases, [seed.id for seed in SEEDS])
    judged = [(case, Verdict(case.id, "violated", score=1.0, threshold=0.0)) for case in cases[:35]]
    store.verdicts.add("r", "sit", judged)
    store.outputs.add(
        {output_key("shout", item): Output(item.text.upper()) for c in cases for item in c.inputs}
    )
    store.verdicts.set_issues(
        "r", [Issue(f"i{n}", c.seed_id, "sit", (c.id,), 1.0) for n, (c, _) in enumerate(judged)]
    )
    return store


def test_all_findings_are_read_together(tmp_path: Path) -> None:
    store = filled(tmp_path)
    for n in range(0, 35, 2):
        store.labels.set("r", Label(f"i{n}", "bug", "ann", "2026-11-17"))
    with listened(store) as asked:
        found = list(History(store, "r").findings())
    assert [finding.issue.id for finding in found] == [f"i{n}" for n in range(35)]
    assert all(
        finding.violations[0][0].outputs[0].text == finding.seed.input.text.upper()
        for finding in found
    )
    assert [len(finding.labels) for finding in found] == [1, 0] * 17 + [1]
    assert len(asked) < 15, "a query for each finding: a report of ten thousand takes a minute"
    store.close()


def test_cases_that_wait_are_found_by_their_seeds(tmp_path: Path) -> None:
    store = filled(tmp_path)
    with listened(store) as asked:
        (waiting,) = store.cases.pending("r", "sit", SEEDS, 100)
    assert [case.seed_id for case in waiting] == [seed.id for seed in SEEDS[35:]]
    statement, values = next(one for one in asked if "verdicts" in one[0])
    with store.database.engine.connect() as connection:
        steps = connection.exec_driver_sql(f"explain query plan {statement}", values).all()
    plan = " ".join(str(step) for step in steps)
    assert "cases_of_seed" in plan and "cases_in_order" not in plan
    store.close()


def test_cases_that_hold_are_in_no_index_of_findings(where: str) -> None:
    store = Store(where)
    tables = {
        "sqlite": "select sql from sqlite_master where name = 'verdicts_not_held'",
        "postgresql": "select indexdef from pg_indexes where indexname = 'verdicts_not_held'",
    }
    engine = store.database.engine
    with engine.connect() as connection:
        made = connection.execute(text(tables[engine.dialect.name])).scalar_one()
    assert re.search(r"where .*outcome.*'holds'", made, re.IGNORECASE | re.DOTALL)
    store.close()


def test_a_store_in_a_file_imports_nothing_of_a_server() -> None:
    probe = "import sys, polyglitch.store.store; print([m for m in sys.modules if 'postgres' in m])"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
