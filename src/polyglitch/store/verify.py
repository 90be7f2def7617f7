"""Is a store as it was written? A digest a row and a chain over them a run, made when the run is done.

Against damage, not against malice: whoever can write to a store can seal it again. Labels are not sealed, as reviewers
change them for as long as they work; failed outputs are not, as `--retry-errors` drops them.
"""

from __future__ import annotations

import hashlib
import heapq
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, count, islice
from typing import Any
from uuid import uuid4

import msgspec
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Integer,
    LargeBinary,
    Table,
    delete,
    select,
    type_coerce,
    update,
)
from sqlalchemy.types import NullType

from polyglitch.errors import SystemFailed
from polyglitch.records import digest
from polyglitch.store import schema as s
from polyglitch.store.rows import Rows, take_turn
from polyglitch.store.schema import HEX, Packed, unpack

SHARED = ""  # the run of what all runs share: outputs
OWN = (s.seeds, s.generated, s.cases, s.verdicts, s.issues)
SEALED = (s.runs, *OWN, s.outputs)
ROWS = 1000  # a part, and a page of what is read
PARTS = 16  # a transaction
NOTHING_NEW = hashlib.blake2b(digest_size=8).hexdigest()
# Damage hits rows one by one: four bytes miss one in four thousand millions. Keys that look alike are told apart by
# what their rows hold; those of outputs must tell which are sealed already.
KEY_BYTES, KEY_BYTES_SHARED, DIGEST_BYTES = 5, 9, 4
NAMED = 3  # damaged rows of a table that are named

digests = (
    Table(  # some rows of a table together: alone, each would take more than what it vouches for
        "digests",
        s.metadata,
        Column("run", s.NAME32, primary_key=True),
        Column("name", s.NAME32, primary_key=True),  # of the table
        Column(
            "series", s.NAME16, primary_key=True
        ),  # of what all runs share, each seal adds its own
        Column("part", Integer, primary_key=True),
        Column("rows", Integer, nullable=False),
        Column("content", LargeBinary, nullable=False),
    )
)
seals = Table(
    "seals",
    s.metadata,
    Column("run", s.NAME32, primary_key=True),
    Column("rows", Integer, nullable=False),
    Column("chain", s.NAME64, nullable=False),
)

Key = tuple[str | bytes, ...]  # of a row without its run, as its columns hold it
Pair = tuple[Key, bytes]  # a key and the digest of its row


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
        own = (self._parts(run, table, "", self._rows(table, run)) for table in OWN)
        self._add_parts(chain.from_iterable(own))
        self._seal_outputs()
        self.seal_row(run)

    def _parts(
        self, owner: str, table: Table, series: str, rows: Iterator[Pair]
    ) -> Iterator[dict[str, Any]]:
        """Rows of `digests`, some rows of the table in each."""
        for part in count():
            some = list(islice(rows, ROWS))
            if not some:
                return
            yield part_of(owner, table, series, part, some)

    def _add_parts(self, parts: Iterator[dict[str, Any]]) -> str:
        """Add rows of `digests`; one digest over all of them."""
        state = hashlib.blake2b(digest_size=8)
        while some := list(islice(parts, PARTS)):
            self.add_rows(digests, some)
            for row in some:
                state.update(row["content"])
        return state.hexdigest()

    def _seal_outputs(self) -> None:
        """Add the outputs that are new as a series, which two stores with the same outputs give the same name."""
        series = uuid4().hex[:16]
        made = self._add_parts(self._parts(SHARED, s.outputs, series, self._new_outputs()))
        mine = (digests.c.run == SHARED) & (digests.c.series == series)
        same = (digests.c.run == SHARED) & (digests.c.series == made)
        if made == NOTHING_NEW:
            return
        with self._engine.begin() as connection:
            take_turn(connection)
            if connection.scalar(select(digests.c.part).where(same).limit(1)) is None:
                connection.execute(update(digests).where(mine).values(series=made))
            else:
                connection.execute(delete(digests).where(mine))

    def _new_outputs(self) -> Iterator[Pair]:
        """The outputs that no run has sealed yet; both sides are read in the order of their keys."""
        known = self._sealed(SHARED, s.outputs)
        last = next(known, None)
        for key, made in self._rows(s.outputs, SHARED):
            name = short(s.outputs, key)
            while last and last[0] < name:
                last = next(known, None)
            if not last or last[0] != name:
                yield key, made

    def seal_row(self, run: str) -> None:
        """The run's own row and the chain, which another process that ends the same run may have just written."""
        with self._engine.begin() as connection:
            take_turn(connection)
            row = part_of(run, s.runs, "", 0, list(self._rows(s.runs, run)))
            add = self._insert(digests).on_conflict_do_update(
                index_elements=["run", "name", "series", "part"],
                set_={"rows": row["rows"], "content": row["content"]},
            )
            connection.execute(add, [row])
            rows, made = chain_of(connection, run)
            kept = {"rows": rows, "chain": made}
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
                made = chain_of(connection, run)
            if (kept.rows, kept.chain) != made:
                found.append(Damage(run, digests.name, changed=("the chain over all digests",)))
        return found

    def _compare(self, table: Table, run: str) -> Damage | None:
        known: defaultdict[Key, list[bytes]] = defaultdict(list)
        for name, made in self._sealed(owner_of(table, run), table):
            known[name].append(made)
        other: list[Key] = []
        for key, made in self._rows(table, run):
            sealed = known.get(short(table, key), [])
            if (found := brief(table, made)) in sealed:
                sealed.remove(found)
            else:
                other.append(key)
        changed: list[str] = []
        added: list[str] = []
        for key in other:
            sealed = known.get(short(table, key), [])
            (changed if sealed else added).append(shown(key))
            del sealed[:1]
        lost = sorted(shown(name) for name, sealed in known.items() for _ in sealed)
        if run == SHARED:
            added = []  # later runs, and those under way, have outputs of their own
        if not (changed or lost or added):
            return None
        return Damage(run, table.name, tuple(changed), tuple(lost), tuple(added))

    def _sealed(self, owner: str, table: Table) -> Iterator[Pair]:
        """Key and digest of each row that was sealed, in the order of the keys within each series and over all."""
        query = select(digests.c.series).where(
            digests.c.run == owner, digests.c.name == table.name, digests.c.part == 0
        )
        with self._engine.connect() as connection:
            series = connection.scalars(query.order_by(digests.c.series)).all()
        parts = [self._series(owner, table, one) for one in series]
        return heapq.merge(*parts, key=lambda pair: pair[0]) if len(parts) > 1 else chain(*parts)

    def _series(self, owner: str, table: Table, series: str) -> Iterator[Pair]:
        own = (digests.c.run == owner) & (digests.c.name == table.name)
        query = select(digests.c.content).where(own, digests.c.series == series)
        for part in count():
            with self._engine.connect() as connection:
                content = connection.scalar(query.where(digests.c.part == part))
            if content is None:
                return
            for key, made in unsealed(content):
                yield short(table, key), brief(table, made)

    def _rows(self, table: Table, run: str) -> Iterator[Pair]:
        """Key and digest of each row, in the order of the keys."""
        # A run is not in its rows' digests, but in whose digests they are: another store numbers it otherwise.
        columns = [column for column in table.columns if column.name != "run"]
        keys = [n for n, column in enumerate(columns) if column.primary_key]
        plain = [type_coerce(c, NullType) if isinstance(c.type, Packed) else c for c in columns]
        query = select(*plain).where(belongs(table, run)).order_by(*table.primary_key)
        with self._engine.connect() as connection:
            found = connection.execution_options(yield_per=ROWS).execute(query)
            for rows in found.partitions():
                for row in rows:
                    yield tuple([row[n] for n in keys]), row_digest(row)


