"""What people review and say of it: pages of issues as a reviewer filters them, a label a reviewer, every change in a
log, so that any can be taken back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Subquery,
    delete,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)

from polyglitch.records import Issue, Label, decode, encode
from polyglitch.store import schema as s
from polyglitch.store.cases import ITS_SEED
from polyglitch.store.rows import Rows, pages, storable, take_turn
from polyglitch.store.schema import unpacked


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

    def of_issue(self, issue: str) -> list[Label]:
        """What each reviewer says of an issue, by name."""
        return self.of_issues([issue])[issue]

    def of_issues(self, issues: Sequence[str]) -> dict[str, list[Label]]:
        """What each reviewer says of some issues, by name."""
        found: dict[str, list[Label]] = {issue: [] for issue in issues}
        with self._engine.connect() as connection:
            for some in pages(list(found)):
                query = select(s.labels.c.issue, s.labels.c.record).order_by(s.labels.c.who)
                for issue, record in connection.execute(query.where(s.labels.c.issue.in_(some))):
                    found[issue].append(decode(record, Label))
        return found

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

    def counts(self, run: str, hidden: Collection[str] = ()) -> list[LabelCount]:
        """How far each reviewer is with the issues of a run, those that are not shown left out."""
        who, verdict = s.labels.c.who, s.labels.c.verdict
        query = select(who, verdict, func.count()).where(of_run(run)).group_by(who, verdict)
        if hidden:
            query = query.where(s.labels.c.issue.not_in(hidden))
        found: dict[str, dict[str, int]] = {}
        with self._engine.connect() as connection:
            for name, said, count in connection.execute(query):
                found.setdefault(name, {})[said] = count
        return [LabelCount(name, found[name]) for name in sorted(found)]

    def labelled_by(self, run: str, who: str, hidden: Collection[str] = ()) -> int:
        """How many issues of a run a reviewer has labelled, those that are not shown left out."""
        query = select(func.count()).select_from(s.labels).where(of_run(run), s.labels.c.who == who)
        if hidden:
            query = query.where(s.labels.c.issue.not_in(hidden))
        with self._engine.connect() as connection:
            return connection.scalar(query) or 0

    def joint(
        self, run: str, hidden: Collection[str] = ()
    ) -> dict[tuple[str, str], dict[tuple[str, str], int]]:
        """For every two reviewers, how often the one said this and the other that of an issue that is not hidden."""
        one, other = s.labels.alias("one"), s.labels.alias("other")
        columns = (one.c.who, other.c.who, one.c.verdict, other.c.verdict)
        query = (
            select(*columns, func.count())
            .select_from(s.issues)
            .join(one, one.c.issue == s.issues.c.id)
            .join(other, (other.c.issue == one.c.issue) & (other.c.who > one.c.who))
            .where(s.issues.c.run == run, s.issues.c.id.not_in(hidden))
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


def of_run(run: str) -> ColumnElement[bool]:
    """The labels on issues of a run, each looked up: joined, all issues of the run would be walked for a few labels."""
    return exists().where(s.issues.c.run == run, s.issues.c.id == s.labels.c.issue)


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


Tab = Literal["issues", "undecided", "held"]
RUN_IN_ID = 12  # characters of the run in the name of an undecided case: the name fits 32


class QueueFilter(msgspec.Struct, frozen=True):
    """A filter; empty fields let everything pass."""

    shelf: Tab = "issues"
    method: str = ""
    kind: str = ""  # suspected by the method or named by a reviewer
    least: float | None = None  # how far past the threshold at least
    label: str = ""  # a verdict of this reviewer's, "unlabelled", "labelled" or "disagreement"
    search: str = ""


class QueueRow(msgspec.Struct, frozen=True):
    """One line of the queue, with what the asking reviewer said of it."""

    position: int
    id: str
    method: str
    seed: str
    severity: float
    kind: str
    record: str
    verdict: str | None

    @property
    def issue(self) -> Issue:
        """The issue, or an undecided case in the shape of one."""
        if self.record:
            return decode(self.record, Issue)
        case = self.id.partition(":")[2]
        return Issue(self.id, self.seed, self.method, (case,), self.severity)


class Queue(Rows):
    """Pages of issues, by position: as quick at the end of a run as at its start."""

    def page(
        self,
        run: str,
        who: str,
        wanted: QueueFilter,
        *,
        after: int | None = None,
        before: int | None = None,
        limit: int = 50,
        hidden: Collection[str] = (),
    ) -> list[QueueRow]:
        """The rows that come next after a position, or right before one; in order either way."""
        items, own = _shelf(run, wanted), s.labels.alias("own")
        columns = [items.c[name] for name in QueueRow.__struct_fields__ if name != "verdict"]
        query = _filtered(select(*columns, own.c.verdict), items, own, who, wanted)
        query = _without(query, items, hidden)
        if before is not None:
            query = query.where(items.c.position < before).order_by(items.c.position.desc())
        else:
            query = query.where(items.c.position > (after or 0)).order_by(items.c.position)
        with self._engine.connect() as connection:
            rows = [QueueRow(**row) for row in connection.execute(query.limit(limit)).mappings()]
        return rows[::-1] if before is not None else rows

    def row(self, run: str, who: str, wanted: QueueFilter, item: str) -> QueueRow | None:
        """One row by its id, whether or not the filter lets it pass."""
        items = _shelf(run, wanted)
        query = select(items.c.position).where(items.c.id == item)
        with self._engine.connect() as connection:
            position = connection.scalar(query)
        if position is None:
            return None
        found = self.page(run, who, QueueFilter(wanted.shelf), after=position - 1, limit=1)
        return found[0] if found else None

    def count(self, run: str, who: str, wanted: QueueFilter, hidden: Collection[str] = ()) -> int:
        """How many rows the filter lets pass."""
        items, own = _shelf(run, wanted), s.labels.alias("own")
        query = _without(_filtered(select(func.count()), items, own, who, wanted), items, hidden)
        with self._engine.connect() as connection:
            return connection.scalar(query) or 0

    def suspected_kinds(self, run: str) -> set[str]:
        """The kinds that methods suspect in a run."""
        return self._distinct(select(s.issues.c.kind).where(s.issues.c.run == run))

    def named_kinds(self, run: str) -> set[str]:
        """The kinds that reviewers name in a run."""
        query = select(s.labels.c.kind).where(s.labels.c.kind != "")
        return self._distinct(query.where(of_run(run)))

    def _distinct(self, query: Select[Any]) -> set[str]:
        with self._engine.connect() as connection:
            return set(filter(None, connection.scalars(query.distinct())))

    def unsearchable(self, run: str) -> list[str]:
        """The issues of a run whose texts cannot be searched yet."""
        i, t = s.issues, s.searchable
        query = (
            select(i.c.record)
            .outerjoin(t, (t.c.run == i.c.run) & (t.c.issue == i.c.id))
            .where(i.c.run == run, t.c.issue.is_(None))
            .order_by(i.c.position)
        )
        with self._engine.connect() as connection:
            return list(connection.scalars(query))

    def make_searchable(self, run: str, texts: dict[str, str]) -> None:
        """Keep what a person reads of some issues, for `Wanted.search`."""
        rows = [{"run": run, "issue": key, "text": fold(text)} for key, text in texts.items()]
        self.add_rows(s.searchable, rows)


def _without(query: Select[Any], items: Subquery, hidden: Collection[str]) -> Select[Any]:
    return query.where(items.c.id.not_in(hidden)) if hidden else query


def fold(text: str) -> str:
    """A text as it is searched: without case, and as a database can keep it."""
    return storable(text.casefold())


def _shelf(run: str, wanted: QueueFilter) -> Subquery:
    if wanted.shelf == "undecided":
        return _undecided(run)
    if wanted.shelf == "held":
        return _held(run)
    i, t = s.issues, s.searchable
    query = select(i.c.position, i.c.id, i.c.method, i.c.seed, i.c.severity, i.c.kind, i.c.record)
    if wanted.search:  # the texts are long: they are read only where they are looked into
        join = (t.c.run == i.c.run) & (t.c.issue == i.c.id)
        query = query.add_columns(t.c.text).outerjoin(t, join)
    return query.where(i.c.run == run).subquery("items")


def _undecided(run: str) -> Subquery:
    v = s.verdicts
    query = _cases(run, v, (v.c.method, s.cases.c.position))
    undecided = (v.c.run == run, v.c.outcome == "undecided", s.NOT_HELD)
    return query.where(*undecided).subquery("items")


def _held(run: str) -> Subquery:
    """Of every sentence without a violation the case that came nearest to one, in an order like chance:
    the names of cases are digests, so the first of them are a sample."""
    v, other = s.verdicts, s.verdicts.alias("other")
    violated = (
        select(other.c.case)
        .where(other.c.run == v.c.run, other.c.outcome == "violated")
        .where(other.c.method == v.c.method, other.c.seed == v.c.seed)
    )
    nearest = func.row_number().over(
        partition_by=(v.c.method, v.c.seed), order_by=(v.c.severity.desc(), v.c.case)
    )
    near = (
        select(v, nearest.label("nearest"))
        .where(v.c.run == run, v.c.outcome == "holds", ~violated.exists())
        .subquery("near")
    )
    return _cases(run, near, (near.c.case,)).where(near.c.nearest == 1).subquery("items")


def _cases(run: str, v: Any, order: tuple[Any, ...]) -> Select[Any]:
    """Cases with their verdicts in the shape of issues."""
    c = s.cases
    blank: Any = literal("")
    told = func.coalesce(s.seeds.c.record, blank)  # what its seed asks a case does not repeat
    query = select(
        func.row_number().over(order_by=order).label("position"),
        (literal(f"{run[:RUN_IN_ID]}:") + unpacked(v.c.case)).label("id"),
        v.c.method,
        v.c.seed,
        v.c.severity,
        blank.label("kind"),
        blank.label("record"),
        func.lower(v.c.reason + " " + c.c.record + " " + told).label("text"),
    )
    own = (c.c.run == v.c.run) & (c.c.method == v.c.method) & (c.c.id == v.c.case)
    return query.select_from(v).join(c, own).outerjoin(s.seeds, ITS_SEED)


def _filtered(
    query: Select[Any], items: Subquery, own: Any, who: str, wanted: QueueFilter
) -> Select[Any]:
    mine = (own.c.issue == items.c.id) & (own.c.who == who)
    conditions = _conditions(items, own.c.verdict, wanted)
    return query.select_from(items).outerjoin(own, mine).where(*conditions)


def _conditions(items: Subquery, own: Any, wanted: QueueFilter) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if wanted.method:
        found.append(items.c.method == wanted.method)
    if wanted.kind:
        named = select(s.labels.c.issue).where(s.labels.c.kind == wanted.kind)
        found.append(or_(items.c.kind == wanted.kind, items.c.id.in_(named)))
    if wanted.least is not None:
        found.append(items.c.severity >= wanted.least)
    if wanted.search:
        found.append(items.c.text.contains(fold(wanted.search), autoescape=True))
    if wanted.label == "disagreement":
        verdict = s.labels.c.verdict
        torn = select(s.labels.c.issue).group_by(s.labels.c.issue)
        found.append(items.c.id.in_(torn.having(func.min(verdict) != func.max(verdict))))
    elif wanted.label == "unlabelled":
        found.append(own.is_(None))
    elif wanted.label == "labelled":
        found.append(own.is_not(None))
    elif wanted.label:
        found.append(own == wanted.label)
    return found
