"""The tables of a store. `VERSION` goes up with every change; `migrations.py` knows the way from older ones."""

from __future__ import annotations

from sqlalchemy import Column, Float, Index, Integer, String, Table, Text, text
from sqlalchemy.types import TypeEngine

from polyglitch.store.columns import NAME64, Named, Packed, metadata, names

__all__ = ["NAME64", "metadata", "names"]

VERSION = 4

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
    Index("seeds_in_order", "run", "position"),
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
Index(
    "verdicts_not_held",
    *(verdicts.c[name] for name in ("run", "outcome", "method", "seed")),
    sqlite_where=NOT_HELD,
    postgresql_where=NOT_HELD,
)

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