def chain_of(connection: Connection, run: str) -> tuple[int, str]:
    """How many digests a run has, and one over all of them in order."""
    state, rows = hashlib.blake2b(digest_size=32), 0
    query = select(digests.c.name, digests.c.rows, digests.c.content)
    query = query.where(digests.c.run == run).order_by(digests.c.name, digests.c.part)
    for name, number, content in connection.execute(query, execution_options={"yield_per": 1}):
        rows += number
        state.update(digest([name, content.hex()], 32).encode())
    return rows, state.hexdigest()


def owner_of(table: Table, run: str) -> str:
    """Under which run a table's digests are kept."""
    return SHARED if table is s.outputs else run


def belongs(table: Table, run: str) -> ColumnElement[bool]:
    """The rows of a table that a run's seal covers."""
    if table is s.outputs:
        return table.c.status == "ok"
    return table.c.id == run if table is s.runs else table.c.run == run


def row_digest(row: Sequence[Any]) -> bytes:
    """One digest over all that a row holds."""
    return hashlib.blake2b(msgspec.msgpack.encode(tuple(row)), digest_size=8).digest()


def part_of(
    owner: str, table: Table, series: str, part: int, found: Sequence[Pair]
) -> dict[str, Any]:
    """A row of `digests`."""
    brief_pairs = [(short(table, key), brief(table, made)) for key, made in found]
    content = zlib.compress(msgspec.msgpack.encode(brief_pairs))
    row = {"run": owner, "name": table.name, "series": series, "part": part}
    return row | {"rows": len(found), "content": content}


def short(table: Table, key: Key) -> Key:
    """So much of a key as tells its row from others nearly always: whole ones were an eighth of a store."""
    if table is s.verdicts and len(key) == 3:
        key = (key[0], key[2])  # a case has one seed
    most = KEY_BYTES_SHARED if table is s.outputs else KEY_BYTES
    return tuple([part[:most] if part[:1] == HEX else part for part in key])


def brief(table: Table, made: bytes) -> bytes:
    """So much of a row's digest as sees damage; nothing where a row is all key."""
    return b"" if table is s.generated else made[:DIGEST_BYTES]


def shown(key: Key) -> str:
    """A key as a person reads it."""
    return " ".join(part if isinstance(part, str) else unpack(part) for part in key)


def unsealed(content: bytes) -> list[Pair]:
    """The digests of a part."""
    try:
        return msgspec.msgpack.decode(
            zlib.decompress(content), type=list[tuple[tuple[Any, ...], bytes]]
        )
    except (zlib.error, msgspec.DecodeError) as error:
        raise SystemFailed(f"the digests are damaged: {error}") from None
