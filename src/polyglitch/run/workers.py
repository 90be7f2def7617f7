"""Workers that take cases to their verdicts on a store that all of them reach, and who hands the cases to them.

A worker asks under a lease of its own, as every process on a store does, judges, and keeps outputs and verdicts in
batches. Its verdicts hang on a permit as well: a lease that the foreman grants and renews. Where a worker is lost its
permit is taken back before its cases go to another. Whatever became of it, dead, asleep or cut off, it keeps no
verdict any more; and where the foreman dies nobody renews the permits, and no worker outlives it for long.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from itertools import groupby

import msgspec

from polyglitch.errors import LeaseLost
from polyglitch.protocols import Tools
from polyglitch.records import Case, Trial, Verdict
from polyglitch.registry import Method
from polyglitch.run.asking import RENEWALS, Asker, RoundTrips
from polyglitch.run.flakiness import merge_repeats
from polyglitch.run.threads import Threads, WorkQueue
from polyglitch.store.store import Store
from polyglitch.systems.answers import relabelled_trial

FIRST, MOST = 8, 256  # cases handed over at once; so many more where they are quick
QUICK, SLOW = 0.5, 2.0  # seconds of a piece after which a larger one follows, or a smaller one
WAITING = (
    2  # pieces a place, one under way and one that waits: nobody is idle while the foreman plans
)


class Settled(msgspec.Struct, frozen=True):
    """What became of some cases; what was answered and said is in the store."""

    cases: int
    violations: int
    undecided: int
    queries: int
    cache_hits: int
    errors: int
    seconds: float = 0.0
    stopped: str = ""  # why some were left unasked


class CaseWorker:
    """Asks, judges and keeps."""

    def __init__(
        self,
        store: Store,
        run: str,
        askers: Sequence[Asker],
        tools: Tools,
        target: str | None,
        repeat: int = 1,
        labels: Mapping[str, str] | None = None,
        threads: Threads | None = None,
    ) -> None:
        self._store, self._run, self._askers, self._tools = store, run, askers, tools
        self._trips = RoundTrips(askers, target, repeat)
        self._labels = dict(labels or {})
        threads = threads or Threads()
        self._judging, self._counting = threads.lock(), threads.lock()
        self._told = (0, 0, 0)

    def settle(self, method: Method, cases: list[Case], permit: int) -> Settled:
        """Take some cases to their verdicts and keep those; LeaseLost where the permit was taken back."""
        asked = self._trips.send(cases)
        cases, rounds = self._trips.trials(cases, asked, back=method.route == "round trip")
        rounds = [[relabelled_trial(trial, self._labels) for trial in trials] for trials in rounds]
        with self._judging:  # tools are made for one who uses them
            verdicts = self._judge(method, rounds[0]) if cases else []
            if cases and len(rounds) > 1:
                verdicts = merge_repeats(rounds, verdicts, partial(self._judge, method))
        pairs = list(zip(cases, verdicts, strict=True))
        fence = self._store.leases.fence(permit)
        self._store.verdicts.add(self._run, method.name, pairs, fence)
        outcomes = [verdict.outcome for verdict in verdicts]
        counts = outcomes.count("violated"), outcomes.count("undecided")
        stopped = str(self._trips.stopped or "")
        return Settled(len(cases), *counts, *self._new_counts(), stopped=stopped)

    def close(self) -> None:
        """End its leases: what it did not come to is free for others."""
        for asker in self._askers:
            asker.close()

    def _judge(self, method: Method, trials: Sequence[Trial]) -> list[Verdict]:
        return method.judge(trials, self._tools)

    def _new_counts(self) -> tuple[int, int, int]:
        """Queries, answers from the store and errors since they were told last."""
        with self._counting:
            before, each = self._told, self._askers
            queries, hits = sum(a.queries for a in each), sum(a.cache_hits for a in each)
            self._told = queries, hits, sum(a.errors for a in each)
            return queries - before[0], hits - before[1], self._told[2] - before[2]


class WorkerLost(Exception):
    """Nobody knows what became of a worker, nor of the cases that it had."""


Send = Callable[[str, list[Case], int], Settled]  # method, cases and permit to a free worker


class Foreman:
    """Hands cases to workers, again where one is lost."""

    def __init__(
        self, store: Store, send: Send, places: int, threads: Threads | None = None
    ) -> None:
        self._leases, self._send, self._places = store.leases, send, places
        self._threads = threads or Threads()
        self._work: WorkQueue[tuple[str, list[Case], Future[Settled]] | None]
        self._work = self._threads.queue()
        self._permits: set[int] = set()
        self._lock, self._closed = self._threads.lock(), threading.Event()
        self._size = FIRST
        self.most = WAITING * places  # pieces to be handed over before the first is waited for
        self.lost = 0  # pieces that had to be handed over again
        self._threads.start(self._live)
        for _ in range(places):
            self._threads.start(self._serve)

    def pieces(self, cases: list[Case]) -> Iterator[list[Case]]:
        """Cases in pieces of about half a second; those of a seed share its text, and stay together."""
        some: list[Case] = []
        for _, of_seed in groupby(cases, lambda case: case.seed_id):
            some += of_seed
            if len(some) >= self._size:
                yield some
                some = []
        if some:
            yield some

    def hand(self, method: str, cases: list[Case]) -> Future[Settled]:
        """Have some cases settled by whoever is free."""
        future: Future[Settled] = Future()
        self._work.put((method, cases, future))
        return future

    def learn(self, handed: int, seconds: float) -> None:
        """Make pieces larger that are settled quickly, and smaller that take long."""
        if seconds < QUICK and handed >= self._size // 2:
            self._size = min(2 * self._size, MOST)
        elif seconds > SLOW and handed <= 2 * self._size:
            self._size = max(self._size // 2, 1)

    def close(self) -> None:
        """Take all permits back, so that no verdict comes in behind."""
        with self._lock:
            self._closed.set()
            permits, self._permits = self._permits, set()
        for permit in permits:
            self._leases.end(permit)
        for _ in range(self._places):
            self._work.put(None)

    def _serve(self) -> None:
        """One place: it has a piece under way, under a permit of its own."""
        permit = 0
        while (work := self._work.get()) is not None:
            method, cases, future = work
            try:
                permit = self._settle(method, cases, future, permit)
            except BaseException as error:
                future.set_exception(error)

    def _settle(self, method: str, cases: list[Case], future: Future[Settled], permit: int) -> int:
        """Have a piece settled by one worker or, where that is lost, by another; the permit that is left."""
        while True:
            permit = permit or self._grant()
            try:
                future.set_result(self._send(method, cases, permit))
            except (WorkerLost, LeaseLost):
                self._take_back(permit)
                permit, self.lost = 0, self.lost + 1
            else:
                return permit

    def _grant(self) -> int:
        permit = self._leases.grant()
        with self._lock:
            if not self._closed.is_set():
                self._permits.add(permit)
                return permit
        self._leases.end(permit)
        raise LeaseLost(permit)

    def _take_back(self, permit: int) -> None:
        with self._lock:
            self._permits.discard(permit)
        self._leases.end(permit)  # waits for a verdict that is being kept under it this moment

    def _live(self) -> None:
        """Renew the permits from time to time, until they are not needed any more."""
        while not self._threads.sleep(self._leases.seconds / RENEWALS, self._closed):
            with self._lock:
                permits = list(self._permits)
            for permit in permits:
                try:
                    self._leases.renew(permit)
                except Exception:  # noqa: S112 - who keeps something under it will see
                    continue
