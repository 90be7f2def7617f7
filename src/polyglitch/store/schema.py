"""The tables of a store. `VERSION` goes up with every change; `migrations.py` knows the way from older ones.

From the schema of an older version to this one's, a step a version; what was kept stays.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import (
    Column,
    Connection,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    select,
    text,
    update,
)
from sqlalchemy.types import TypeEngine

from polyglitch.records import Label, decode

VERSION = 2

metadata = MetaData()


def name(length: int) -> TypeEngine[str]:
    """A name or key, in the same order on every database: byte by byte, whatever the server's language."""
    return String(length).with_variant(String(length, collation="C"), "postgresql")


about = Table("about", metadata, Column("key", name(40), primary_key=True), Column("value", Text))

runs = Table(
    "runs",
    metadata,
    Column("id", name(32), primary_key=True),
    Column("created", name(32), nullable=False),
    Column("state", name(16), nullable=False),  # running, done
    Column("definition", Text, nullable=False),
    Column("figures", Text, nullable=False),
)

seeds = Table(
    "seeds",
    metadata,
    Column("run", name(32), primary_key=True),
    Column("id", name(64), primary_key=True),
    Column("position", Integer, nullable=False),
    Column("record", Text, nullable=False),
    Index("seeds_in_order", "run", "position"),
)

generated = Table(
    "generated",
    metadata,
    Column("run", name(32), primary_key=True),
    Column("method", name(64), primary_key=True),
    Column("seed", name(64), primary_key=True),
)

cases = Table(
    "cases",
    metadata,
    Column("run", name(32), primary_key=True),
    Column("method", name(64), primary_key=True),
    Column("id", name(32), primary_key=True),
    Column("seed", name(64), nullable=False),
    Column("position", Integer, nullable=False),
    Column("record", Text, nullable=False),
    Index("cases_of_seed", "run", "method", "seed"),
    Index("cases_in_order", "run", "method", "position"),
)

verdicts = Table(
    "verdicts",
    metadata,
    Column("run", name(32), primary_key=True),
    Column("method", name(64), primary_key=True),
    Column("case", name(32), primary_key=True),
    Column("seed", name(64), nullable=False),
    Column("outcome", name(16), nullable=False),
    Column("severity", Float, nullable=False),
    Column("reason", Text, nullable=False),
    Column("record", Text, nullable=False),
    Index("verdicts_by_outcome", "run", "outcome", "method", "seed"),
)

issues = Table(
    "issues",
    metadata,
    Column("run", name(32), primary_key=True),
    Column("id", name(32), primary_key=True),
    Column("method", name(64), nullable=False),
    Column("seed", name(64), nullable=False),
    Column("severity", Float, nullable=False),
    Column("kind", name(64), nullable=False),
    Column("position", Integer, nullable=False),
    Column("record", Text, nullable=False),
    Index("issues_worst_first", "run", "position"),
    Index("issues_of_seed", "run", "seed"),
    Index("issues_by_kind", "run", "kind"),
)

labels = Table(
    "labels",
    metadata,
    Column("issue", name(32), primary_key=True),
    Column("who", name(128), primary_key=True),
    Column("verdict", name(16), nullable=False),
    Column("record", Text, nullable=False),
    Column("kind", name(64), nullable=False, server_default=""),
    Index("labels_of_reviewer", "who", "issue"),
)

label_log = Table(  # every change of a label, so that it can be taken back and looked up
    "label_log",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("run", name(32), nullable=False),
    Column("issue", name(32), nullable=False),
    Column("who", name(128), nullable=False),
    Column("at", name(32), nullable=False),
    Column("before", Text, nullable=False),  # the label as it was; empty where there was none
    Column("after", Text, nullable=False),
    Column("undone", Integer, nullable=False),
    Index("label_log_of_reviewer", "run", "who", "undone", "id"),
)

searchable = Table(  # all that a person reads of an issue, case folded, made when it is reviewed
    "searchable",
    metadata,
    Column("run", name(32), primary_key=True),
    Column("issue", name(32), primary_key=True),
    Column("text", Text, nullable=False),
)

outputs = Table(
    "outputs",
    metadata,
    Column("key", name(32), primary_key=True),
    Column("status", name(16), nullable=False),
    Column("record", Text, nullable=False),
)

# Who asks what at the moment, so that two processes on one store do not ask the same. Rows come and go.
workers = Table(
    "workers",
    metadata,
    Column("id", name(32), primary_key=True),
    Column("host", name(128), nullable=False),
    Column("pid", Integer, nullable=False),
    Column("beat", Float, nullable=False),  # seconds since 1970 when it last said that it lives
)

claims = Table(
    "claims",
    metadata,
    Column("key", name(32), primary_key=True),
    Column("worker", name(32), nullable=False),
    Index("claims_of_worker", "worker"),
)

spending = Table(  # what each process spent on a run; their sum counts against its limits
    "spending",
    metadata,
    Column("run", name(32), primary_key=True),
    Column("worker", name(32), primary_key=True),
    Column("requests", Integer, nullable=False),
    Column("characters", Integer, nullable=False),
    Column("cost", Float, nullable=False),
)

kept = Table(
    "kept",
    metadata,
    Column("kind", name(64), primary_key=True),
    Column("key", name(64), primary_key=True),
    Column("value", Text, nullable=False),
)


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


STEPS: dict[int, Callable[[Connection], None]] = {1: labels_have_kinds}


def migrate(connection: Connection, found: int) -> None:
    """Take a store from the version found to this one."""
    for version in range(found, VERSION):
        STEPS[version](connection)
    connection.execute(update(about).where(about.c.key == "schema").values(value=str(VERSION)))
