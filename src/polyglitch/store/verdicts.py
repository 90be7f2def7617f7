"""Verdicts and issues: what the oracles said and what a person should look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, func, select, update

from polyglitch.records import UNSTABLE, Case, Issue, Verdict, decode, encode
from polyglitch.store import schema as s
from polyglitch.store.cases import ITS_SEED, ITS_VERDICT
from polyglitch.store.rows import Rows, pages, storable
from polyglitch.store.schema import read_case, read_verdict, verdict_record

# What a case and its verdict are read from, its seed's record among it.
JUDGED = (
    *(s.cases.c.id, s.cases.c.seed, s.cases.c.record, s.seeds.c.record),
    *(s.verdicts.c.outcome, s.verdicts.c.record),
)
Fence = Callable[[Connection], object]  # raises where its holder may not write any more


class CaseTold(msgspec.Struct, frozen=True):
    """What a count reads of a case."""

    relation: str
    data: dict[str, Any] = {}


class VerdictTold(msgspec.Struct, frozen=True):
    """What a count reads of a verdict."""

    details: dict[str, float] = {}


class Tally(msgspec.Struct, frozen=True):
    """What verdicts are counted by; the capability is empty where the method tests none."""

    method: str
    relation: str
    outcome: str
    capability: str = ""
    title: str = ""
    expansion: bool = False  # of a seed's test
    pass_to_fail: bool = False  # the seed's test held


class Verdicts(Rows):
    """The verdicts and issues of each run."""

    def labelled(self) -> bool:
        """Whether people have labelled any issue at all."""
        with self._engine.connect() as connection:
            return connection.scalar(select(s.labels.c.issue).limit(1)) is not None

    def add(
        self,
        run: str,
        method: str,
        pairs: Sequence[tuple[Case, Verdict]],
        fence: Fence | None = None,
    ) -> None:
        """Keep what the oracle said; nothing of it where a fence refuses, in the same transaction."""
        rows = [
            {
                "run": run,
                "method": method,
                "seed": case.seed_id,
                "case": case.id,
                "outcome": verdict.outcome,
                "severity": verdict.severity,
                "reason": storable(verdict.reason),
                "record": verdict_record(verdict),
            }
            for case, verdict in pairs
        ]
        with self._engine.begin() as connection:
            if fence:
                fence(connection)
            self._add_to(connection, s.verdicts, rows)

    def draw(self, run: str, method: str, verdict: Verdict, drawn: dict[str, Any]) -> None:
        """Leave with a verdict what a page can draw of it, beside what is there; the verdict stays what it was."""
        shown = msgspec.structs.replace(verdict, drawn=verdict.drawn | drawn)
        c, v = s.cases, s.verdicts
        its = (c.c.run == run) & (c.c.method == method) & (c.c.id == verdict.case_id)
        seed = select(c.c.seed).where(its).scalar_subquery()
        row = (v.c.run == run) & (v.c.method == method) & (v.c.case == verdict.case_id)
        with self._engine.begin() as connection:
            changed = update(v).where(row, v.c.seed == seed).values(record=verdict_record(shown))
            connection.execute(changed)

    def outcomes(self, run: str) -> dict[tuple[str, str], int]:
        """How many verdicts there are, by method and outcome."""
        v = s.verdicts
        query = (
            select(v.c.method, v.c.outcome, func.count())
            .where(v.c.run == run)
            .group_by(v.c.method, v.c.outcome)
        )
        with self._engine.connect() as connection:
            return {(row[0], row[1]): row[2] for row in connection.execute(query)}

    def tallies(self, run: str) -> dict[Tally, int]:
        """How many verdicts there are, by relation, capability and outcome."""
        c, v = s.cases, s.verdicts
        query = (
            select(v.c.method, c.c.record, v.c.outcome, v.c.record)
            .join(v, ITS_VERDICT)
            .where(c.c.run == run)
        )
        found: Counter[Tally] = Counter()
        with self._engine.connect() as connection:
            for row in connection.execution_options(yield_per=1000).execute(query):
                found[tally(*row)] += 1
        return dict(found)

    def case_outcomes(self, run: str) -> Iterator[tuple[str, str, str]]:
        """Method, case and outcome of every verdict; `flaky` where it changed from time to time."""
        v = s.verdicts
        query = select(v.c.method, v.c.case, v.c.outcome, v.c.reason).where(v.c.run == run)
        with self._engine.connect() as connection:
            for row in connection.execution_options(yield_per=1000).execute(query):
                yield row[0], row[1], "flaky" if row[3] == UNSTABLE else row[2]

    def outcomes_of(self, run: str, method: str, cases: Sequence[str]) -> Iterator[tuple[str, str]]:
        """The outcome of each of these cases that has a verdict."""
        c, v = s.cases, s.verdicts
        query = (
            select(c.c.id, v.c.outcome)
            .join(v, ITS_VERDICT)
            .where(c.c.run == run, c.c.method == method)
        )
        with self._engine.connect() as connection:
            for some in pages(list(cases)):
                for row in connection.execute(query.where(c.c.id.in_(some))):
                    yield row[0], row[1]

    def case_capabilities(self, run: str) -> Iterator[tuple[tuple[str, str], str]]:
        """Method and case of every case that tests a capability, with its title."""
        c = s.cases
        query = select(c.c.method, c.c.id, c.c.record).where(c.c.run == run)
        with self._engine.connect() as connection:
            for method, name, record in connection.execution_options(yield_per=1000).execute(query):
                data = decode(record, CaseTold).data
                if "capability" in data:
                    yield (method, name), str(data.get("title") or data["capability"])

    def undecided_reasons(self, run: str) -> dict[str, int]:
        """Why cases were left undecided, the most common reason first."""
        v = s.verdicts
        query = (
            select(v.c.reason, func.count())
            .where(v.c.run == run, v.c.outcome == "undecided", s.NOT_HELD)
            .group_by(v.c.reason)
            .order_by(func.count().desc(), v.c.reason)
        )
        with self._engine.connect() as connection:
            return {row[0]: row[1] for row in connection.execute(query)}

    def violated_seeds(self, run: str, method: str) -> list[str]:
        """The seeds with a violation, in corpus order."""
        v = s.verdicts
        query = (
            select(v.c.seed)
            .join(s.seeds, (s.seeds.c.run == v.c.run) & (s.seeds.c.id == v.c.seed))
            .where(v.c.run == run, v.c.outcome == "violated", v.c.method == method, s.NOT_HELD)
            .group_by(v.c.seed, s.seeds.c.position)
            .order_by(s.seeds.c.position)
        )
        with self._engine.connect() as connection:
            return list(connection.scalars(query))

    def worst_severities(self, run: str, method: str) -> list[float]:
        """How far past its limit the worst violation of each seed is."""
        v = s.verdicts
        query = (
            select(func.max(v.c.severity))
            .where(v.c.run == run, v.c.outcome == "violated", v.c.method == method, s.NOT_HELD)
            .group_by(v.c.seed)
        )
        with self._engine.connect() as connection:
            return list(connection.scalars(query))

    def get(
        self,
        run: str,
        method: str,
        *,
        seeds: Sequence[str] | None = None,
        ids: Sequence[str] | None = None,
    ) -> list[tuple[Case, Verdict]]:
        """Cases with their verdicts: the violations of some seeds, or those with these ids in that order."""
        c = s.cases
        query = (
            select(*JUDGED, c.c.position)
            .select_from(c)
            .join(s.verdicts, ITS_VERDICT)
            .outerjoin(s.seeds, ITS_SEED)
            .where(c.c.run == run, c.c.method == method)
        )
        if seeds is not None:
            query = query.where(c.c.seed.in_(seeds), s.verdicts.c.outcome == "violated", s.NOT_HELD)
        # Asked to sort what ids or seeds pick, SQLite would walk all cases of the run in their order.
        elif ids is None:
            query = query.order_by(c.c.position)
        else:
            query = query.where(c.c.id.in_(ids))
        with self._engine.connect() as connection:
            rows: dict[str, Any] = {row[0]: row for row in connection.execute(query)}
        if seeds is not None:
            rows = dict(sorted(rows.items(), key=lambda item: item[1][6]))
        order = ids if ids is not None else list(rows)
        return [
            (read_case(method, *rows[i][:4]), read_verdict(i, *rows[i][4:6]))
            for i in order
            if i in rows
        ]

    def set_issues(self, run: str, found: Iterable[Issue]) -> int:
        """Replace the issues of a run, worst first; how many there are."""
        rows = [
            {
                "run": run,
                "id": issue.id,
                "method": issue.method,
                "seed": issue.seed_id,
                "severity": issue.severity,
                "kind": issue.kind,
                "position": place,
                "record": encode(issue),
            }
            for place, issue in enumerate(found, 1)
        ]
        self.replace_issues(run, rows)
        return len(rows)

    def replace_issues(self, run: str, rows: list[dict[str, Any]]) -> None:
        """Put rows in the place of a run's issues, in one transaction: a reviewer sees the old or the new."""
        with self._engine.begin() as connection:
            connection.execute(delete(s.issues).where(s.issues.c.run == run))
            self._add_to(connection, s.issues, rows)

    def issues(self, run: str, method: str | None = None) -> Iterator[Issue]:
        """The issues of a run, the worst first."""
        query = select(s.issues.c.record).where(s.issues.c.run == run)
        if method is not None:
            query = query.where(s.issues.c.method == method)
        query = query.order_by(s.issues.c.position)
        with self._engine.connect() as connection:
            for record in connection.execution_options(yield_per=200).scalars(query):
                yield decode(record, Issue)

    def issue_counts(self, run: str) -> dict[str, int]:
        """How many issues each method raised."""
        i = s.issues
        query = select(i.c.method, func.count()).where(i.c.run == run).group_by(i.c.method)
        with self._engine.connect() as connection:
            return {row[0]: row[1] for row in connection.execute(query)}

    def seeds_without_issue(self, run: str) -> dict[str, int]:
        """On how many seeds each method had a verdict and raised nothing."""
        v, i = s.verdicts, s.issues
        seeds, raised = func.count(v.c.seed.distinct()), func.count(i.c.seed.distinct())
        judged = select(v.c.method, seeds).where(v.c.run == run).group_by(v.c.method)
        found = select(i.c.method, raised).where(i.c.run == run).group_by(i.c.method)
        with self._engine.connect() as connection:
            gone = {row[0]: row[1] for row in connection.execute(found)}
            return {row[0]: row[1] - gone.get(row[0], 0) for row in connection.execute(judged)}

    def newest(self, run: str, limit: int) -> list[tuple[str, Case, Verdict]]:
        """The violations of the cases that were made last, the last first: method, case, verdict."""
        c, v = s.cases, s.verdicts
        query = (
            select(c.c.method, *JUDGED)
            .select_from(c)
            .join(v, ITS_VERDICT)
            .outerjoin(s.seeds, ITS_SEED)
            .where(v.c.run == run, v.c.outcome == "violated", s.NOT_HELD)
            .order_by(c.c.position.desc(), c.c.method)
            .limit(limit)
        )
        with self._engine.connect() as connection:
            rows = list(connection.execute(query))
        return [(row[0], read_case(*row[:5]), read_verdict(row[1], *row[5:])) for row in rows]

    def issues_of_shared_seeds(self, run: str) -> list[Issue]:
        """The issues on seeds that have more than one, in the order of the run."""
        i = s.issues
        shared = select(i.c.seed).where(i.c.run == run).group_by(i.c.seed).having(func.count() > 1)
        query = (
            select(i.c.record).where(i.c.run == run, i.c.seed.in_(shared)).order_by(i.c.position)
        )
        with self._engine.connect() as connection:
            return [decode(record, Issue) for record in connection.scalars(query)]

    def finders(self, run: str, seeds: Sequence[str]) -> dict[str, list[str]]:
        """For each seed the methods that raised an issue on it."""
        found: dict[str, set[str]] = {seed: set() for seed in seeds}
        with self._engine.connect() as connection:
            for some in pages(list(found)):
                query = select(s.issues.c.seed, s.issues.c.method)
                query = query.where(s.issues.c.run == run, s.issues.c.seed.in_(some))
                for seed, method in connection.execute(query):
                    found[seed].add(method)
        return {seed: sorted(methods) for seed, methods in found.items()}


def tally(method: str, case: str, outcome: str, verdict: str) -> Tally:
    """What a verdict counts as, from the records of a case and its verdict."""
    told = decode(case, CaseTold)
    capability, expansion = str(told.data.get("capability", "")), "parent" in told.data
    details = decode(verdict, VerdictTold).details if expansion else {}
    return Tally(
        method,
        told.relation,
        outcome,
        capability,
        str(told.data.get("title", "")),
        expansion,
        bool(details.get("pass_to_fail")),
    )
