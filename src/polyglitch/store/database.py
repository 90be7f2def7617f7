"""Opening a store: a SQLite file by default, another database by URL; the schema made or checked."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, ExceptionContext, Table, create_engine, event, inspect, select
from sqlalchemy.dialects.postgresql import insert as insert_postgres
from sqlalchemy.dialects.sqlite import insert as insert_sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, OperationalError, SQLAlchemyError

from polyglitch.errors import SystemFailed, UsageError
from polyglitch.store import schema
from polyglitch.store.migrations import migrate

PAGE = 500  # keys a query: below SQLite's bound on variables on every build


class Database:
    """An open database with the one kind of write that a store needs: add what is not there yet."""

    def __init__(self, where: str) -> None:
        self.where = where
        self._engine = open_engine(where)
        self._insert: Any = (
            insert_sqlite if self._engine.dialect.name == "sqlite" else insert_postgres
        )

    def close(self) -> None:
        """Let go of all connections."""
        self._engine.dispose()

    def _add(self, table: Table, rows: list[dict[str, Any]]) -> None:
        self._add_all([(table, rows)])

    def _add_all(self, batches: list[tuple[Table, list[dict[str, Any]]]]) -> None:
        with self._engine.begin() as connection:
            for table, rows in batches:
                if rows:
                    connection.execute(self._insert(table).on_conflict_do_nothing(), rows)


def pages(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    """The keys, so many a query."""
    for start in range(0, len(keys), PAGE):
        yield keys[start : start + PAGE]


def open_engine(where: str) -> Engine:
    """An engine for a file path or a database URL, ready to be used from several threads."""
    engine = create_engine(_url(where))
    event.listen(engine, "handle_error", _explain(where))
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
    try:
        _prepare_schema(engine, where)
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise _unusable(where, error) from None
    return engine


def _explain(where: str) -> Callable[[ExceptionContext], None]:
    """What turns a full disk, a read-only file and the like into an error that says what to do."""

    def explain(context: ExceptionContext) -> None:
        if isinstance(context.sqlalchemy_exception, OperationalError):
            raise _unusable(where, context.original_exception) from None

    return explain


def _unusable(where: str, error: BaseException) -> SystemFailed:
    cause = str(getattr(error, "orig", None) or error)
    return SystemFailed(
        f"store {where!r} cannot be used: {cause}; check that it is a Polyglitch store, that its folder "
        "can be written and that the disk has room, or name another with --store; what it holds is kept"
    )


def _url(where: str) -> str:
    if "://" in where:
        try:
            make_url(where)
        except ArgumentError:
            raise UsageError(
                f"--store {where!r} is no database URL; use a file, or postgresql+psycopg://user@host/name"
            ) from None
        return where
    path = Path(where)
    if path.is_dir():
        raise UsageError(
            f"--store {where!r} is a folder; name a file in it, such as {path / 'runs.sqlite'}"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_file() and path.stat().st_size:
        _refuse_foreign(path)
    return f"sqlite:///{path}"


def _refuse_foreign(path: Path) -> None:
    """Leave a database of another program alone: looked at read-only, before anything is set on it."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            tables = {row[0] for row in connection.execute("select name from sqlite_master")}
    except sqlite3.DatabaseError as error:
        raise SystemFailed(
            f"store {str(path)!r} cannot be used: {error}; name another with --store"
        ) from None
    if tables and schema.about.name not in tables:
        raise UsageError(
            f"store {str(path)!r} holds other tables and is no Polyglitch store; name another"
        )


def _prepare_sqlite(connection: Any, _: Any) -> None:
    # WAL lets the writers of outputs go on while the flow reads; NORMAL survives a killed process.
    for pragma in ("busy_timeout=30000", "synchronous=NORMAL"):
        connection.execute(f"PRAGMA {pragma}")
    for attempt in range(50):  # the change to WAL does not wait for another process that makes it
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or attempt == 49:
                raise
            time.sleep(0.1)


def _prepare_schema(engine: Engine, where: str) -> None:
    if not set(schema.metadata.tables) <= set(inspect(engine).get_table_names()):
        with engine.begin() as connection:
            if engine.dialect.name == "sqlite":  # one of several processes makes the tables
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            schema.metadata.create_all(connection)
    with engine.begin() as connection:
        found = connection.scalar(
            select(schema.about.c.value).where(schema.about.c.key == "schema")
        )
        if found is None:
            insert = insert_sqlite if engine.dialect.name == "sqlite" else insert_postgres
            row = insert(schema.about).values(key="schema", value=str(schema.VERSION))
            connection.execute(row.on_conflict_do_nothing())
        elif int(found) < schema.VERSION:
            migrate(connection, int(found))
        elif int(found) > schema.VERSION:
            raise UsageError(
                f"store {where!r} has schema {found}, this version reads {schema.VERSION}; "
                "use the version that wrote it, or start a new store"
            )
