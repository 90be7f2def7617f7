"""From the schema of an older version to this one's, a step a version; what was kept stays."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, select, text, update

from polyglitch.records import Label, decode
from polyglitch.store import schema as s


def labels_have_kinds(connection: Connection) -> None:
    """1 to 2: a label's kind in a column of its own, and indexes to filter by."""
    connection.execute(text("alter table labels add column kind varchar(64) not null default ''"))
    for index in s.labels.indexes | s.issues.indexes:
        index.create(connection, checkfirst=True)
    rows = connection.execute(select(s.labels.c.issue, s.labels.c.who, s.labels.c.record)).all()
    for issue, who, record in rows:
        connection.execute(
            update(s.labels)
            .where(s.labels.c.issue == issue, s.labels.c.who == who)
            .values(kind=decode(record, Label).kind)
        )


STEPS: dict[int, Callable[[Connection], None]] = {1: labels_have_kinds}


def migrate(connection: Connection, found: int) -> None:
    """Take a store from the version found to this one."""
    for version in range(found, s.VERSION):
        STEPS[version](connection)
    connection.execute(
        update(s.about).where(s.about.c.key == "schema").values(value=str(s.VERSION))
    )
