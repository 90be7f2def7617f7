"""Who asks what: a worker claims an input before it asks, so that two processes on one store ask nothing twice.

A claim ends with the output, in one transaction. A worker says now and then that it lives; the claims of one that is
gone are free again: at once where it ran on this machine, else after a minute of silence. A claim counts only while its
worker is listed, and only a listed worker can claim, so that nothing waits for a worker that ended or was given up.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Sequence
from uuid import uuid4

from sqlalchemy import ColumnElement, delete, exists, func, select, update

from polyglitch.records import Output, encode
from polyglitch.store import schema as s
from polyglitch.store.database import Rows, pages
from polyglitch.systems.spending import Spent

BEAT = 10.0  # seconds between two signs of life
SILENCE = (
    60.0  # seconds after which a worker counts as gone; several beats, as clocks differ a little
)

_own: set[str] = set()  # workers of this process: a dead one may have had the same process number


class NotListed(Exception):
    """A worker that ended, or was given up after a long silence, has no claims and gets none."""


class Leases(Rows):
    """Claims on inputs, and what has been spent on asking."""

    def enlist(self) -> str:
        """A new worker's name."""
        worker = uuid4().hex
        _own.add(worker)
        row = {"id": worker, "host": platform.node()[:128], "pid": os.getpid(), "beat": time.time()}
        self.add_rows(s.workers, [row])
        self.free_claims()
        return worker

    def beat(self, worker: str) -> None:
        """Say that a worker lives."""
        with self._engine.begin() as connection:
            listed = connection.execute(
                update(s.workers).where(s.workers.c.id == worker).values(beat=time.time())
            )
        if not listed.rowcount:
            raise NotListed(worker)

    def dismiss(self, worker: str) -> None:
        """A worker ends; what it claimed and did not answer is free."""
        _own.discard(worker)
        with self._engine.begin() as connection:
            # First the row that a claim locks: no claim can come in behind the deletion of the others.
            connection.execute(delete(s.workers).where(s.workers.c.id == worker))
            connection.execute(delete(s.claims).where(s.claims.c.worker == worker))

    def claim(self, worker: str, keys: Sequence[str]) -> set[str]:
        """Which of these inputs the worker may ask: those that no other has claimed."""
        own = select(s.workers.c.id).where(s.workers.c.id == worker).with_for_update(read=True)
        rows = [{"key": key, "worker": worker} for key in keys]
        mine: set[str] = set()
        with self._engine.begin() as connection:
            if (
                connection.dialect.name == "sqlite"
            ):  # one writer at a time; elsewhere the row is locked
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            if connection.scalar(own) is None:
                raise NotListed(worker)
            for some in pages(keys):
                connection.execute(delete(s.claims).where(s.claims.c.key.in_(some), orphaned()))
            self._add_to(connection, s.claims, rows)
            for some in pages(keys):
                owned = (s.claims.c.worker == worker) & s.claims.c.key.in_(some)
                mine |= set(connection.scalars(select(s.claims.c.key).where(owned)))
        return mine

    def claimed(self, keys: Sequence[str]) -> dict[str, str]:
        """The listed workers that have claimed these inputs."""
        found: dict[str, str] = {}
        with self._engine.connect() as connection:
            for some in pages(keys):
                query = select(s.claims).where(s.claims.c.key.in_(some), ~orphaned())
                found |= {row.key: row.worker for row in connection.execute(query)}
        return found

    def release(self, worker: str, keys: Sequence[str]) -> None:
        """Give up claims without an answer."""
        if keys:
            self.add_answers(worker, {}, keys)

    def add_answers(
        self, worker: str, found: dict[str, Output], unanswered: Sequence[str] = ()
    ) -> None:
        """Keep outputs and end the claims on them, both or neither."""
        rows = [
            {"key": key, "status": output.status, "record": encode(output)}
            for key, output in found.items()
        ]
        with self._engine.begin() as connection:
            self._add_to(connection, s.outputs, rows)
            for some in pages([*found, *unanswered]):
                mine = (s.claims.c.worker == worker) & s.claims.c.key.in_(some)
                connection.execute(delete(s.claims).where(mine))

    def free_claims(self) -> None:
        """End the claims of workers that are gone."""
        with self._engine.connect() as connection:
            rows = connection.execute(select(s.workers)).all()
        gone = [row.id for row in rows if not _lives(row.id, row.host, row.pid, row.beat)]
        for worker in gone:
            self.dismiss(worker)
        with self._engine.begin() as connection:
            connection.execute(delete(s.claims).where(orphaned()))

    def set_spent(self, run: str, worker: str, spent: Spent) -> None:
        """Write down what a worker has spent on a run so far."""
        values = {
            "requests": spent.requests,
            "characters": spent.characters,
            "cost": spent.cost,
        }
        row = {"run": run, "worker": worker, **values}
        add = self._insert(s.spending).on_conflict_do_update(
            index_elements=["run", "worker"], set_=values
        )
        with self._engine.begin() as connection:
            connection.execute(add, [row])

    def spent(self, run: str) -> Spent:
        """What all workers have spent on a run."""
        table = s.spending.c
        sums = [func.sum(column) for column in (table.requests, table.characters, table.cost)]
        with self._engine.connect() as connection:
            found = connection.execute(select(*sums).where(table.run == run)).one()
        return Spent(int(found[0] or 0), int(found[1] or 0), float(found[2] or 0.0))


def orphaned() -> ColumnElement[bool]:
    """Whether a claim's worker is no longer listed."""
    return ~exists().where(s.workers.c.id == s.claims.c.worker)


def _lives(worker: str, host: str, pid: int, beat: float) -> bool:
    """Whether a worker may still answer what it claimed."""
    if worker in _own:
        return True
    if host == platform.node()[:128]:
        if pid == os.getpid():
            return False
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except OSError:
            pass  # it lives and is another user's
    return time.time() - beat < SILENCE
