"""What people say of issues: a label a reviewer, every change in a log, so that any can be taken back."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy import Connection, Select, delete, func, insert, select, update

from polyglitch.records import Issue, Label, decode, encode
from polyglitch.store import schema as s
from polyglitch.store.rows import Rows, take_turn


class LabelCount(msgspec.Struct, frozen=True):
    """How many issues of a run a reviewer has labelled, by verdict."""

    who: str
    verdicts: dict[str, int]

    @property
    def total(self) -> int:
        """All labels of the reviewer."""
        return sum(self.verdicts.values())


class Labels(Rows, repeat=False):
    """The labels of each issue and reviewer."""

    def set(self, run: str, label: Label) -> None:
        """Keep a reviewer's word on an issue in place of an earlier one."""
        with self._engine.begin() as connection:
            take_turn(connection)  # else one person's two windows could both log the same `before`
            before = _record(connection, label.issue_id, label.who)
            replace_label(connection, label.issue_id, label.who, encode(label))
            row = {
                "run": run,
                "issue": label.issue_id,
                "who": label.who,
                "at": label.when,
                "before": before,
                "after": encode(label),
                "undone": 0,
            }
            connection.execute(insert(s.label_log).values(row))

    def undo(self, run: str, who: str) -> str | None:
        """Take back a reviewer's last change in a run; the issue it was about, if there was one."""
        log = s.label_log
        last = (
            select(log)
            .where(log.c.run == run, log.c.who == who, log.c.undone == 0)
            .order_by(log.c.id.desc())
            .limit(1)
        )
        with self._engine.begin() as connection:
            take_turn(connection)
            row = connection.execute(last).one_or_none()
            if row is None:
                return None
            replace_label(connection, row.issue, who, row.before)
            connection.execute(update(log).where(log.c.id == row.id).values(undone=1))
        return str(row.issue)

    def any(self) -> bool:
        """Whether anything was labelled at all."""
        with self._engine.connect() as connection:
            return connection.scalar(select(s.labels.c.issue).limit(1)) is not None

    def of_issue(self, issue: str) -> list[Label]:
        """What each reviewer says of an issue, by name."""
        query = select(s.labels.c.record).where(s.labels.c.issue == issue).order_by(s.labels.c.who)
        with self._engine.connect() as connection:
            return [decode(record, Label) for record in connection.scalars(query)]

    def of_run(self, run: str) -> list[Label]:
        """All labels on the issues of a run, worst issue first."""
        query = _of_run(select(s.labels.c.record), run).order_by(
            s.issues.c.position, s.labels.c.who
        )
        with self._engine.connect() as connection:
            return [decode(record, Label) for record in connection.scalars(query)]

    def every(self) -> Iterator[tuple[Label, str, Issue | None]]:
        """All labels of the store, each with the runs that raised its issue; a bare case has none."""
        i = s.issues
        query = select(s.labels.c.record, i.c.run, i.c.record).outerjoin(
            i, i.c.id == s.labels.c.issue
        )
        with self._engine.connect() as connection:
            for label, run, issue in connection.execute(query):
                yield decode(label, Label), run or "", decode(issue, Issue) if issue else None

    def counts(self, run: str) -> list[LabelCount]:
        """How far each reviewer is with the issues of a run."""
        who, verdict = s.labels.c.who, s.labels.c.verdict
        query = _of_run(select(who, verdict, func.count()), run).group_by(who, verdict)
        found: dict[str, dict[str, int]] = {}
        with self._engine.connect() as connection:
            for name, said, count in connection.execute(query):
                found.setdefault(name, {})[said] = count
        return [LabelCount(name, found[name]) for name in sorted(found)]

    def labelled_by(self, run: str, who: str, hidden: Collection[str] = ()) -> int:
        """How many issues of a run a reviewer has labelled, those that are not shown left out."""
        query = _of_run(select(func.count()), run).where(s.labels.c.who == who)
        if hidden:
            query = query.where(s.labels.c.issue.not_in(hidden))
        with self._engine.connect() as connection:
            return connection.scalar(query) or 0

    def joint(self, run: str) -> dict[tuple[str, str], dict[tuple[str, str], int]]:
        """For every two reviewers, how often the one said this and the other that of an issue."""
        one, other = s.labels.alias("one"), s.labels.alias("other")
        columns = (one.c.who, other.c.who, one.c.verdict, other.c.verdict)
        query = (
            select(*columns, func.count())
            .select_from(s.issues)
            .join(one, one.c.issue == s.issues.c.id)
            .join(other, (other.c.issue == one.c.issue) & (other.c.who > one.c.who))
            .where(s.issues.c.run == run)
            .group_by(*columns)
        )
        found: dict[tuple[str, str], dict[tuple[str, str], int]] = {}
        with self._engine.connect() as connection:
            for first, second, said, replied, count in connection.execute(query):
                found.setdefault((first, second), {})[said, replied] = count
        return dict(sorted(found.items()))


def now() -> str:
    """The time as labels carry it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _of_run(query: Select[Any], run: str) -> Select[Any]:
    # A label is of an issue, whatever the run: the same finding in a later run is labelled already.
    return (
        query.select_from(s.issues)
        .join(s.labels, s.labels.c.issue == s.issues.c.id)
        .where(s.issues.c.run == run)
    )


def _record(connection: Connection, issue: str, who: str) -> str:
    query = select(s.labels.c.record).where(s.labels.c.issue == issue, s.labels.c.who == who)
    return connection.scalar(query) or ""


def replace_label(connection: Connection, issue: str, who: str, record: str) -> None:
    """Put a label in place of the one there; an empty record only takes that away."""
    connection.execute(delete(s.labels).where(s.labels.c.issue == issue, s.labels.c.who == who))
    if record:
        label = decode(record, Label)
        row = {"issue": issue, "who": who, "verdict": label.verdict, "kind": label.kind}
        connection.execute(insert(s.labels).values(row | {"record": record}))
