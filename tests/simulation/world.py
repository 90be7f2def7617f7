"""A small campaign on a store in memory and a service that counts, disturbed at one write and then continued."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, create_engine, event
from sqlalchemy.pool import StaticPool

from polyglitch import flow
from polyglitch.campaign import make_campaign
from polyglitch.corpus.read import open_corpus
from polyglitch.errors import LimitReached, SystemFailed
from polyglitch.issues.groups import worst_first
from polyglitch.records import Input, Output, Seed, Trial, Verdict, new_case
from polyglitch.registry import Method, component
from polyglitch.run import threads
from polyglitch.run.asking import Asker
from polyglitch.run.plan import Plan, define
from polyglitch.store import store as stores
from polyglitch.store.cases import output_key
from polyglitch.store.rows import Disconnected
from polyglitch.store.schema import unpack
from polyglitch.store.store import Store
from polyglitch.systems.spending import Limits, Meter, Spent
from tests.simulation.scheduler import Killed, Lock, Process, Scheduler, SimulatedThreads

SEEDS = ("two towns",)
LEASE = 10.0
CAMPAIGN = make_campaign({"system": "simulated", "corpus": "seeds.txt", "methods": ["copies"]})
ENDING = ("interrupt", "fail")  # in these a process goes on to its end
TABLES = (
    "runs",
    "seeds",
    "generated",
    "cases",
    "verdicts",
    "issues",
    "outputs",
    "leases",
    "claims",
)
TABLES += ("spending", "names", "digests", "seals", "sqlite_sequence")
KINDS = ("kill", "kill after", "interrupt", "fail", "stop", "lost", "lost after")


@component
def copies() -> Any:
    """Two cases a seed, which share its own text."""

    def mutate(seeds: Any, tools: Any) -> Any:
        for seed in seeds:
            for n in range(2):
                yield new_case(seed, "similar", (seed.input, Input(f"{seed.input.text} {n}")))

    return mutate


@component
def last_word() -> Any:
    """Violated where the second output ends otherwise than its number says."""

    def compare(trials: Sequence[Trial], tools: Any) -> list[Verdict]:
        found = []
        for trial in trials:
            text = trial.outputs[1].text
            outcome = "violated" if text.endswith("1") else "holds"
            found.append(Verdict(trial.case.id, outcome, reason=text, score=float(len(text))))
        return found

    return compare


METHOD = Method("copies", "translation", copies(), last_word(), worst_first(3))


@dataclass(frozen=True)
class Schedule:
    """What happens in one run of the simulation."""

    seed: int
    kind: str = ""  # of the disturbance; nothing where it is empty
    at: int = 0  # at which write of the first process
    processes: int = 1
    remote: bool = True
    limit: int | None = None  # characters
    whole: bool = True  # the whole flow, or only what asks


class World:
    """One store, one clock, one service, and the processes on them."""

    def __init__(self, corpus: Path) -> None:
        self.engine = create_engine("sqlite://", poolclass=StaticPool)
        stores._prepare_schema(self.engine, "memory")
        event.listen(self.engine, "begin", self._begins)
        event.listen(self.engine, "commit", self._commits)
        self._raw = self.engine.raw_connection()
        self.connection: Any = self._raw.dbapi_connection  # beside all that is simulated
        self.corpus = open_corpus(str(corpus))
        self.undisturbed: dict[bool, tuple[Any, Any]] = {}  # by whether it is the whole flow
        local: Any = Local
        self.definition = define(CAMPAIGN, (METHOD,), (local,), ("en", "es"), self.corpus)
        seed = Seed("s", Input(SEEDS[0]))
        self.cases = [new_case(seed, "similar", (Input(f"{SEEDS[0]} {n}"),)) for n in range(2)]
        texts = [SEEDS[0], *(case.inputs[0].text for case in self.cases)]
        inputs = [Input(text, language=code) for text in texts for code in ("en", None)]
        self.texts = {output_key(Local.signature, item): item.text for item in inputs}
        self.scheduler = Scheduler(0)
        self.reset(Schedule(0))

    def reset(self, schedule: Schedule) -> None:
        """An empty store, and nothing asked."""
        self.schedule = schedule
        self.scheduler = Scheduler(schedule.seed)
        self.asked: list[tuple[Process, str]] = []
        self.characters = 0
        self.in_flight: set[str] = set()  # when somebody was disturbed
        self.victim: Process | None = None
        self.done = False
        self.connection.executescript("".join(f"delete from {name};" for name in TABLES))

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What a query finds."""
        return list(self.connection.execute(query))

    def start(self, name: str, limit: int | None = None) -> Process:
        """A process that runs the campaign, or goes on with it."""
        process = Process(name)
        self.scheduler.start(process, partial(self._campaign, process, limit), main=True)
        return process

    def _campaign(self, process: Process, limit: int | None) -> None:
        meter = Meter(Limits(max_chars=limit))
        system: Any = (Service if self.schedule.remote else Local)(self, process, meter)
        plan = Plan((METHOD,), (system,), ("en", "es"), self.corpus, self.definition, meter)
        process.parts = (plan, self._store(process), SimulatedThreads(self.scheduler, process))
        if not self.schedule.whole:
            self._ask(process, *process.parts)
            return
        one = flow.Flow(CAMPAIGN, lambda _: None)
        try:
            one.run()
        finally:
            one.close()
            self._note_end(process)

    def _ask(self, process: Process, plan: Plan, store: Store, threads: SimulatedThreads) -> None:
        """The part of a run in which processes meet, without all that comes before and after."""
        account = store.leases.account("run", plan.meter)
        asker = Asker(plan.systems[0], store, None, 60.0, account, threads)
        try:
            answers = asker.gather(asker.submit([case.inputs[0] for case in self.cases]))
            if asker.stopped:
                raise asker.stopped
            said = [answers[asker.key(case.inputs[0])].text for case in self.cases]
            verdicts = [Verdict(c.id, "holds", t) for c, t in zip(self.cases, said, strict=True)]
            store.verdicts.add("run", "asked", list(zip(self.cases, verdicts, strict=True)))
        finally:
            asker.close()
            self._note_end(process)

    def _note_end(self, process: Process) -> None:
        if not process.dead and self.victim is process and self.schedule.kind in ENDING:
            self.note_in_flight(process)

    def _store(self, process: Process) -> Store:
        """A process's own hold on the one store."""
        memory = stores.Database("memory", self.engine)
        memory.sleep = lambda seconds: self.scheduler.give_way(lambda: False, seconds)
        store: Any = Store(memory, self.scheduler.clock, LEASE)
        store.close = lambda: None
        grant = store.leases.grant

        def noted() -> int:
            process.tokens.append(grant())
            return process.tokens[-1]

        store.leases.grant = noted
        store.leases.account = partial(store.leases.account, lock=Lock(self.scheduler))
        return store  # type: ignore[no-any-return]

    @contextmanager
    def in_the_flow(self) -> Iterator[None]:
        """The flow with the parts of whichever process opens them."""

        def own(number: int) -> Any:
            assert self.scheduler.current
            return self.scheduler.current.process.parts[number]

        parts = {
            "open_plan": lambda *_: own(0),
            "Store": lambda _: own(1),
            "Asker": lambda *rest: Asker(*rest, threads=own(2)),
        }
        with pytest.MonkeyPatch.context() as patch:
            for name, part in parts.items():
                patch.setattr(flow, name, part)
            # A look at what others ask costs the simulation most of its time: a few in the life of a lease will do.
            patch.setattr(threads, "LOOK", LEASE / 2)
            yield

    def _begins(self, _: Connection) -> None:
        if (
            not self.connection.in_transaction
        ):  # else somebody reads who is writing, and has the turn
            self.scheduler.give_way()

    def _commits(self, connection: Connection) -> None:
        task = self.scheduler.current
        if task is None:
            return
        process = task.process
        if process.dead:
            raise Killed
        process.writes += 1
        if process is not self.victim or process.writes != self.schedule.at:
            return
        self.done = True
        self._disturb(process, task.main, connection.connection.dbapi_connection)

    def _disturb(self, process: Process, main: bool, connection: Any) -> None:
        kind = self.schedule.kind
        if kind.endswith("after") or kind == "stop":
            connection.commit()
        else:
            connection.rollback() if kind != "interrupt" or main else None
        if not kind.startswith("lost"):
            self.note_in_flight(process)
        if kind.startswith("kill"):
            process.dead = True
            raise Killed
        if kind.startswith("lost"):
            raise Disconnected("the server went away")
        if kind == "fail":
            raise SystemFailed("the disk is full")
        if kind == "stop":
            process.asleep_until = self.scheduler.now + 1.5 * LEASE
            self.scheduler.give_way()
        elif main:
            raise KeyboardInterrupt
        process.interrupted = kind == "interrupt"

    def note_in_flight(self, process: Process) -> None:
        """What a process has in hand and has not kept, now that it is gone."""
        query = "select json_extract(record, '$.text') from outputs"
        known = {row[0].lower() for row in self.rows(query)}
        claimed = self.rows("select key, token from claims")
        in_hand = {self.texts[unpack(key)] for key, token in claimed if token in process.tokens}
        self.in_flight |= (process.handed | in_hand) - known


