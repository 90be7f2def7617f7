"""A store in a file as another file: its bytes while nobody may write them, else its pages as SQLite copies them."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, select

from polyglitch.store import schema as s

if TYPE_CHECKING:
    from polyglitch.store.store import Store

PATIENCE = (
    2.0  # seconds for a writer to end its transaction; SQLite's own way of copying waits for nobody
)


def copy_file(source: Store, target: Store) -> bool:
    """Copy a file into one that holds nothing; whether it could.

    What a running process has claimed is not the copy's.
    """
    if {store.database.engine.dialect.name for store in (source, target)} != {"sqlite"}:
        return False
    if not _copy_bytes(source, target) and not _copy_pages(source, target):
        return False
    with target.database.engine.begin() as new:
        for table in (s.claims, s.leases):  # most stores have none: nothing has to be written
            if new.execute(select(table).limit(1)).first():
                new.execute(delete(table))
    return True


def _copy_bytes(source: Store, target: Store) -> bool:
    """Copy a file as any other is, at the speed of the disk, into the place of the empty one; whether it could.

    It could not where somebody writes, or has the empty one open. One that is killed leaves the empty one as it was."""
    old, new = (Path(str(store.database.engine.url.database)) for store in (source, target))
    if "mode=ro" in str(source.database.engine.url):
        return False
    part = new.with_name(f"{new.name}.part")
    for store in (source, target):
        store.database.engine.dispose()
    try:
        if not _left_alone(new):
            return False
        with closing(sqlite3.connect(old, timeout=PATIENCE, isolation_level=None)) as held:
            held.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # what its log holds goes into the file
            held.execute("BEGIN IMMEDIATE")
            log = old.with_name(f"{old.name}-wal")
            if log.exists() and log.stat().st_size:  # somebody wrote in between
                return False
            part.touch(mode=0o600)  # it holds private things from its first byte on
            shutil.copyfile(old, part)
            held.execute("ROLLBACK")
        os.replace(part, new)
    except (sqlite3.Error, OSError):
        return False
    finally:
        with suppress(OSError):
            part.unlink()
    return True


def _left_alone(path: Path) -> bool:
    """Whether nobody else has a file open: only then may one have it for itself."""
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
        try:
            connection.execute("PRAGMA locking_mode=EXCLUSIVE")
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("ROLLBACK")
        except sqlite3.OperationalError:
            return False
    return True


def _copy_pages(source: Store, target: Store) -> bool:
    """Copy page by page, beside whoever writes; not where pages have another size, as another program may make them."""
    with source.database.engine.connect() as old, target.database.engine.connect() as new:
        pages: Any = old.connection.driver_connection
        try:
            pages.backup(new.connection.driver_connection)
        except sqlite3.OperationalError:
            return False
        new.commit()
    return True
