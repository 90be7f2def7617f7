"""What a store holds, brought elsewhere: from an older schema to this one, and from one store into another.

A store in a file as another file: its bytes while nobody may write them, else its pages as SQLite copies them.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import Connection, Table, delete, func, insert, inspect, select, text, update

from polyglitch.records import Case, Label, Output, Seed, Verdict, decode, digest
from polyglitch.store import schema as s
from polyglitch.store.cases import fitting
from polyglitch.store.labels import replace_label
from polyglitch.store.rows import Rows, add_to, storable
from polyglitch.store.schema import (
    VERSION,
    Packed,
    about,
    case_record,
    claims,
    issues,
    labels,
    output_record,
    pack,
    seed_record,
    verdict_record,
)
from polyglitch.store.verify import (
    SHARED,
    Key,
    Pair,
    chain_of,
    digests,
    owner_of,
    part_of,
    row_digest,
    seals,
)

if TYPE_CHECKING:
    from polyglitch.store.store import Store


PATIENCE = (
    2.0  # seconds for a writer to end its transaction; SQLite's own way of copying waits for nobody
)
PAGE = 1000  # rows that are read and written together
WRONG = bytes(8)  # in the place of a digest that a row did not have before: it stays damaged
RECORDS: dict[str, Callable[[str], str]] = {
    "seeds": lambda record: seed_record(decode(record, Seed)),
    "cases": lambda record: case_record(decode(record, Case)),
    "verdicts": lambda record: verdict_record(decode(record, Verdict)),
    "outputs": lambda record: output_record(decode(record, Output)),
}
# The columns of version 3 in their order, its keys first among them: what its digests were made of.
THREE = {
    "runs": (("id",), ("id", "created", "state", "definition", "figures")),
    "seeds": (("id",), ("run", "id", "position", "record")),
    "generated": (("method", "seed"), ("run", "method", "seed")),
    "cases": (("method", "id"), ("run", "method", "id", "seed", "position", "record")),
    "verdicts": (
        ("method", "case"),
        ("run", "method", "case", "seed", "outcome", "severity", "reason", "record"),
    ),
    "issues": (
        ("id",),
        ("run", "id", "method", "seed", "severity", "kind", "position", "record"),
    ),
    "outputs": (("key",), ("key", "status", "record")),
}
SHORTENED = (s.seeds, s.generated, s.cases, s.verdicts, s.outputs)


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


def labels_have_kinds(connection: Connection) -> None:
    """1 to 2: a label's kind in a column of its own, and indexes to filter by."""
    connection.execute(text("alter table labels add column kind varchar(64) not null default ''"))
    for index in labels.indexes | issues.indexes:
        index.create(connection, checkfirst=True)
    rows = connection.execute(select(labels.c.issue, labels.c.who, labels.c.record)).all()
    for issue, who, record in rows:
        connection.execute(
            update(labels)
            .where(labels.c.issue == issue, labels.c.who == who)
            .values(kind=decode(record, Label).kind)
        )


def claims_have_leases(connection: Connection) -> None:
    """2 to 3: leases in place of listed workers, whose claims were for a moment only; spending is set aside."""
    for name in ("workers", "claims"):
        connection.execute(text(f"drop table if exists {name}"))
    claims.create(connection)
    there = {column["name"] for column in inspect(connection).get_columns("spending")}
    for column, kind in (("reserved_characters", "integer"), ("reserved_cost", "float")):
        if column not in there:
            more = f"alter table spending add column {column} {kind} not null default 0"
            connection.execute(text(more))


def rows_are_short(connection: Connection) -> None:
    """3 to 4: names by number, digests as bytes, records without what other columns say, digests of rows together."""
    old = [table for table in SHORTENED if not is_short(connection, table)]
    sealed = "digest" in columns_of(connection, digests)
    runs = set(connection.scalars(text("select id from runs")))
    if sealed:
        runs |= set(connection.scalars(text("select run from digests")))
        broken = {run for run in runs if not old_chain_holds(connection, run)}
        put_aside(connection, digests)
    for table in old:
        put_aside(connection, table)
    for table in (*old, *((s.runs, s.issues) if sealed else ())):
        for owner in (SHARED,) if table is s.outputs else sorted(runs - {SHARED}):
            rows = old_rows(connection, table, owner, table in old)
            made = dict(shortened(connection, table, rows, table in old))
            if sealed:
                keep_digests(connection, owner, table, made)
    if sealed:
        for run in set(connection.scalars(select(seals.c.run))) - broken:
            rows_there, chain = chain_of(connection, run)
            kept = update(seals).where(seals.c.run == run)
            connection.execute(kept.values(rows=rows_there, chain=chain))
    for table in (*old, *([digests] if sealed else [])):
        connection.execute(text(f"drop table old_{table.name}"))
    if not is_short(connection, claims):  # for a moment only: what is still open is claimed again
        claims.drop(connection)
        claims.create(connection)


