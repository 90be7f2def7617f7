"""Rows of tables: added where they are not there yet, found by keys, and all of it done again where a server went away.

Thousands of rows go in with one statement, in the driver's own words: what SQLAlchemy does for each row costs more than
the row.

Lists of values in the form that PostgreSQL reads from the wire, and what each connection to it is told first.

Thousands of rows go in as one array a column. The driver writes arrays as text, value by value with a regular
expression, and the server reads them back the same way: that cost more than all other work on a case. In binary a list
is its lengths and its bytes, joined.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, wraps
from inspect import isfunction, isgeneratorfunction
from itertools import chain
from struct import Struct, pack
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sqlalchemy import (
    Column,
    Connection,
    Float,
    Integer,
    LargeBinary,
    Table,
    bindparam,
    func,
    select,
)

from polyglitch.errors import SystemFailed
from polyglitch.store.schema import Named, Packed, names, pack_all

if TYPE_CHECKING:
    from polyglitch.store.store import Database


SIZE = Struct("!i")
HEAD = Struct(
    "!5i"
)  # dimensions, whether there are nulls, the kind, how many, where counting starts
KINDS = {"text[]": 25, "bytea[]": 17, "bigint[]": 20, "int[]": 23, "float8[]": 701}
ARRAYS = {"bigint[]": ("iq", 8), "int[]": ("ii", 4), "float8[]": ("id", 8)}
TURN = 0x706F6C79  # the lock of `take_turn` among all that others may use on the server
PAGE = 500  # keys a query: below SQLite's bound on variables on every build
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 2.0  # seconds before it is tried again
PATIENCE = 120.0  # seconds for a server to come back: a restart takes a few, an update a minute
COUNTED = {"preserve_rowcount": True}
NUMBERS = select(names.c.name, names.c.id).where(
    names.c.name.in_(bindparam("wanted", expanding=True))
)


class Array:
    """A list as the server reads it; its kind stands in the statement, as `%s::text[]`."""

    __slots__ = ("wire",)

    def __init__(self, kind: str, values: Sequence[Any]) -> None:
        if kind in ARRAYS:
            body = numbers(kind, values)
        else:
            body = strings(values if kind == "bytea[]" else [text.encode() for text in values])
        self.wire = HEAD.pack(1, 0, KINDS[kind], len(values), 1) + body


def numbers(kind: str, values: Sequence[Any]) -> bytes:
    """Each number after its length, which is always the same."""
    form, size = ARRAYS[kind]
    sized = chain.from_iterable((size, value) for value in values)
    return pack("!" + form * len(values), *sized)


def strings(values: Sequence[bytes]) -> bytes:
    """Each value after its length."""
    size: Callable[[int], bytes] = cache(SIZE.pack)
    return b"".join(chain.from_iterable((size(len(value)), value) for value in values))


@cache
def array_dumper() -> type[Any]:
    """How the driver passes an `Array` on: as it is. The driver is an extra, so this is made when one connects."""
    from psycopg.adapt import Dumper
    from psycopg.pq import Format

    class ArrayDumper(Dumper):
        format = Format.BINARY

        def dump(self, obj: Array) -> bytes:
            return obj.wire

    return ArrayDumper


def prepare(connection: Any, _: Any) -> None:
    """Tell a new connection how its statements are planned, and what an `Array` is.

    A plan made while the tables were empty would be kept for the run, and read all of them for every batch; so would
    one that takes a page for dear to fetch."""
    connection.adapters.register_dumper(Array, array_dumper())
    with connection.cursor() as cursor:
        cursor.execute("set plan_cache_mode = force_custom_plan; set random_page_cost = 1.1")
    connection.commit()


class Disconnected(SystemFailed):
    """A server went away. Whether what was under way was kept nobody knows: it is done again."""


class Waiting:
    """A handler of Ctrl-C that lets the first wait and passes on the second."""

    def __init__(self, before: Callable[[int, FrameType | None], Any]) -> None:
        self.before, self.came = before, False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.came:
            self.before(number, frame)
        self.came = True


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Have Ctrl-C wait for the end of a transaction: cut in two it would leave its lock on the file to nobody."""
    before = signal.getsignal(signal.SIGINT)
    here = threading.current_thread() is threading.main_thread()
    if not here or not callable(before) or isinstance(before, Waiting):
        yield
        return
    waiting = Waiting(before)
    signal.signal(signal.SIGINT, waiting)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if waiting.came:
            before(signal.SIGINT, None)


Method = TypeVar("Method", bound=Callable[..., Any])


def repeated(method: Method) -> Method:
    """A method of `Rows` that is done again once its server is back, as after a restart."""

    @wraps(method)
    def call(self: Rows, *arguments: Any, **named: Any) -> Any:
        pause, waited = FIRST_PAUSE, 0.0
        once = any(isinstance(argument, Iterator) for argument in arguments)  # read by then
        while True:
            try:
                with uninterrupted():
                    return method(self, *arguments, **named)
            except Disconnected as error:
                if once or waited >= PATIENCE:
                    raise SystemFailed(str(error)) from error  # whoever called this waits no longer
                self._sleep(pause)
                pause, waited = min(2 * pause, LONGEST_PAUSE), waited + pause

    return cast(Method, call)


