"""A foreman with workers on the simulated store: processes that ask, judge and keep for one that hands them cases."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from polyglitch.errors import LimitReached
from polyglitch.issues.groups import worst_first
from polyglitch.records import Case, Trial, Verdict
from polyglitch.registry import Method, component
from polyglitch.run.asking import Asker
from polyglitch.run.workers import CaseWorker, Foreman, Settled, WorkerLost
from polyglitch.systems.spending import Limits, Meter
from tests.simulation.scheduler import Killed, Process, SimulatedQueue, SimulatedThreads
from tests.simulation.world import Local, Schedule, Service, World, copies

PLACES = 2


@component
def says() -> Any:
    """Holds, with what was said for a reason."""

    def compare(trials: Sequence[Trial], tools: Any) -> list[Verdict]:
        return [Verdict(trial.case.id, "holds", trial.outputs[0].text) for trial in trials]

    return compare


ASKED = Method("asked", "translation", copies(), says(), worst_first(3))


class Hand:
    """A worker as its foreman sees it."""

    def __init__(self, process: Process, work: SimulatedQueue) -> None:
        self.process, self.work = process, work
        self.cut_off = False  # alive, but the foreman takes it for lost

    def lost(self, now: float, patient: bool) -> bool:
        """Whether the foreman hears nothing of it any more."""
        asleep = self.process.asleep_until > now and not patient
        return self.process.dead or self.cut_off or asleep


class Crew(World):
    """The world in which a process is a foreman, and starts workers."""

    def __init__(self, corpus: Path) -> None:
        super().__init__(corpus)
        self.of_worker = False  # who is disturbed: the first worker, or the foreman

    def reset(self, schedule: Schedule) -> None:
        super().reset(schedule)
        self.hands: list[Hand] = []
        self.kept_at_end: list[list[tuple[Any, ...]]] = []  # verdicts when a foreman ended orderly

    def _campaign(self, process: Process, limit: int | None) -> None:
        threads = SimulatedThreads(self.scheduler, process)
        free = SimulatedQueue(self.scheduler)
        for _ in range(PLACES):
            free.put(self._hire(process, limit))
        store = self._store(process)
        foreman = Foreman(store, partial(self._send, process, free, limit), PLACES, threads)
        try:
            futures = [foreman.hand("asked", [case]) for case in self.cases]
            found = [threads.result(future) for future in futures]
            if stopped := next((one.stopped for one in found if one.stopped), ""):
                raise LimitReached(stopped)
        finally:
            foreman.close()
            if not process.dead:
                self.kept_at_end.append(self.rows("select seed, reason from verdicts"))

    def _send(
        self,
        foreman: Process,
        free: SimulatedQueue,
        limit: int | None,
        _: str,
        cases: list[Case],
        permit: int,
    ) -> Settled:
        hand: Hand = free.get()
        patient, reply = self.scheduler.dice.random() < 0.5, list[Any]()
        hand.work.put((cases, permit, reply))
        while not reply and not hand.lost(self.scheduler.now, patient):
            self.scheduler.give_way(lambda: reply or hand.lost(self.scheduler.now, patient))
        if not reply:
            hand.cut_off = True
            free.put(self._hire(foreman, limit))
            raise WorkerLost
        free.put(hand)
        if isinstance(reply[0], Settled):
            return reply[0]
        raise reply[0]

    def _hire(self, foreman: Process, limit: int | None) -> Hand:
        process = Process(f"worker of {foreman.name}")
        hand = Hand(process, SimulatedQueue(self.scheduler))
        if self.of_worker and not self.hands:
            self.victim = process
        self.hands.append(hand)
        self.scheduler.start(process, partial(self._work, foreman, hand, limit), main=True)
        return hand

    def _work(self, foreman: Process, hand: Hand, limit: int | None) -> None:
        process, meter = hand.process, Meter(Limits(max_chars=limit))
        system: Any = (Service if self.schedule.remote else Local)(self, process, meter)
        store, threads = self._store(process), SimulatedThreads(self.scheduler, process)
        account = store.leases.account("run", meter)
        asker = Asker(system, store, None, 60.0, account, threads)
        tools: Any = None
        worker = CaseWorker(store, "run", [asker], tools, None, threads=threads)
        while True:
            while not hand.work.waits and not foreman.dead and not hand.cut_off:
                self.scheduler.give_way(lambda: hand.work.waits or foreman.dead or hand.cut_off)
            if (
                foreman.dead and not foreman.finished
            ):  # a cluster ends what its driver leaves behind
                process.dead = True
                raise Killed
            if not hand.work.waits:
                worker.close()
                return self._note_end(process)
            cases, permit, reply = hand.work.get()
            try:
                reply.append(worker.settle(ASKED, cases, permit))
            except Exception as error:
                reply.append(error)

    def _disturb(self, process: Process, main: bool, connection: Any) -> None:
        if self.schedule.kind != "cut off":
            return super()._disturb(process, main, connection)
        next(hand for hand in self.hands if hand.process is process).cut_off = True
        return None
