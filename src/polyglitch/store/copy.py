"""From one store into another, whatever databases they are in: from a file to the team's server and back.

What is there already stays, so that a copy can be repeated, and two people's stores brought together in one. Of two
labels by the same person on the same issue the later one counts. A run is marked done after all of it has arrived.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import Connection, Table, func, insert, select, update

from polyglitch.records import Label, decode
from polyglitch.store import schema as s
from polyglitch.store.labels import replace_label
from polyglitch.store.outputs import fitting
from polyglitch.store.rows import Rows, storable
from polyglitch.store.store import Store
from polyglitch.store.verify import digests, seals

ROWS = 1000  # a transaction: enough to be quick, little enough to hold in memory

# Runs come last: what `done` says of a run must be true at every moment.
PLAIN = (
    s.seeds,
    s.generated,
    s.cases,
    s.outputs,
    s.verdicts,
    s.issues,
    s.searchable,
    s.kept,
    s.spending,
    digests,
    seals,
)

Found = list[dict[str, Any]]


def copy_store(source: Store, target: Store) -> dict[str, int]:
    """Add all of a store to another; how many rows of each table were new there."""
    before, there = _counts(target), Rows(target.database)
    for table in PLAIN:
        for rows in _read(source, table):
            there.add_rows(table, [_fit(table, row) for row in rows])
    _each(source, target, s.labels, _add_label)
    _each(source, target, s.label_log, _add_log)
    _each(source, target, s.runs, _add_run)
    after = _counts(target)
    return {name: after[name] - before[name] for name in after}


def _counts(store: Store) -> dict[str, int]:
    tables = (s.runs, *PLAIN, s.labels, s.label_log)
    with store.database.engine.connect() as connection:
        return {
            table.name: connection.scalar(select(func.count()).select_from(table)) or 0
            for table in tables
        }


def _read(store: Store, table: Table) -> Iterator[Found]:
    """The rows of a table, some at a time, in the order they were given numbers if they have any."""
    query = select(table).order_by(*(c for c in table.primary_key if table is s.label_log))
    with store.database.engine.connect() as connection:
        found = connection.execution_options(yield_per=ROWS).execute(query)
        for rows in found.mappings().partitions():
            yield [dict(row) for row in rows]


def _fit(table: Table, row: dict[str, Any]) -> dict[str, Any]:
    """A row that an older version wrote to SQLite, as every database takes it."""
    if table is s.kept:
        return row | {"kind": fitting(row["kind"])}
    return row | {"reason": storable(row["reason"])} if table is s.verdicts else row


def _each(
    source: Store,
    target: Store,
    table: Table,
    add: Callable[[Connection, dict[str, Any]], None],
) -> None:
    for rows in _read(source, table):
        with target.database.engine.begin() as connection:
            for row in rows:
                add(connection, row)


def _add_label(connection: Connection, row: dict[str, Any]) -> None:
    mine = (s.labels.c.issue == row["issue"]) & (s.labels.c.who == row["who"])
    there = connection.scalar(select(s.labels.c.record).where(mine))
    if there is None or decode(there, Label).when < decode(row["record"], Label).when:
        replace_label(connection, row["issue"], row["who"], row["record"])


def _add_log(connection: Connection, row: dict[str, Any]) -> None:
    """A change of a label, unless it was copied before; its number is the target's to give."""
    del row["id"]
    same = [s.label_log.c[name] == row[name] for name in row if name != "undone"]
    if connection.scalar(select(s.label_log.c.id).where(*same).limit(1)) is None:
        connection.execute(insert(s.label_log).values(row))


def _add_run(connection: Connection, row: dict[str, Any]) -> None:
    state = connection.scalar(select(s.runs.c.state).where(s.runs.c.id == row["id"]))
    if state is None:
        connection.execute(insert(s.runs).values(row))
    elif state != "done" and row["state"] == "done":
        connection.execute(update(s.runs).where(s.runs.c.id == row["id"]).values(row))
