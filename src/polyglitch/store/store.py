"""What a campaign knows, kept safe: the store, opened from a SQLite file or from a PostgreSQL server by URL, its schema
made or checked. Every write is a transaction; safe from several threads.
"""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Engine, Table, Text, create_engine, delete, event, inspect, select, update
from sqlalchemy.dialects.sqlite import insert as insert_sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.engine.interfaces import ExceptionContext
from sqlalchemy.exc import ArgumentError

from polyglitch.errors import Missing, SystemFailed, UsageError
from polyglitch.records import encode
from polyglitch.store import schema as s
from polyglitch.store.cases import Cases, Outputs
from polyglitch.store.labels import Labels, Queue
from polyglitch.store.leases import LEASE, Clock, Leases
from polyglitch.store.migrations import migrate
from polyglitch.store.rows import Disconnected, Rows, prepare, quoted, take_turn
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


GROWN = (s.seeds, s.generated, s.cases, s.outputs, s.verdicts)  # with every batch of a run


def searched(table: Table) -> list[str]:
    """The columns that rows are found by; what a row holds beside them is long, and nobody asks for it."""
    return [quoted(column.name) for column in table.c if not isinstance(column.type, Text)]


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

    def count_rows(self) -> None:
        """Have a server look at how its tables grew: it does by itself only later, and plans for a few rows till then.

        What it may not look at it leaves alone; a file needs nothing of the kind."""
        if self._engine.dialect.name == "postgresql":
            keys = ", ".join(f"{table.name} ({', '.join(searched(table))})" for table in GROWN)
            with self._engine.begin() as connection:
                connection.exec_driver_sql(f"analyze {keys}")

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

    def note(self, run: str, figures: dict[str, Any]) -> None:
        """Write down other figures of a run that is done, and seal its row anew."""
        with self._engine.begin() as connection:
            where = s.runs.c.id == run
            connection.execute(update(s.runs).where(where).values(figures=encode(figures)))
        self.seals.seal_row(run)

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


CACHE = 65_536  # kilobytes of a file that a connection holds: keys are digests, so they come from everywhere
OUR_MISTAKES = ("ProgrammingError", "InterfaceError", "IntegrityError", "NotSupportedError")
PASSING = ("08", "40", "57P")  # SQLSTATE: connection lost, transaction taken back, shutting down
HELD = (
    "another process has been writing to it for 30 seconds, perhaps one that is stopped or asleep: "
    "wake or end that one and start this command again"
)
REMEDY = {
    "sqlite": "check that it is a Polyglitch store, that its folder can be written and that the disk has room",
    "postgresql": "check that the server runs and lets this user make tables in that database",
}


class Database:
    """An open database: its engine, and the insert of its dialect that leaves what is there already."""

    def __init__(self, where: str, engine: Engine | None = None) -> None:
        self.where = shown(where)
        self.engine = engine or open_engine(where)
        self.sleep: Callable[[float], None] = time.sleep
        self.insert: Any = insert_sqlite
        if self.engine.dialect.name != "sqlite":
            from sqlalchemy.dialects.postgresql import insert as insert_postgres

            self.insert = insert_postgres


def open_engine(where: str) -> Engine:
    """An engine for a file path or a database URL, ready to be used from several threads."""
    engine = create_engine(_url(where), pool_pre_ping="://" in where)
    event.listen(engine, "handle_error", partial(_explain, shown(where)))
    if engine.dialect.name == "sqlite" and "mode=ro" not in str(engine.url):
        event.listen(engine, "connect", _prepare_sqlite)
    elif engine.dialect.name == "postgresql":
        s.make_ready_for_postgres()
        event.listen(engine, "connect", prepare)
    _prepare_schema(engine, where)
    return engine


def _explain(where: str, context: ExceptionContext) -> BaseException | None:
    """Say of a failing disk or server what it is and what helps, at the start or in the middle of a run."""
    cause = context.original_exception
    if context.is_pre_ping or type(cause).__name__ in OUR_MISTAKES:
        return None
    if not isinstance(cause, Exception):  # Ctrl-C in the middle of a statement is no failing disk
        return None
    kind = Disconnected if _passes(context) else SystemFailed
    said = str(cause).strip()
    remedy = HELD if said == "database is locked" else REMEDY[context.dialect.name]
    return kind(
        f"store {where!r} cannot be used: {said}; {remedy}, "
        "or name another with --store; what it holds is kept"
    )


def _passes(context: ExceptionContext) -> bool:
    """Whether a server is gone for a moment, or took back one of two transactions in each other's way."""
    if context.dialect.name == "sqlite":
        return False
    code = getattr(context.original_exception, "sqlstate", None) or ""
    return context.is_disconnect or context.connection is None or code.startswith(PASSING)


