"""The tables of a store, and how values stand in their columns. `VERSION` goes up with every change of a table;
`migrations.py` knows the way from older ones.

Names stand by their number, digests in half their length, records without what is said twice: a million cases have one
run, one method and many digests; written out in every row and index, those were most of a store. Records stay JSON,
which people and databases can search.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any

import msgspec
from sqlalchemy import (
    Column,
    ColumnElement,
    Dialect,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    select,
    text,
    type_coerce,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeEngine

from polyglitch.records import (
    Case,
    Edit,
    Input,
    Output,
    Record,
    Seed,
    Span,
    Verdict,
    decode,
    encode,
)

HEX, PLAIN = b"\0", b"\1"  # the first byte of a packed name says which it is

metadata = MetaData()
# Names and keys are in the same order on every database: byte by byte, whatever the server's language.
NAME64: TypeEngine[str] = String(64).with_variant(String(64, collation="C"), "postgresql")

names = Table(  # of runs and methods, each written once
    "names",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("name", NAME64, nullable=False, unique=True),
)


class Named(TypeDecorator[str]):
    """A name that stands in `names`; the column has its number, a query gives and gets the name."""

    impl = Integer
    cache_ok = True

    def bind_expression(self, bindvalue: Any) -> ColumnElement[Any]:
        """The number of a name that is asked for."""
        wanted = select(names.c.id).where(names.c.name == type_coerce(bindvalue, NAME64))
        return wanted.scalar_subquery()

    def column_expression(self, column: Any) -> ColumnElement[Any]:
        """The name behind a number that was found."""
        found = select(names.c.name).where(names.c.id == type_coerce(column, Integer))
        return type_coerce(found.scalar_subquery(), NAME64)

    def process_bind_param(self, value: str | None, dialect: Dialect) -> Any:
        """The name goes in as it is."""
        return value


class Packed(TypeDecorator[str]):
    """A digest in hexadecimal as the bytes it stands for; any other name as its letters."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:
        """The bytes of a name."""
        return None if value is None else pack(value)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> str | None:
        """The name of some bytes."""
        return None if value is None else unpack(value)


def pack(name: str) -> bytes:
    """A name as it is kept: half as long where it is a digest."""
    try:
        raw = bytes.fromhex(name)
    except ValueError:
        return PLAIN + name.encode()
    return HEX + raw if raw.hex() == name else PLAIN + name.encode()


def pack_all(given: Sequence[str]) -> list[bytes]:
    """Many names packed; digests of one length, as most are, all together."""
    size = len(given[0]) if given else 0
    whole = "".join(given)
    if size % 2 or any(len(name) != size for name in given):
        return list(map(pack, given))
    try:
        raw = bytes.fromhex(whole)
    except ValueError:
        return list(map(pack, given))
    if raw.hex() != whole:
        return list(map(pack, given))
    half = size // 2
    return (
        [HEX + raw[n : n + half] for n in range(0, len(raw), half)] if half else [HEX] * len(given)
    )


def unpack(raw: bytes) -> str:
    """The name that `pack` packed."""
    return raw[1:].hex() if raw[:1] == HEX else raw[1:].decode()


class unpacked(FunctionElement[str]):
    """A packed name written out, within a query."""

    type = String()
    inherit_cache = True


@compiles(unpacked, "sqlite")
def _unpacked_sqlite(element: Any, compiler: Any, **rest: Any) -> str:
    (column,) = element.clauses
    name = compiler.process(type_coerce(column, LargeBinary), **rest)
    plain = f"cast(substr({name}, 2) as text)"
    return (
        f"case substr({name}, 1, 1) when x'00' then lower(hex(substr({name}, 2))) else {plain} end"
    )


@compiles(unpacked, "postgresql")
def _unpacked_postgresql(element: Any, compiler: Any, **rest: Any) -> str:
    (column,) = element.clauses
    name = compiler.process(type_coerce(column, LargeBinary), **rest)
    plain = f"convert_from(substring({name} from 2), 'UTF8')"
    return f"case get_byte({name}, 0) when 0 then encode(substring({name} from 2), 'hex') else {plain} end"


def shape(kind: type[Record], *left_out: str, **others: Any) -> Any:
    """A record's shape in the store: no tag, nor what other columns of its row say; some fields of other types."""
    fields: list[Any] = []
    for field in msgspec.structs.fields(kind):
        given: dict[str, Any] = {"default_factory": field.default_factory}
        if field.default_factory is msgspec.NODEFAULT:
            given = {"default": field.default}
        if field.name not in left_out:
            fields.append(
                (
                    field.name,
                    others.get(field.name, field.type),
                    *(() if field.required else (msgspec.field(**given),)),
                )
            )
    return msgspec.defstruct(f"Stored{kind.__name__}", fields, omit_defaults=True)


