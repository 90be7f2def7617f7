"""What a campaign knows, kept safe. Every write is a transaction; safe from several threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy import Connection, Table, delete, func, insert, select, update

from polyglitch.records import Label, decode, encode
from polyglitch.store import schema as s
from polyglitch.store.cases import Cases
from polyglitch.store.database import Database
from polyglitch.store.labels import Labels, replace_label
from polyglitch.store.leases import LEASE, Clock, Leases
from polyglitch.store.outputs import Outputs, fitting
from polyglitch.store.queue import Queue
from polyglitch.store.rows import Rows, storable
from polyglitch.store.verdicts import Verdicts
from polyglitch.store.verify import Seals, digests, seals


class Store:
    """A store by file or URL. Each attribute holds what belongs together: `store.cases.pending(...)`."""

    def __init__(
        self, where: str | Database, clock: Clock | None = None, lease: float = LEASE
    ) -> None:
        self.database = where if isinstance(where, Database) else Database(where)
        self.where = self.database.where  # as it may be shown
        self.runs = Runs(self.database)
        self.cases = Cases(self.database)  # and the seeds they were made of
        self.outputs = Outputs(self.database)  # and whatever else is dear to compute
        self.leases = Leases(self.database, clock, lease)  # who asks what, and what was spent on it
        self.verdicts = Verdicts(self.database)  # and the issues made of them
        self.labels = Labels(self.database)
        self.seals = self.runs.seals  # whether it is all as it was written
        self.queue = Queue(self.database)  # pages of issues for a reviewer

    def close(self) -> None:
        """Let go of all connections."""
        self.database.engine.dispose()


class Runs(Rows):
    """The runs of a store; one that is done is sealed."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.seals = Seals(database)

    def begin(self, run: str, definition: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """State and figures of a run, newly made where it is not there yet."""
        self.add_rows(
            s.runs,
            [
                {
                    "id": run,
                    "created": datetime.now(UTC).isoformat(timespec="seconds"),
                    "state": "running",
                    "definition": encode(definition),
                    "figures": "{}",
                }
            ],
        )
        with self._engine.connect() as connection:
            row = connection.execute(select(s.runs).where(s.runs.c.id == run)).one()
        return row.state, msgspec.json.decode(row.figures)

    def finish(self, run: str, figures: dict[str, Any], state: str = "done") -> None:
        """Write down the figures of a run; what another process has done stays done."""
        own = (s.runs.c.id == run) & ((s.runs.c.state != "done") | (state == "done"))
        with self._engine.begin() as connection:
            connection.execute(
                update(s.runs).where(own).values(state=state, figures=encode(figures))
            )
        if state == "done":
            self.seals.seal(run)
        else:
            self.seals.forget(run)

    def forget(self, run: str) -> None:
        """Drop a run's cases, verdicts and issues; outputs and labels stay."""
        self.seals.forget(run)
        with self._engine.begin() as connection:
            for table in (s.seeds, s.generated, s.cases, s.verdicts, s.issues, s.spending):
                connection.execute(delete(table).where(table.c.run == run))
            connection.execute(delete(s.runs).where(s.runs.c.id == run))

    def rows(self) -> list[dict[str, Any]]:
        """All runs, the newest first: id, created, state, definition, figures."""
        with self._engine.connect() as connection:
            rows = connection.execute(select(s.runs).order_by(s.runs.c.created.desc())).mappings()
            return [
                dict(row)
                | {name: msgspec.json.decode(row[name]) for name in ("definition", "figures")}
                for row in rows
            ]


# From one store into another, whatever databases they are in: from a file to the team's server and back.
# What is there already stays, so that a copy can be repeated, and two people's stores brought together in one. Of two
# labels by the same person on the same issue the later one counts. A run is marked done after all of it has arrived.
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
