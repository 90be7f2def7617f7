"""What is asked and what was answered: seeds and the cases made of them, which of them wait for a verdict; outputs by
system and input, and what tools keep: asked for once, within and across runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import ColumnElement, delete, exists, func, or_, select, update

from polyglitch.records import Case, Input, Output, Seed, digest, encode
from polyglitch.store import schema as s
from polyglitch.store.rows import Rows, by_keys, pages
from polyglitch.store.schema import (
    case_record,
    output_record,
    pack_all,
    read_case,
    read_output,
    read_seed,
    seed_record,
    unpack,
)

if TYPE_CHECKING:
    from polyglitch.store.store import Database

ITS_VERDICT = (
    (s.verdicts.c.run == s.cases.c.run)
    & (s.verdicts.c.method == s.cases.c.method)
    & (s.verdicts.c.seed == s.cases.c.seed)
    & (s.verdicts.c.case == s.cases.c.id)
)
ITS_SEED = (s.seeds.c.run == s.cases.c.run) & (s.seeds.c.id == s.cases.c.seed)

SOURCE = "source of seeds"  # the kind of what is kept by run


class Cases(Rows):
    """The seeds and cases of each run."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._sources: dict[str, str] = {}  # of the runs that were written or read

    def add_seeds(self, run: str, first: int, seeds: Sequence[Seed]) -> None:
        """Keep some seeds under their place in the corpus."""
        if not seeds:
            return
        source = self._source(run, seeds[0].origin.rpartition(":")[0])
        self.add_rows(
            s.seeds,
            [
                {
                    "run": run,
                    "id": seed.id,
                    "position": first + n,
                    "record": seed_record(seed, source),
                }
                for n, seed in enumerate(seeds)
            ],
        )

    def _source(self, run: str, found: str = "") -> str:
        """Where the seeds of a run come from, written once: the first that wrote some said it."""
        if run not in self._sources:
            if found:
                self.add_rows(s.kept, [{"kind": SOURCE, "key": run, "value": encode(found)}])
            query = select(s.kept.c.value).where(s.kept.c.kind == SOURCE, s.kept.c.key == run)
            with self._engine.connect() as connection:
                kept = connection.scalar(query)
            if kept is None:
                return ""
            self._sources[run] = msgspec.json.decode(kept, type=str)
        return self._sources[run]

    def seed(self, run: str, seed_id: str) -> Seed:
        """One seed of a run."""
        query = select(s.seeds.c.record).where(s.seeds.c.run == run, s.seeds.c.id == seed_id)
        with self._engine.connect() as connection:
            return read_seed(seed_id, connection.scalar(query) or "", self._source(run))

    def seeds(self, run: str, ids: Sequence[str]) -> dict[str, Seed]:
        """Some seeds of a run by their ids."""
        table, source = s.seeds, self._source(run)
        with self._engine.connect() as connection:
            return {
                row.id: read_seed(row.id, row.record, source)
                for some in pages(ids)
                for row in connection.execute(
                    select(table.c.id, table.c.record).where(
                        table.c.run == run, table.c.id.in_(some)
                    )
                )
            }

    def labels_differ(self, run: str) -> bool:
        """Whether the seeds of a run have more than one label, as their corpus has them."""
        query = select(s.seeds.c.record).where(s.seeds.c.run == run)
        found: set[str] = set()
        with self._engine.connect() as connection:
            for record in connection.execution_options(yield_per=500).scalars(query):
                label = read_seed("", record).label
                if label is not None:
                    found.add(label)
                if len(found) > 1:
                    return True
        return False

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
        own = (s.cases.c.run == run, s.cases.c.method == method)
        # Not max(): a server that has not counted a new table yet would walk all of them for it.
        query = select(s.cases.c.position).where(*own).order_by(s.cases.c.position.desc()).limit(1)
        with self._engine.connect() as connection:
            found = connection.scalar(query)
        return 0 if found is None else found + 1

    def add(
        self,
        run: str,
        method: str,
        first: int,
        cases: Sequence[Case],
        finished: Iterable[str] = (),
        seeds: Mapping[str, Seed] | None = None,
    ) -> bool:
        """Keep cases and mark the seeds that have all of theirs, in one transaction; whether all cases were new.

        What `seeds` say, which are kept themselves, no case repeats."""
        known = seeds or {}
        case_rows = [
            {
                "run": run,
                "method": method,
                "id": case.id,
                "seed": case.seed_id,
                "position": first + n,
                "record": case_record(case, known.get(case.seed_id)),
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
        # As a sum the place is no column of an index: SQLite would walk all cases of the run in their order.
        place = c.c.position + 0
        later = (place == last[0]) & (c.c.id > last[1])
        query = (
            select(c.c.position, c.c.id, c.c.seed, c.c.record, s.seeds.c.record)
            .select_from(c)
            .outerjoin(v, ITS_VERDICT)
            .outerjoin(s.seeds, ITS_SEED)
            .where(c.c.run == run, c.c.method == method, c.c.seed.in_(seeds))
            .where(v.c.case.is_(None), or_(place > last[0], later))
            .order_by(place, c.c.id)  # two processes may have given the same position
            .limit(size)
        )
        with self._engine.connect() as connection:
            found = connection.execute(query)
            return [(row[0], read_case(method, *row[1:])) for row in found]

    def of_seeds(self, run: str, method: str, seeds: Sequence[Seed]) -> list[Case]:
        """All cases of these seeds in order, whether they have a verdict or not."""
        c = s.cases
        query = (
            select(c.c.position, c.c.id, c.c.seed, c.c.record, s.seeds.c.record)
            .select_from(c)
            .outerjoin(s.seeds, ITS_SEED)
            .where(c.c.run == run, c.c.method == method)
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
        g = s.generated
        query = select(func.count()).select_from(g).where(*_without_case(run, method))
        with self._engine.connect() as connection:
            return connection.scalar(query) or 0

    def without_case(self, run: str, method: str, most: int) -> list[Seed]:
        """Some of the seeds that a method has looked at and made no case of, in their order."""
        g = s.generated
        query = (
            select(s.seeds.c.id, s.seeds.c.record)
            .join(g, (g.c.run == s.seeds.c.run) & (g.c.seed == s.seeds.c.id))
            .where(*_without_case(run, method))
            .order_by(s.seeds.c.position)
            .limit(most)
        )
        with self._engine.connect() as connection:
            return [read_seed(*row, self._source(run)) for row in connection.execute(query)]

    def judged(self, run: str) -> Iterator[Case]:
        """The cases of a run that have a verdict."""
        c, v = s.cases, s.verdicts
        query = (
            select(c.c.method, c.c.id, c.c.seed, c.c.record, s.seeds.c.record)
            .select_from(c)
            .join(v, ITS_VERDICT)
            .outerjoin(s.seeds, ITS_SEED)
            .where(c.c.run == run)
        )
        with self._engine.connect() as connection:
            for row in connection.execution_options(yield_per=500).execute(query):
                yield read_case(*row)

    def of_seed(self, run: str, seed_id: str) -> list[Case]:
        """All cases of a seed that have a verdict, whatever it is, method by method in order."""
        c, v = s.cases, s.verdicts
        query = (
            select(c.c.method, c.c.id, c.c.seed, c.c.record, s.seeds.c.record)
            .select_from(c)
            .join(v, ITS_VERDICT)
            .outerjoin(s.seeds, ITS_SEED)
            .where(c.c.run == run, c.c.seed == seed_id)
            .order_by(c.c.method, c.c.position)
        )
        with self._engine.connect() as connection:
            return [read_case(*row) for row in connection.execute(query)]


KNOWN = "select key, record from outputs where key {keys}"
LONGEST_KIND = 64  # as schema.kept has it


def _without_case(run: str, method: str) -> tuple[ColumnElement[bool], ...]:
    """Which seeds a method looked at in vain; not by `NOT IN`: PostgreSQL would read all cases anew for each seed."""
    g, c = s.generated, s.cases
    made = exists().where(c.c.run == run, c.c.method == method, c.c.seed == g.c.seed)
    return g.c.run == run, g.c.method == method, ~made


@lru_cache(8192)  # needed to send, to gather, and for every case of a seed
def output_key(signature: str, item: Input, turn: int = 0) -> str:
    """Where an output is kept: the system, all of the input that can change the answer, and which time it was asked."""
    parts = [signature, *item.identity]
    return digest([*parts, f"turn {turn}"] if turn else parts, 32)


class Outputs(Rows):
    """Everything dear to compute, by key."""

    def get(self, keys: Sequence[str]) -> dict[str, Output]:
        """The outputs known under these keys."""
        found: dict[str, Output] = {}
        with self._engine.connect() as connection:
            for rows in by_keys(connection, KNOWN, pack_all(keys)):
                found |= {unpack(row[0]): read_output(row[1]) for row in rows}
        return found

    def add(self, found: dict[str, Output]) -> None:
        """Keep outputs; one that is there already stays."""
        rows = [
            {"key": key, "status": output.status, "record": output_record(output)}
            for key, output in found.items()
        ]
        self.add_rows(s.outputs, rows)

    def forget_failures(self, run: str) -> None:
        """Drop failed outputs, and a run's verdicts that were left undecided, so that they are asked again."""
        undecided = (s.verdicts.c.run == run) & (s.verdicts.c.outcome == "undecided") & s.NOT_HELD
        with self._engine.begin() as connection:
            connection.execute(delete(s.outputs).where(s.outputs.c.status != "ok"))
            connection.execute(delete(s.verdicts).where(undecided))
            connection.execute(update(s.runs).where(s.runs.c.id == run).values(state="running"))

    def remember(self, kind: str, keys: Sequence[str]) -> dict[str, Any]:
        """What tools kept under these keys."""
        found: dict[str, Any] = {}
        with self._engine.connect() as connection:
            for some in pages(keys):
                query = select(s.kept.c.key, s.kept.c.value).where(
                    s.kept.c.kind == fitting(kind), s.kept.c.key.in_(some)
                )
                for key, value in connection.execute(query):
                    found[key] = msgspec.json.decode(value)
        return found

    def keep(self, kind: str, values: dict[str, Any]) -> None:
        """Keep JSON values for tools."""
        place = fitting(kind)
        self.add_rows(
            s.kept, [{"kind": place, "key": key, "value": encode(v)} for key, v in values.items()]
        )

    def replace_kept(self, kind: str, values: dict[str, Any]) -> None:
        """Keep JSON values in place of earlier ones."""
        with self._engine.begin() as connection:
            for some in pages(list(values)):
                old = (s.kept.c.kind == fitting(kind)) & s.kept.c.key.in_(some)
                connection.execute(delete(s.kept).where(old))
        self.keep(kind, values)


def fitting(kind: str) -> str:
    """A kind as it fits its column, which not every database stretches."""
    return kind if len(kind) <= LONGEST_KIND else digest([kind], 32)