INPUT, EDIT, SPAN, OUTPUT = shape(Input), shape(Edit), shape(Span), shape(Output)
SEED = shape(Seed, "id")
# An input that is the seed's own is left out: with one case a seed it would be half of a store.
OWN_INPUT, OWN_LABEL = 0, 1  # in its place; the other where the seed's label is expected
CASE = shape(Case, "id", "seed_id", "method", inputs=tuple[Input | int, ...])
VERDICT = shape(Verdict, "case_id", "outcome")
VALUES = {
    kind: attrgetter(*kind.__struct_fields__)
    for kind in (INPUT, EDIT, SPAN, OUTPUT, SEED, CASE, VERDICT)
}


def seed_record(seed: Seed, source: str = "") -> str:
    """What a row holds of a seed beside its id, and the source that most seeds of its run come from."""
    found = _shaped(SEED, seed)
    found.input = _shaped(INPUT, seed.input)
    if source and seed.origin.startswith(f"{source}:"):
        found.origin = seed.origin[len(source) :]
    return encode(found)


def read_seed(seed_id: str, record: str, source: str = "") -> Seed:
    """The seed of a row, of a run whose seeds come from a source."""
    found = decode(record, SEED)
    if found.origin.startswith(":"):
        found.origin = source + found.origin
    return Seed(seed_id, *VALUES[SEED](found))


def case_record(case: Case, seed: Seed | None = None) -> str:
    """What a row holds of a case beside its id, seed and method, and what its seed says."""
    found = _shaped(CASE, case)
    found.edit = case.edit and _shaped(EDIT, case.edit)
    found.inputs = [_shaped(INPUT, item) for item in case.inputs]
    own = [n for n, item in enumerate(case.inputs) if seed and item == seed.input]
    for place in own:
        found.inputs[place] = OWN_INPUT
    if own and seed and case.expected == (seed.label,):
        found.inputs[own[0]], found.expected = OWN_LABEL, ()
    return encode(found)


def read_case(
    method: str, case_id: str, seed_id: str, record: str, seed: str | None = None
) -> Case:
    """The case of a row, with the record of its seed."""
    found = decode(record, CASE)
    if any(isinstance(item, int) for item in found.inputs):
        own, label = said_by_seed(seed or "")
        if OWN_LABEL in found.inputs:
            found.expected = label
        found.inputs = tuple([own if isinstance(item, int) else item for item in found.inputs])
    relation, inputs, *rest = VALUES[CASE](found)
    return Case(case_id, seed_id, relation, inputs, method, *rest)


@lru_cache(1024)  # the cases of a seed come together
def said_by_seed(record: str) -> tuple[Input, tuple[str, ...]]:
    """What a seed asks, and its label."""
    found = decode(record, SEED)
    return found.input, () if found.label is None else (found.label,)


def verdict_record(verdict: Verdict) -> str:
    """What a row holds of a verdict beside its case and outcome."""
    found = _shaped(VERDICT, verdict)
    found.spans = tuple([_shaped(SPAN, one) for one in verdict.spans])
    return encode(found)


def read_verdict(case_id: str, outcome: Any, record: str) -> Verdict:
    """The verdict of a row."""
    return Verdict(case_id, outcome, *VALUES[VERDICT](decode(record, VERDICT)))


def output_record(output: Output) -> str:
    """What a row holds of an output."""
    return encode(_shaped(OUTPUT, output))


def read_output(record: str) -> Output:
    """The output of a row."""
    return decode(record, Output)


def _shaped(kind: Any, record: Record) -> Any:
    return kind(*VALUES[kind](record))


__all__ = ["NAME64", "metadata", "names"]

VERSION = 5

NAME16: TypeEngine[str] = String(16).with_variant(String(16, collation="C"), "postgresql")
NAME32: TypeEngine[str] = String(32).with_variant(String(32, collation="C"), "postgresql")
NAME40: TypeEngine[str] = String(40).with_variant(String(40, collation="C"), "postgresql")
NAME128: TypeEngine[str] = String(128).with_variant(String(128, collation="C"), "postgresql")

about = Table("about", metadata, Column("key", NAME40, primary_key=True), Column("value", Text))

runs = Table(
    "runs",
    metadata,
    Column("id", NAME32, primary_key=True),
    Column("created", NAME32, nullable=False),
    Column("state", NAME16, nullable=False),  # running, done
    Column("definition", Text, nullable=False),
    Column("figures", Text, nullable=False),
)

