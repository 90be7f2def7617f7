"""Seeds and the cases made of them, in order, and which of them still wait for a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlalchemy import exists, func, or_, select

from polyglitch.records import Case, Seed
from polyglitch.store import schema as s
from polyglitch.store.columns import case_record, read_case, read_seed, seed_record
from polyglitch.store.rows import Rows, pages

ITS_VERDICT = (
    (s.verdicts.c.run == s.cases.c.run)
    & (s.verdicts.c.method == s.cases.c.method)
    & (s.verdicts.c.seed == s.cases.c.seed)
    & (s.verdicts.c.case == s.cases.c.id)
)


class Cases(Rows):
    """The seeds and cases of each run."""

    def add_seeds(self, run: str, first: int, seeds: Sequence[Seed]) -> None:
        """Keep some seeds under their place in the corpus."""
        self.add_rows(
            s.seeds,
            [
                {"run": run, "id": seed.id, "position": first + n, "record": seed_record(seed)}
                for n, seed in enumerate(seeds)
            ],
        )

    def seed(self, run: str, seed_id: str) -> Seed:
        """One seed of a run."""
        query = select(s.seeds.c.record).where(s.seeds.c.run == run, s.seeds.c.id == seed_id)
        with self._engine.connect() as connection:
            return read_seed(seed_id, connection.scalar(query) or "")

    def seeds(self, run: str, ids: Sequence[str]) -> dict[str, Seed]:
        """Some seeds of a run by their ids."""
        table = s.seeds
        with self._engine.connect() as connection:
            return {
                row.id: read_seed(row.id, row.record)
                for some in pages(ids)
                for row in connection.execute(
                    select(table.c.id, table.c.record).where(
                        table.c.run == run, table.c.id.in_(some)
                    )
                )
            }

    def seed_labels(self, run: str) -> set[str]:
        """The different labels of a run's seeds, as their corpus has them."""
        query = select(s.seeds.c.record).where(s.seeds.c.run == run)
        found: set[str] = set()
        with self._engine.connect() as connection:
            for record in connection.execution_options(yield_per=500).scalars(query):
                label = read_seed("", record).label
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
    ) -> bool:
        """Keep cases and mark the seeds that have all of theirs, in one transaction; whether all cases were new."""
        case_rows = [
            {
                "run": run,
                "method": method,
                "id": case.id,
                "seed": case.seed_id,
                "position": first + n,
                "record": case_record(case),
            }
            for n, case in enumerate(cases)
        ]
        marks = [{"run": run, "method": method, "seed": seed} for seed in finished]
        return self._add_all([(s.cases, case_rows), (s.generated, marks)])[0] == len(cases)

    def pending(
        self, run: str, method: str, seeds: Sequence[Seed], size: int
    ) -> Iterator[list[Case]]:
        """The cases of these seeds that have no verdict yet, in order, some at a time."""
        last = (-1, "")
        ids = [seed.id for seed in seeds]
        while rows := self.pending_page(run, method, ids, last, size):
            last = rows[-1][0], rows[-1][1].id
            yield [case for _, case in rows]

    def pending_page(
        self, run: str, method: str, seeds: Sequence[str], last: tuple[int, str], size: int
    ) -> list[tuple[int, Case]]:
        """The cases without a verdict that come after a place, each with its position."""
        c, v = s.cases, s.verdicts
        later = (c.c.position == last[0]) & (c.c.id > last[1])
        query = (
            select(c.c.position, c.c.id, c.c.seed, c.c.record)
            .outerjoin(v, ITS_VERDICT)
            .where(c.c.run == run, c.c.method == method, c.c.seed.in_(seeds))
            .where(v.c.case.is_(None), or_(c.c.position > last[0], later))
            .order_by(c.c.position, c.c.id)  # two processes may have given the same position
            .limit(size)
        )
        with self._engine.connect() as connection:
            found = connection.execute(query)
            return [(row[0], read_case(method, *row[1:])) for row in found]

    def of_seeds(self, run: str, method: str, seeds: Sequence[Seed]) -> list[Case]:
        """All cases of these seeds in order, whether they have a verdict or not."""
        c = s.cases
        query = select(c.c.position, c.c.id, c.c.seed, c.c.record).where(
            c.c.run == run, c.c.method == method
        )
        found: list[tuple[int, Case]] = []
        with self._engine.connect() as connection:
            for some in pages([seed.id for seed in seeds]):
                for row in connection.execute(query.where(c.c.seed.in_(some))):
                    found.append((row[0], read_case(method, *row[1:])))
        return [case for _, case in sorted(found, key=lambda pair: (pair[0], pair[1].id))]

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
                g.c.seed.not_in(select(c.c.seed).where(c.c.run == run, c.c.method == method)),
            )
        )
        with self._engine.connect() as connection:
            return connection.scalar(query) or 0

    def without_case(self, run: str, method: str, most: int) -> list[Seed]:
        """Some of the seeds that a method has looked at and made no case of, in their order."""
        g, c = s.generated, s.cases
        made = exists().where(c.c.run == run, c.c.method == method, c.c.seed == g.c.seed)
        query = (
            select(s.seeds.c.id, s.seeds.c.record)
            .join(g, (g.c.run == s.seeds.c.run) & (g.c.seed == s.seeds.c.id))
            .where(g.c.run == run, g.c.method == method, ~made)
            .order_by(s.seeds.c.position)
            .limit(most)
        )
        with self._engine.connect() as connection:
            return [read_seed(*row) for row in connection.execute(query)]

    def judged(self, run: str) -> Iterator[Case]:
        """The cases of a run that have a verdict."""
        c, v = s.cases, s.verdicts
        query = (
            select(c.c.method, c.c.id, c.c.seed, c.c.record)
            .join(v, ITS_VERDICT)
            .where(c.c.run == run)
        )
        with self._engine.connect() as connection:
            for row in connection.execution_options(yield_per=500).execute(query):
                yield read_case(*row)

    def of_seed(self, run: str, seed_id: str) -> list[Case]:
        """All cases of a seed that have a verdict, whatever it is, method by method in order."""
        c, v = s.cases, s.verdicts
        query = (
            select(c.c.method, c.c.id, c.c.seed, c.c.record)
            .join(v, ITS_VERDICT)
            .where(c.c.run == run, c.c.seed == seed_id)
            .order_by(c.c.method, c.c.position)
        )
        with self._engine.connect() as connection:
            return [read_case(*row) for row in connection.execute(query)]
