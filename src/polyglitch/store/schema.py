"""The tables of a store. `VERSION` goes up with every change; `migrations.py` knows the way from older ones."""

from __future__ import annotations

from sqlalchemy import Column, Float, Index, Integer, MetaData, String, Table, Text

VERSION = 2

metadata = MetaData()

about = Table("about", metadata, Column("key", String(40), primary_key=True), Column("value", Text))

runs = Table(
    "runs",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("created", String(32), nullable=False),
    Column("state", String(16), nullable=False),  # running, done
    Column("definition", Text, nullable=False),
    Column("figures", Text, nullable=False),
)

seeds = Table(
    "seeds",
    metadata,
    Column("run", String(32), primary_key=True),
    Column("id", String(64), primary_key=True),
    Column("position", Integer, nullable=False),
    Column("record", Text, nullable=False),
    Index("seeds_in_order", "run", "position"),
)

generated = Table(
    "generated",
    metadata,
    Column("run", String(32), primary_key=True),
    Column("method", String(64), primary_key=True),
    Column("seed", String(64), primary_key=True),
)

cases = Table(
    "cases",
    metadata,
    Column("run", String(32), primary_key=True),
    Column("method", String(64), primary_key=True),
    Column("id", String(32), primary_key=True),
    Column("seed", String(64), nullable=False),
    Column("position", Integer, nullable=False),
    Column("record", Text, nullable=False),
    Index("cases_of_seed", "run", "method", "seed"),
    Index("cases_in_order", "run", "method", "position"),
)

verdicts = Table(
    "verdicts",
    metadata,
    Column("run", String(32), primary_key=True),
    Column("method", String(64), primary_key=True),
    Column("case", String(32), primary_key=True),
    Column("seed", String(64), nullable=False),
    Column("outcome", String(16), nullable=False),
    Column("severity", Float, nullable=False),
    Column("reason", Text, nullable=False),
    Column("record", Text, nullable=False),
    Index("verdicts_by_outcome", "run", "outcome", "method", "seed"),
)

issues = Table(
    "issues",
    metadata,
    Column("run", String(32), primary_key=True),
    Column("id", String(32), primary_key=True),
    Column("method", String(64), nullable=False),
    Column("seed", String(64), nullable=False),
    Column("severity", Float, nullable=False),
    Column("kind", String(64), nullable=False),
    Column("position", Integer, nullable=False),
    Column("record", Text, nullable=False),
    Index("issues_worst_first", "run", "position"),
    Index("issues_of_seed", "run", "seed"),
    Index("issues_by_kind", "run", "kind"),
)

labels = Table(
    "labels",
    metadata,
    Column("issue", String(32), primary_key=True),
    Column("who", String(128), primary_key=True),
    Column("verdict", String(16), nullable=False),
    Column("record", Text, nullable=False),
    Column("kind", String(64), nullable=False, server_default=""),
    Index("labels_of_reviewer", "who", "issue"),
)

label_log = Table(  # every change of a label, so that it can be taken back and looked up
    "label_log",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("run", String(32), nullable=False),
    Column("issue", String(32), nullable=False),
    Column("who", String(128), nullable=False),
    Column("at", String(32), nullable=False),
    Column("before", Text, nullable=False),  # the label as it was; empty where there was none
    Column("after", Text, nullable=False),
    Column("undone", Integer, nullable=False),
    Index("label_log_of_reviewer", "run", "who", "undone", "id"),
)

searchable = Table(  # all that a person reads of an issue, case folded, made when it is reviewed
    "searchable",
    metadata,
    Column("run", String(32), primary_key=True),
    Column("issue", String(32), primary_key=True),
    Column("text", Text, nullable=False),
)

outputs = Table(
    "outputs",
    metadata,
    Column("key", String(32), primary_key=True),
    Column("status", String(16), nullable=False),
    Column("record", Text, nullable=False),
)

# Who asks what at the moment, so that two processes on one store do not ask the same. Rows come and go.
workers = Table(
    "workers",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("host", String(128), nullable=False),
    Column("pid", Integer, nullable=False),
    Column("beat", Float, nullable=False),  # seconds since 1970 when it last said that it lives
)

claims = Table(
    "claims",
    metadata,
    Column("key", String(32), primary_key=True),
    Column("worker", String(32), nullable=False),
    Index("claims_of_worker", "worker"),
)

spending = Table(  # what each process spent on a run; their sum counts against its limits
    "spending",
    metadata,
    Column("run", String(32), primary_key=True),
    Column("worker", String(32), primary_key=True),
    Column("requests", Integer, nullable=False),
    Column("characters", Integer, nullable=False),
    Column("cost", Float, nullable=False),
)

kept = Table(
    "kept",
    metadata,
    Column("kind", String(64), primary_key=True),
    Column("key", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)
