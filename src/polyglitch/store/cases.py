"""Seeds and the cases made of them, in order, and which of them still wait for a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlalchemy import exists, func, select, tuple_

from polyglitch.records import Case, Seed, decode, encode
from polyglitch.store import schema as s
from polyglitch.store.database import Rows, pages


class Cases(Rows):
    """The seeds and cases of each run."""

    def add_seeds(self, run: str, first: int, seeds: Sequence[Seed]) -> None:
        """Keep some seeds under their place in the corpus."""
        self.add_rows(
            s.seeds,
            [
                {"run": run, "id": seed.id, "position": first + n, "record": encode(seed)}
                for n, seed in enumerate(seeds)
            ],
        )

    def seed(self, run: str, seed_id: str) -> Seed:
        """One seed of a run."""
        query = select(s.seeds.c.record).where(s.seeds.c.run == run, s.seeds.c.id == seed_id)
        with self._engine.connect() as connection:
            return decode(connection.scalar(query) or "", Seed)

    def seed_labels(self, run: str) -> set[str]:
        """The different labels of a run's seeds, as their corpus has them."""
        query = select(s.seeds.c.record).where(s.seeds.c.run == run)
        found: set[str] = set()
        with self._engine.connect() as connection:
            for record in connection.execution_options(yield_per=500).scalars(query):
                label = decode(record, Seed).label
                if label is not None:
                    found.add(label)
        return found

    def generated(self, run: str, method: str, seeds: Sequence[Seed]) -> set[str]:
        """Which of these seeds have had all their cases made."""
        found: set[str] = set()
        table = s.generated
        with self._engine.connect() as connection:
            for ids in pages([seed.id for seed in seeds]):
                query = select(table.c.seed).where(
                    table.c.run == run, table.c.method == method, table.c.seed.in_(ids)
                )
                found |= set(connection.scalars(query))
        return found

    def count(self, run: str, method: str) -> int:
        """Where the next case goes: after all that a method has made so far."""
        last = func.max(s.cases.c.position)
        query = select(last).where(s.cases.c.run == run, s.cases.c.method == method)
        with self._engine.connect() as connection:
            found = connection.scalar(query)
        return 0 if found is None else found + 1

    def add(
        self, run: str, method: str, first: int, cases: Sequence[Case], finished: Iterable[str] = ()
    ) -> None:
        """Keep cases and mark the seeds that have all of theirs, in one transaction."""
        case_rows = [
            {
                "run": run,
                "method": method,
                "id": case.id,
                "seed": case.seed_id,
                "position": first + n,
                "record": encode(case),
            }
            for n, case in enumerate(cases)
        ]
        marks = [{"run": run, "method": method, "seed": seed} for seed in finished]
        self._add_all([(s.cases, case_rows), (s.generated, marks)])

    def pending(
        self, run: str, method: str, seeds: Sequence[Seed], size: int
    ) -> Iterator[list[Case]]:
        """The cases of these seeds that have no verdict yet, in order, some at a time."""
        last = (-1, "")
        ids = [seed.id for seed in seeds]
        while rows := self.pending_page(run, method, ids, last, size):
            last = rows[-1][:2]
            yield [decode(record, Case) for _, _, record in rows]

    def pending_page(
        self, run: str, method: str, seeds: Sequence[str], last: tuple[int, str], size: int
    ) -> list[tuple[int, str, str]]:
        """Position, id and record of the cases without a verdict that come after a place."""
        c, v = s.cases, s.verdicts
        query = (
            select(c.c.position, c.c.id, c.c.record)
            .outerjoin(v, (v.c.run == c.c.run) & (v.c.method == c.c.method) & (v.c.case == c.c.id))
            .where(c.c.run == run, c.c.method == method, c.c.seed.in_(seeds))
            .where(v.c.case.is_(None), tuple_(c.c.position, c.c.id) > last)
            .order_by(c.c.position, c.c.id)  # two processes may have given the same position
            .limit(size)
        )
        with self._engine.connect() as connection:
            return [(row.position, row.id, row.record) for row in connection.execute(query)]

    def pending_count(self, run: str) -> int:
        """How many cases of a run have no verdict yet."""
        cases = select(func.count()).select_from(s.cases).where(s.cases.c.run == run)
        verdicts = select(func.count()).select_from(s.verdicts).where(s.verdicts.c.run == run)
        with self._engine.connect() as connection:
            return (connection.scalar(cases) or 0) - (connection.scalar(verdicts) or 0)

    def seeds_without_case(self, run: str, method: str) -> int:
        """How many seeds a method has looked at and made no case of."""
        g, c = s.generated, s.cases
        query = (
            select(func.count())
            .select_from(g)
            .where(g.c.run == run, g.c.method == method)
            .where(
                ~exists().where(c.c.run == run, c.c.method == method, c.c.seed == g.c.seed),
            )
        )
        with self._engine.connect() as connection:
            return connection.scalar(query) or 0

    def without_case(self, run: str, method: str, most: int) -> list[Seed]:
        """Some of the seeds that a method has looked at and made no case of, in their order."""
        g, c = s.generated, s.cases
        made = exists().where(c.c.run == run, c.c.method == method, c.c.seed == g.c.seed)
        query = (
            select(s.seeds.c.record)
            .join(g, (g.c.run == s.seeds.c.run) & (g.c.seed == s.seeds.c.id))
            .where(g.c.run == run, g.c.method == method, ~made)
            .order_by(s.seeds.c.position)
            .limit(most)
        )
        with self._engine.connect() as connection:
            return [decode(record, Seed) for (record,) in connection.execute(query)]

    def judged(self, run: str) -> Iterator[Case]:
        """The cases of a run that have a verdict."""
        c, v = s.cases, s.verdicts
        query = (
            select(c.c.record)
            .join(v, (v.c.run == c.c.run) & (v.c.method == c.c.method) & (v.c.case == c.c.id))
            .where(c.c.run == run)
        )
        with self._engine.connect() as connection:
            for record in connection.execution_options(yield_per=500).scalars(query):
                yield decode(record, Case)

    def of_seed(self, run: str, seed_id: str) -> list[Case]:
        """All cases of a seed that have a verdict, whatever it is, method by method in order."""
        c, v = s.cases, s.verdicts
        query = (
            select(c.c.record)
            .join(v, (v.c.run == c.c.run) & (v.c.method == c.c.method) & (v.c.case == c.c.id))
            .where(c.c.run == run, c.c.seed == seed_id)
            .order_by(c.c.method, c.c.position)
        )
        with self._engine.connect() as connection:
            return [decode(record, Case) for record in connection.scalars(query)]