def _url(where: str) -> str | URL:
    if "://" in where:
        return server_url(where)
    if where.startswith((":", "file:")) or not where:
        raise UsageError(
            f"--store {where!r} is no file: what only memory holds is lost with the process, and no run could go "
            "on; name a file, such as runs.sqlite"
        )
    path = Path(where)
    if path.is_dir():
        raise UsageError(
            f"--store {where!r} is a folder; name a file in it, such as {path / 'runs.sqlite'}"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.touch(
                mode=0o600
            )  # it will hold private things: inputs, answers, names of reviewers
    except OSError as error:
        raise UsageError(
            f"--store {where!r} cannot be made: {error.strerror or error}; name a file in a folder that you "
            "may write to"
        ) from None
    if path.is_file() and path.stat().st_size:
        _refuse_foreign(path)
        if not writable(path):
            return _read_only(path)
    # Not as text: a question mark in a name would start the options of an address.
    return URL.create("sqlite", database=str(path))


def writable(path: Path) -> bool:
    """Whether a store can be written: the file, and its folder, where SQLite keeps a journal."""
    return os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)


def _has_journal(path: Path) -> bool:
    """Whether writes are there that the file itself lacks."""
    journal = path.with_name(f"{path.name}-wal")
    return journal.exists() and journal.stat().st_size > 0


def _read_only(path: Path) -> URL:
    """A store that can be reported but not written; nothing is put beside it."""
    options = {"mode": "ro", "uri": "true"} | ({} if _has_journal(path) else {"immutable": "1"})
    return URL.create("sqlite", database=path.absolute().as_uri(), query=options)


def _refuse_foreign(path: Path) -> None:
    """Leave a database of another program alone: looked at read-only, before anything is set on it."""
    lasting = "" if writable(path) or _has_journal(path) else "&immutable=1"
    address = f"{path.absolute().as_uri()}?mode=ro{lasting}"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            tables = {row[0] for row in connection.execute("select name from sqlite_master")}
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise SystemFailed(
            f"store {str(path)!r} cannot be used: {error}; name another with --store"
        ) from None
    if tables and s.about.name not in tables:
        raise UsageError(
            f"store {str(path)!r} holds other tables and is no Polyglitch store; name another"
        )


def _prepare_sqlite(connection: Any, _: Any) -> None:
    # WAL lets the writers of outputs go on while the flow reads; NORMAL survives a killed process.
    for pragma in ("busy_timeout=30000", "synchronous=NORMAL", f"cache_size=-{CACHE}"):
        connection.execute(f"PRAGMA {pragma}")
    for attempt in range(50):  # the change to WAL does not wait for another process that makes it
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or attempt == 49:
                raise
            time.sleep(0.1)


def _is_current(engine: Engine) -> bool:
    """Whether the tables are all there, as this version knows them: then nothing has to be written."""
    with engine.connect() as connection:
        if not set(s.metadata.tables) <= set(inspect(connection).get_table_names()):
            return False
        version = select(s.about.c.value).where(s.about.c.key == "schema")
        return connection.scalar(version) == str(s.VERSION)


def _prepare_schema(engine: Engine, where: str) -> None:
    if _is_current(engine):
        return
    if "mode=ro" in str(engine.url):
        raise UsageError(
            f"store {shown(where)!r} is read-only and of another version; copy it to a folder that you may write to"
        )
    with engine.begin() as connection:
        take_turn(connection)  # two that open a new store at once must not both make its tables
        s.metadata.create_all(connection)
        version = select(s.about.c.value).where(s.about.c.key == "schema")
        row = connection.execute(version).first()
        if row is None:
            connection.execute(s.about.insert().values(key="schema", value=str(s.VERSION)))
        elif known := _known_version(row[0]):
            migrate(connection, known)
        else:
            raise UsageError(
                f"store {shown(where)!r} has schema {row[0]!r:.40}, this version reads 1 to {s.VERSION}; "
                "use the version that wrote it, or name another store"
            )


def _known_version(found: object) -> int | None:
    """The version that a store says it has, where this program knows the way from it."""
    text = str(found) if isinstance(found, (str, int)) else ""
    return int(text) if text in map(str, range(1, s.VERSION + 1)) else None


DRIVER = "postgresql+psycopg"
NAMES = ("postgresql", "postgres", DRIVER)


def server_url(where: str) -> URL:
    """The address of a server, with the driver that the extra `postgres` brings."""
    try:
        url = make_url(where)
    except (ArgumentError, ValueError):  # a port that is no number is a ValueError
        raise UsageError(
            f"--store {shown(where)!r} is no database URL; use a file, or postgresql://user@host/name"
        ) from None
    if url.drivername not in NAMES:
        raise UsageError(
            f"--store {shown(where)!r}: {url.drivername!r} is no database that a store can be in; "
            "use a file for SQLite, or postgresql://user@host/name"
        )
    if find_spec("psycopg") is None:
        raise Missing("psycopg", "a store on PostgreSQL", "pip install 'polyglitch[postgres]'")
    return url.set(drivername=DRIVER)


def shown(where: str) -> str:
    """A file or URL as it may be printed and kept: without its password."""
    if "://" not in where:
        return where
    where = re.sub(r"([?&](?:ssl)?password=)[^&]*", r"\1***", where, flags=re.IGNORECASE)
    scheme, _, rest = where.partition("://")
    user, at, host = rest.rpartition("@")
    if not at:
        return where
    name, colon, _ = user.partition(":")
    return f"{scheme}://{name}{':***' if colon else ''}@{host}"