class Rows:
    """Some tables of a database, with the one kind of write that a store needs: add what is not there yet.

    Public methods are whole transactions that may be done twice, and are where a server went away in between; a
    class whose methods may not says so by `repeat=False`."""

    def __init_subclass__(cls, repeat: bool = True) -> None:
        for name, value in list(vars(cls).items()):
            plain = isfunction(value) and not isgeneratorfunction(value)
            if repeat and plain and not name.startswith("_"):
                setattr(cls, name, repeated(value))

    def __init__(self, database: Database) -> None:
        self._engine, self._insert = database.engine, database.insert
        self._sleep = database.sleep

    @repeated
    def add_rows(self, table: Table, rows: list[dict[str, Any]]) -> None:
        """Add the rows that are not there yet."""
        self._add_all([(table, rows)])

    def _add_all(self, batches: list[tuple[Table, list[dict[str, Any]]]]) -> list[int]:
        """Add rows of several tables, all or none; how many of each were not there yet."""
        with self._engine.begin() as connection:
            return [self._add_to(connection, table, rows) for table, rows in batches]

    def _add_to(self, connection: Connection, table: Table, rows: list[dict[str, Any]]) -> int:
        return add_to(connection, table, rows)


def add_to(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> int:
    """Add rows, all with the same columns, where they are not there yet; how many were new."""
    if not rows:
        return 0
    statement = insertion(table, tuple(rows[0]), connection.dialect.name)
    if connection.dialect.name == "sqlite":
        values: Any = list(zip(*by_column(connection, table, rows), strict=True))
    else:
        # In one order, whoever writes: else two writers could wait for each other for ever.
        keys = [column.name for column in table.primary_key if column.name in rows[0]]
        rows = sorted(rows, key=lambda row: [row[key] for key in keys])
        kinds = [array_of(table.c[name]) for name in rows[0]]
        values = tuple(map(Array, kinds, by_column(connection, table, rows)))
    return connection.exec_driver_sql(statement, values, execution_options=COUNTED).rowcount


def by_column(
    connection: Connection, table: Table, rows: list[dict[str, Any]]
) -> Iterator[list[Any]]:
    """The values of each column as the driver takes them."""
    for name in rows[0]:
        values, kind = [row[name] for row in rows], table.c[name].type
        if isinstance(kind, Packed):
            values = pack_all(values)
        elif isinstance(kind, Named):
            numbers = numbers_of(connection, set(values))
            values = [numbers[value] for value in values]
        yield values


def numbers_of(connection: Connection, wanted: set[str]) -> dict[str, int]:
    """The numbers of names. They are asked for every time: what a transaction gave may have been taken back."""
    numbers = read_numbers(connection, wanted)
    if len(numbers) < len(wanted):
        add_to(connection, names, [{"name": name} for name in sorted(wanted - numbers.keys())])
        numbers = read_numbers(connection, wanted)
    return numbers


def read_numbers(connection: Connection, wanted: set[str]) -> dict[str, int]:
    """The numbers of the names that have one."""
    found = connection.execute(NUMBERS, {"wanted": sorted(wanted)})
    return {row[0]: row[1] for row in found}


@cache
def insertion(table: Table, columns: tuple[str, ...], dialect: str) -> str:
    """The statement that adds rows where they are not there yet: row by row to SQLite, by columns to PostgreSQL."""
    into = f"insert into {table.name} ({', '.join(map(quoted, columns))})"
    if dialect == "sqlite":
        return f"{into} values ({', '.join('?' * len(columns))}) on conflict do nothing"
    arrays = ", ".join(f"%s::{array_of(table.c[name])}" for name in columns)
    return f"{into} select * from unnest({arrays}) on conflict do nothing"  # noqa: S608


def quoted(name: str) -> str:
    """A column's name as SQL has it: `case` is a word of its own there."""
    return f'"{name}"'


def array_of(column: Column[Any]) -> str:
    """What PostgreSQL calls a list of a column's values."""
    kinds = {Named: "int[]", Packed: "bytea[]", LargeBinary: "bytea[]"}
    kinds |= {Integer: "bigint[]", Float: "float8[]"}
    return kinds.get(type(column.type), "text[]")


def by_keys(
    connection: Connection, statement: str, keys: Sequence[bytes], *values: Any
) -> Iterator[Any]:
    """Do a statement for some keys, a page of them at a time; `{keys}` stands for them and `{value}` for the rest.

    What each page gave: its rows, or how many it changed."""
    sqlite = connection.dialect.name == "sqlite"
    for start in range(0, len(keys), PAGE):
        some = list(keys[start : start + PAGE])
        marks = f"in ({', '.join('?' * len(some))})" if sqlite else "= any(%s::bytea[])"
        text = statement.format(keys=marks, value="?" if sqlite else "%s")
        given = (*values, *some) if sqlite else (*values, Array("bytea[]", some))
        yield connection.exec_driver_sql(text, given, execution_options=COUNTED)


def pages(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    """The keys, so many a query."""
    for start in range(0, len(keys), PAGE):
        yield keys[start : start + PAGE]


def storable(text: str) -> str:
    """A text as every database keeps it: without zero characters and halves of surrogate pairs."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def take_turn(connection: Connection) -> None:
    """Let no other process write, from here to the end of the transaction, that also takes its turn."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.execute(select(func.pg_advisory_xact_lock(TURN)))