class Local:
    """A system on this machine: two inputs a call, two calls at once."""

    languages = ("en", "es")
    signature = "simulated"
    batch_size = parallel = 2

    def __init__(self, world: World, process: Process, meter: Meter) -> None:
        self.world, self.process, self.meter = world, process, meter

    def ask(self, inputs: Sequence[Input]) -> list[Output]:
        self.process.handed |= {item.text for item in inputs}
        return [self.answer(item) for item in inputs]

    def answer(self, item: Input) -> Output:
        self.world.asked.append((self.process, item.text))
        self.world.scheduler.give_way()
        return Output(item.text.upper())

    def close(self) -> None: ...


class Service(Local):
    """A system over the network, which bills a garbled answer now and then."""

    def limit(self, limits: Limits, meter: Meter) -> None: ...

    def expected(self, item: Input) -> Spent:
        return Spent(1, len(item.text), 0.0)

    def stream(self, inputs: Sequence[Input]) -> Iterator[dict[int, Output]]:
        self.process.handed |= {item.text for item in inputs}
        found: dict[int, Output] = {}
        try:
            for number, item in enumerate(inputs):
                self.world.scheduler.give_way()
                if item.text.endswith("s 0"):  # answered in a way that cannot be read, and billed
                    self.send(item)
                reserved = self.send(item, settle=False)
                found[number] = self.answer(item)
                self.meter.settle(reserved, billed=True)
        except LimitReached:
            yield found
            raise
        yield found

    def send(self, item: Input, settle: bool = True) -> Spent:
        reserved = self.meter.reserve(len(item.text))
        self.world.characters += len(item.text)
        if settle:
            self.meter.settle(reserved, billed=True)
        return reserved