seeds = Table(
    "seeds",
    metadata,
    Column("run", Named, primary_key=True),
    Column("id", Packed, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("record", Text, nullable=False),
)

generated = Table(
    "generated",
    metadata,
    Column("run", Named, primary_key=True),
    Column("method", Named, primary_key=True),
    Column("seed", Packed, primary_key=True),
    sqlite_with_rowid=False,
)

cases = Table(
    "cases",
    metadata,
    Column("run", Named, primary_key=True),
    Column("method", Named, primary_key=True),
    Column("id", Packed, primary_key=True),
    Column("seed", Packed, nullable=False),
    Column("position", Integer, nullable=False),
    Column("record", Text, nullable=False),
    Index("cases_of_seed", "run", "method", "seed"),
    Index("cases_in_order", "run", "method", "position"),
)

verdicts = Table(
    "verdicts",
    metadata,
    Column("run", Named, primary_key=True),
    Column("method", Named, primary_key=True),
    Column(
        "seed", Packed, primary_key=True
    ),  # the verdicts of a seed are written and read together
    Column("case", Packed, primary_key=True),
    Column("outcome", NAME16, nullable=False),
    Column("severity", Float, nullable=False),
    Column("reason", Text, nullable=False),
    Column("record", Text, nullable=False),
    sqlite_with_rowid=False,
)
# Most cases hold, and nobody looks for those: an index of the others is small.
NOT_HELD = verdicts.c.outcome != text("'holds'")
verdicts_not_held = Index(
    "verdicts_not_held",
    *(verdicts.c[name] for name in ("run", "outcome", "method", "seed")),
    sqlite_where=NOT_HELD,
)


def make_ready_for_postgres() -> None:
    """Tell the tables what PostgreSQL is told of them: its dialect takes a tenth of a second to import."""
    verdicts_not_held.dialect_kwargs["postgresql_where"] = NOT_HELD


issues = Table(
    "issues",
    metadata,
    Column("run", NAME32, primary_key=True),
    Column("id", NAME32, primary_key=True),
    Column("method", NAME64, nullable=False),
    Column("seed", NAME64, nullable=False),
    Column("severity", Float, nullable=False),
    Column("kind", NAME64, nullable=False),
    Column("position", Integer, nullable=False),
    Column("record", Text, nullable=False),
    Index("issues_worst_first", "run", "position"),
    Index("issues_of_seed", "run", "seed"),
    Index("issues_by_kind", "run", "kind"),
)

labels = Table(
    "labels",
    metadata,
    Column("issue", NAME32, primary_key=True),
    Column("who", NAME128, primary_key=True),
    Column("verdict", NAME16, nullable=False),
    Column("record", Text, nullable=False),
    Column("kind", NAME64, nullable=False, server_default=""),
    Index("labels_of_reviewer", "who", "issue"),
)

label_log = Table(  # every change of a label, so that it can be taken back and looked up
    "label_log",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("run", NAME32, nullable=False),
    Column("issue", NAME32, nullable=False),
    Column("who", NAME128, nullable=False),
    Column("at", NAME32, nullable=False),
    Column("before", Text, nullable=False),  # the label as it was; empty where there was none
    Column("after", Text, nullable=False),
    Column("undone", Integer, nullable=False),
    Index("label_log_of_reviewer", "run", "who", "undone", "id"),
)

searchable = Table(  # all that a person reads of an issue, case folded, made when it is reviewed
    "searchable",
    metadata,
    Column("run", NAME32, primary_key=True),
    Column("issue", NAME32, primary_key=True),
    Column("text", Text, nullable=False),
)

outputs = Table(
    "outputs",
    metadata,
    Column("key", Packed, primary_key=True),
    Column("status", NAME16, nullable=False),
    Column("record", Text, nullable=False),
)

# Who asks what at the moment, so that two processes on one store do not ask the same. Rows come and go.
leases = Table(
    "leases",
    metadata,
    Column(
        "token", Integer, primary_key=True, autoincrement=True
    ),  # a later lease has a higher one
    Column("holder", NAME32, nullable=False, unique=True),
    Column("expires", Float, nullable=False),  # by the store's clock, in seconds since 1970
    sqlite_autoincrement=True,  # a number is never given twice, even after its row went
)

claims = Table(  # counts while its lease lives
    "claims",
    metadata,
    Column("key", Packed, primary_key=True),
    Column("token", Integer, nullable=False),
    sqlite_with_rowid=False,
)

spending = Table(  # what each process spent on a run; their sum counts against its limits
    "spending",
    metadata,
    Column("run", NAME32, primary_key=True),
    Column("worker", NAME32, primary_key=True),
    Column("requests", Integer, nullable=False),
    Column("characters", Integer, nullable=False),
    Column("cost", Float, nullable=False),
    # Set aside before it was sent. Of a process that was killed nobody knows what it sent: it stays, and counts.
    Column("reserved_characters", Integer, nullable=False, server_default="0"),
    Column("reserved_cost", Float, nullable=False, server_default="0"),
)

kept = Table(
    "kept",
    metadata,
    Column("kind", NAME64, primary_key=True),
    Column("key", NAME64, primary_key=True),
    Column("value", Text, nullable=False),
)
