"""Is a store as it was written? A digest a row and a chain over them a run, made when the run is done.

Against damage, not against malice: whoever can write to a store can seal it again. Labels are not sealed, as reviewers
change them for as long as they work; failed outputs are not, as `--retry-errors` drops them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import Column, ColumnElement, Integer, String, Table, delete, select

from polyglitch.errors import SystemFailed
from polyglitch.records import digest
from polyglitch.store import schema as s
from polyglitch.store.database import Rows, pages, take_turn

KEY = String().with_variant(String(collation="C"), "postgresql")
SHARED = ""  # the run of what all runs share: outputs
SEALED = (s.runs, s.seeds, s.generated, s.cases, s.verdicts, s.issues, s.outputs)
ROWS = 1000  # a transaction
NAMED = 3  # damaged rows of a table that are named

digests = Table(
    "digests",
    s.metadata,
    Column("run", s.NAME32, primary_key=True),
    Column("name", s.NAME32, primary_key=True),  # of the table
    Column("key", KEY, primary_key=True),
    Column("digest", s.NAME32, nullable=False),
)
seals = Table(
    "seals",
    s.metadata,
    Column("run", s.NAME32, primary_key=True),
    Column("rows", Integer, nullable=False),
    Column("chain", s.NAME64, nullable=False),
)


class Damage(msgspec.Struct, frozen=True):
    """What is wrong in one table of a run."""

    run: str
    table: str
    changed: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    unreadable: str = ""

    def __str__(self) -> str:
        if self.unreadable:
            return f"{self.table}: cannot be read: {self.unreadable}"
        kinds = (("changed", self.changed), ("lost", self.lost), ("added", self.added))
        told = [f"{len(keys):,} {word} ({', '.join(keys[:NAMED])})" for word, keys in kinds if keys]
        return f"{self.table}: {'; '.join(told)}"


class Seals(Rows):
    """The digests of a store."""

    def seal(self, run: str) -> None:
        """Write down what a run holds now."""
        self.forget(run)
        for table in SEALED:
            owner = owner_of(table, run)
            for rows in self._rows(table, run):
                known = self._known(owner, table, [key for key, _ in rows]) if not owner else {}
                new = [
                    {"run": owner, "name": table.name, "key": key, "digest": made}
                    for key, made in rows
                    if key not in known
                ]
                self.add_rows(digests, new)
        self._seal_last(run)

    def _seal_last(self, run: str) -> None:
        """The run's own row and the chain, which another process that ends the same run may have just written."""
        with self._engine.begin() as connection:
            take_turn(connection)
            for key, made in (pair for rows in self._rows(s.runs, run) for pair in rows):
                row = {"run": owner_of(s.runs, run), "name": s.runs.name, "key": key}
                add = self._insert(digests).on_conflict_do_update(
                    index_elements=["run", "name", "key"], set_={"digest": made}
                )
                connection.execute(add, [row | {"digest": made}])
        with self._engine.begin() as connection:
            take_turn(connection)
            count, chain = self._chain(run)
            kept = {"rows": count, "chain": chain}
            add = self._insert(seals).on_conflict_do_update(index_elements=["run"], set_=kept)
            connection.execute(add, [{"run": run, **kept}])

    def forget(self, run: str) -> None:
        """A run that goes on, or is dropped, is not sealed."""
        with self._engine.begin() as connection:
            for table in (digests, seals):
                connection.execute(delete(table).where(table.c.run == run))

    def runs(self) -> dict[str, bool]:
        """Every run that is there or was sealed, the newest first, and whether it was sealed when it was done."""
        with self._engine.connect() as connection:
            there = connection.scalars(select(s.runs.c.id).order_by(s.runs.c.created.desc())).all()
            sealed = connection.scalars(select(seals.c.run).order_by(seals.c.run)).all()
        return {run: run in sealed for run in dict.fromkeys([*there, *sealed])}

    def verify(self, run: str) -> list[Damage]:
        """What differs from what was sealed; for the outputs, which all runs share, ask for run ''."""
        found = []
        for table in SEALED:
            if (table is s.outputs) == (run == SHARED):
                try:
                    damage = self._compare(table, run)
                except SystemFailed as error:
                    damage = Damage(run, table.name, unreadable=str(error).partition(";")[0])
                if damage:
                    found.append(damage)
        if run != SHARED and not found:
            with self._engine.connect() as connection:
                kept = connection.execute(select(seals).where(seals.c.run == run)).one()
            if (kept.rows, kept.chain) != self._chain(run):
                found.append(Damage(run, digests.name, changed=("the chain over all digests",)))
        return found

    def _compare(self, table: Table, run: str) -> Damage | None:
        changed: list[str] = []
        added: list[str] = []
        seen: set[str] = set()
        for rows in self._rows(table, run):
            known = self._known(owner_of(table, run), table, [key for key, _ in rows])
            changed += [key for key, made in rows if key in known and known[key] != made]
            added += [key for key, _ in rows if key not in known]
            seen |= known.keys()
        if run == SHARED:
            added = []  # later runs, and those under way, have outputs of their own
        wanted = select(digests.c.key).where(
            digests.c.run == owner_of(table, run), digests.c.name == table.name
        )
        with self._engine.connect() as connection:
            lost = [
                key for key in connection.scalars(wanted.order_by(digests.c.key)) if key not in seen
            ]
        if not (changed or lost or added):
            return None
        return Damage(run, table.name, tuple(changed), tuple(lost), tuple(added))

    def _known(self, owner: str, table: Table, keys: Sequence[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        with self._engine.connect() as connection:
            for some in pages(keys):
                query = select(digests.c.key, digests.c.digest).where(
                    digests.c.run == owner, digests.c.name == table.name, digests.c.key.in_(some)
                )
                found |= {row[0]: row[1] for row in connection.execute(query)}
        return found

    def _rows(self, table: Table, run: str) -> Iterator[list[tuple[str, str]]]:
        """Key and digest of each row, some at a time."""
        query = select(table).where(belongs(table, run)).order_by(*table.primary_key)
        with self._engine.connect() as connection:
            found = connection.execution_options(yield_per=ROWS).execute(query)
            for rows in found.mappings().partitions():
                yield [(key_of(table, row), row_digest(table, row)) for row in rows]

    def _chain(self, run: str) -> tuple[int, str]:
        """How many digests a run has, and one over all of them in order."""
        state, count = hashlib.blake2b(digest_size=32), 0
        query = select(digests.c.name, digests.c.key, digests.c.digest).where(digests.c.run == run)
        query = query.order_by(digests.c.name, digests.c.key)
        with self._engine.connect() as connection:
            for row in connection.execution_options(yield_per=ROWS).execute(query):
                count += 1
                state.update(digest(row, 32).encode())
        return count, state.hexdigest()


def owner_of(table: Table, run: str) -> str:
    """Under which run a table's digests are kept."""
    return SHARED if table is s.outputs else run


def belongs(table: Table, run: str) -> ColumnElement[bool]:
    """The rows of a table that a run's seal covers."""
    if table is s.outputs:
        return table.c.status == "ok"
    return table.c.id == run if table is s.runs else table.c.run == run


def key_of(table: Table, row: Mapping[Any, Any]) -> str:
    """A row's primary key without its run, as it is shown."""
    return " ".join(str(row[column.name]) for column in table.primary_key if column.name != "run")


def row_digest(table: Table, row: Mapping[Any, Any]) -> str:
    """One digest over all that a row holds."""
    return digest((None if row[c.name] is None else str(row[c.name]) for c in table.columns), 32)