def columns_of(connection: Connection, table: Table) -> dict[str, str]:
    """The columns that a table has in the store, each with its type in a word."""
    found = inspect(connection).get_columns(table.name)
    return {column["name"]: str(column["type"]).lower() for column in found}


def is_short(connection: Connection, table: Table) -> bool:
    """Whether a table has the keys of this version already."""
    key = next(name for name in ("id", "key", "seed") if name in table.c)
    return columns_of(connection, table)[key] in ("blob", "bytea")


def put_aside(connection: Connection, table: Table) -> None:
    """Make a table anew, the old one beside it."""
    for index in inspect(connection).get_indexes(table.name):
        if not index.get("duplicates_constraint"):
            connection.execute(text(f'drop index if exists "{index["name"]}"'))
    connection.execute(text(f"alter table {table.name} rename to old_{table.name}"))
    table.create(connection)


def old_rows(
    connection: Connection, table: Table, owner: str, aside: bool
) -> Iterator[Mapping[str, Any]]:
    """The rows of a run, or the outputs of all, as version 3 left them, in the order of their keys."""
    keys, columns = THREE[table.name]
    listed = ", ".join(f'"{name}"' for name in columns)
    owned = {"outputs": "", "runs": "where id = :owner"}.get(table.name, "where run = :owner")
    order = ", ".join(f'"{name}"' for name in keys)
    name = f"old_{table.name}" if aside else table.name
    query = text(f"select {listed} from {name} {owned} order by {order}")  # noqa: S608 - names of our own
    given = {"owner": owner} if owned else {}
    found = connection.execute(query, given, execution_options={"yield_per": PAGE})
    for row in found.mappings():
        yield dict(row)


def shortened(
    connection: Connection, table: Table, rows: Iterator[Mapping[str, Any]], aside: bool
) -> Iterator[tuple[str, tuple[Key, bytes, str]]]:
    """Write rows as this version has them; for each old key the new one, its digest, and the digest it had."""
    keys, columns = THREE[table.name]
    while some := list(islice(rows, PAGE)):
        new = [{name: row[name] for name in columns} for row in some]
        for row, before in zip(new, some, strict=True):
            if aside and "record" in row:
                row["record"] = short_record(table, before["record"])
            kept = {
                c.name: pack(row[c.name]) if isinstance(c.type, Packed) else row[c.name]
                for c in table.columns
                if c.name != "run"
            }
            key = tuple(kept[c.name] for c in table.primary_key if c.name != "run")
            had = digest([None if before[c] is None else str(before[c]) for c in columns], 32)
            yield (
                " ".join(str(before[name]) for name in keys),
                (key, row_digest(list(kept.values())), had),
            )
        if aside:
            add_to(connection, table, new)


def short_record(table: Table, record: str) -> str:
    """A record as this version writes it; one that cannot be read stays what it is."""
    try:
        return RECORDS[table.name](record)
    except msgspec.MsgspecError:
        return record


def keep_digests(
    connection: Connection, owner: str, table: Table, made: dict[str, tuple[Key, bytes, str]]
) -> None:
    """The digests of a table in their new form; of what was damaged before, one that no row has."""
    query = text("select key, digest from old_digests where run = :run and name = :name")
    known = connection.execute(query, {"run": owner_of(table, owner), "name": table.name})
    found: list[Pair] = []
    for key, had in sorted((row[0], row[1]) for row in known):
        lost: Key = (pack(key) if table is s.outputs else key,)
        new, fresh, is_now = made.get(key, (lost, WRONG, ""))
        found.append((new, fresh if is_now == had else WRONG))
    pairs = iter(found)
    part = 0
    while some := list(islice(pairs, PAGE)):
        add_to(connection, digests, [part_of(owner, table, "", part, some)])
        part += 1


def old_chain_holds(connection: Connection, run: str) -> bool:
    """Whether the digests of a run are those that were sealed."""
    state, count = hashlib.blake2b(digest_size=32), 0
    query = "select name, key, digest from digests where run = :run order by name, key"
    for row in connection.execute(text(query), {"run": run}):
        count += 1
        state.update(digest(row, 32).encode())
    kept = connection.execute(text("select rows, chain from seals where run = :run"), {"run": run})
    return [tuple(row) for row in kept] == [(count, state.hexdigest())]


def cases_lean_on_seeds(connection: Connection) -> None:
    """What is there can be read as it is; what is written from now on an older program would misread.

    Nobody looks for seeds by their place."""
    connection.execute(text("drop index if exists seeds_in_order"))


STEPS: dict[int, Callable[[Connection], None]] = {
    1: labels_have_kinds,
    2: claims_have_leases,
    3: rows_are_short,
    4: cases_lean_on_seeds,
}


def migrate(connection: Connection, found: int) -> None:
    """Take a store from the version found to this one."""
    for version in range(found, VERSION):
        STEPS[version](connection)
    connection.execute(update(about).where(about.c.key == "schema").values(value=str(VERSION)))


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
    if not any(before.values()) and copy_file(source, target):
        return _counts(target)
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
