"""Lists of values in the form that PostgreSQL reads from the wire, and what each connection to it is told first.

Thousands of rows go in as one array a column. The driver writes arrays as text, value by value with a regular
expression, and the server reads them back the same way: that cost more than all other work on a case. In binary a list
is its lengths and its bytes, joined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain
from struct import Struct, pack
from typing import Any

SIZE = Struct("!i")
HEAD = Struct(
    "!5i"
)  # dimensions, whether there are nulls, the kind, how many, where counting starts
KINDS = {"text[]": 25, "bytea[]": 17, "bigint[]": 20, "int[]": 23, "float8[]": 701}
NUMBERS = {"bigint[]": ("iq", 8), "int[]": ("ii", 4), "float8[]": ("id", 8)}


class Array:
    """A list as the server reads it; its kind stands in the statement, as `%s::text[]`."""

    __slots__ = ("wire",)

    def __init__(self, kind: str, values: Sequence[Any]) -> None:
        if kind in NUMBERS:
            body = numbers(kind, values)
        else:
            body = strings(values if kind == "bytea[]" else [text.encode() for text in values])
        self.wire = HEAD.pack(1, 0, KINDS[kind], len(values), 1) + body


def numbers(kind: str, values: Sequence[Any]) -> bytes:
    """Each number after its length, which is always the same."""
    form, size = NUMBERS[kind]
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
