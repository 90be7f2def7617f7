"""What a campaign knows, kept safe. Every write is a transaction; safe from several threads."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy import delete, select, update

from polyglitch.records import encode
from polyglitch.store import schema as s
from polyglitch.store.cases import Cases
from polyglitch.store.database import Database
from polyglitch.store.labels import Labels
from polyglitch.store.leases import LEASE, Clock, Leases
from polyglitch.store.outputs import Outputs
from polyglitch.store.queue import Queue
from polyglitch.store.rows import Rows
from polyglitch.store.verdicts import Verdicts
from polyglitch.store.verify import Seals


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
