"""The tables of a store. `VERSION` goes up with every change; `migrations.py` knows the way from older ones."""

from __future__ import annotations

from sqlalchemy import Column, Float, Index, Integer, MetaData, String, Table, Text

VERSION = 1

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
)

labels = Table(
    "labels",
    metadata,
    Column("issue", String(32), primary_key=True),
    Column("who", String(128), primary_key=True),
    Column("verdict", String(16), nullable=False),
    Column("record", Text, nullable=False),
)

outputs = Table(
    "outputs",
    metadata,
    Column("key", String(32), primary_key=True),
    Column("status", String(16), nullable=False),
    Column("record", Text, nullable=False),
)

kept = Table(
    "kept",
    metadata,
    Column("kind", String(64), primary_key=True),
    Column("key", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)
