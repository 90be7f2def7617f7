"""Asking systems: each input once, in batches, on as many threads as a system allows; and from cases to trials, back
again where a method makes a round trip.

A worker thread keeps its batch's outputs before it takes the next one, so that a killed process loses the batches
in flight and nothing else. Batches start small and grow while they are quick: a slow system loses little, a fast
one is not held up by the store. A system over the network keeps its own time, and its answers are kept as they come.
Whatever is asked is claimed in the store first, so that another process on it asks something else.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from functools import cached_property, partial
from itertools import islice
from queue import Empty
from typing import Any

import msgspec

from polyglitch.errors import LeaseLost, LimitReached, SystemFailed
from polyglitch.protocols import Remote, System
from polyglitch.records import Case, Input, Output, Trial
from polyglitch.run.threads import Answers, Batch, ClaimedAnswers, Raised, Threads, WorkQueue
from polyglitch.store.cases import output_key
from polyglitch.store.leases import Account, Claimed
from polyglitch.store.store import Store

QUICK = 0.25  # seconds: a batch that took less may be followed by one twice its size; then answers are kept
KEPT_AT_ONCE = 256  # of a quick system: claimed and kept one by one, answers cost more than asking
RENEWALS = 3  # of a lease before it would expire: one may come late, or not get through
ABANDONED = 8  # threads left behind in a hanging system before the run gives up

Work = tuple[Batch, Answers, Future[Answers]]  # inputs to ask, what is answered already, who waits


class Asker:
    """Answers inputs from the store or from the system, never asking twice what was answered."""

    def __init__(
        self,
        system: System,
        store: Store,
        jobs: int | None = None,
        timeout: float = 60.0,
        account: Account | None = None,
        threads: Threads | None = None,
    ) -> None:
        self._system, self._store, self._timeout = system, store, timeout
        self._threads = threads or Threads()
        self._work: WorkQueue[Work] = self._threads.queue()
        self._in_flight: dict[str, Future[Answers]] = {}
        self._lock, self._lease_lock = self._threads.lock(), self._threads.lock()
        self._remote = system if isinstance(system, Remote) else None
        self._account = account if self._remote else None
        self._size = system.batch_size if self._remote else 1
        self._abandoned = 0
        self.queries = self.cache_hits = self.errors = 0
        self.stopped: LimitReached | None = None  # why some inputs were left unasked
        self._lease = store.leases.grant()  # under which it claims: another after a long silence
        self._closed = threading.Event()
        self._threads.start(self._live)
        # How many requests are under way is the business of a system over the network.
        self.jobs = system.parallel if self._remote else jobs or system.parallel
        for _ in range(self.jobs):
            self._threads.start(self._serve)

    def key(self, item: Input, turn: int = 0) -> str:
        """The store's key for an input to this system; asked again, each turn has its own."""
        return output_key(self._system.signature, item, turn)

    @property
    def under_way(self) -> int:
        """Inputs that wait for their answer."""
        return len(self._in_flight)

    @property
    def quick(self) -> bool:
        """Whether a system in this process has proved so quick that keeping answers costs more than asking."""
        return self._remote is None and self._size >= KEPT_AT_ONCE

    def submit(self, inputs: Iterable[Input], turn: int = 0) -> list[Future[Answers]]:
        """Send what is not known yet on its way; the futures give the answers by key."""
        wanted = {self.key(item, turn): item for item in inputs}
        futures: list[Future[Answers]] = []
        with self._lock:
            under_way = {key: self._in_flight[key] for key in wanted if key in self._in_flight}
        futures += dict.fromkeys(under_way.values())
        known = self._store.outputs.get([key for key in wanted if key not in under_way])
        self.cache_hits += len(known) + len(under_way)
        futures.append(done(known))
        new = [key for key in wanted if key not in under_way and key not in known]
        while new:
            size = self._size
            batch, new = {key: wanted[key] for key in new[:size]}, new[size:]
            future: Future[Answers] = Future()
            with self._lock:
                self._in_flight.update(dict.fromkeys(batch, future))
            self._work.put((batch, {}, future))
            futures.append(future)
        return futures

    def gather(self, futures: Sequence[Future[Answers]]) -> Answers:
        """Wait for all answers; a system that hangs costs its inputs a timeout, not the campaign.

        Some are lacking once `stopped` says why."""
        answers: Answers = {}
        for future in futures:
            answers |= self._threads.result(future)
        return answers

    def count_elsewhere(self, queries: int, hits: int, errors: int, stopped: str) -> None:
        """Count what workers asked in its place, and why they left some unasked."""
        with self._lock:
            self.queries += queries
            self.cache_hits += hits
            self.errors += errors
        if stopped:
            self.stopped = self.stopped or LimitReached(stopped)

    def wait(self, futures: Collection[Future[Any]], seconds: float) -> set[Future[Any]]:
        """Wait some time for all answers; what is still to come."""
        return self._threads.wait(futures, seconds)

    def close(self) -> None:
        """End the workers that wait for work; what they did not come to is free for others."""
        with self._lease_lock:
            self._closed.set()
            self._store.leases.end(self._lease, self._account)
        for _ in range(self.jobs):
            self._work.put(({}, {}, done({})))

    def _live(self) -> None:
        """Renew the lease from time to time, until it is not needed any more."""
        while not self._threads.sleep(self._store.leases.seconds / RENEWALS, self._closed):
            lease = self._lease
            try:
                self._store.leases.renew(lease)
            except LeaseLost:
                self._lease_again(lease)
            except Exception:  # noqa: S112 - a store that cannot be written shows where answers are kept
                continue

    def _claim(self, batch: Batch) -> tuple[int, Claimed]:
        """Claim inputs, after a long silence under a new lease; the lease, and what may be asked."""
        prices = None
        if self._account and self._remote:
            prices = {key: self._remote.expected(item) for key, item in batch.items()}
        while not self._closed.is_set():
            lease = self._lease
            try:
                return lease, self._store.leases.claim(lease, list(batch), self._account, prices)
            except LeaseLost:
                self._lease_again(lease)
        raise CancelledError

    def _lease_again(self, lost: int) -> None:
        """After a laptop's sleep the lease has expired, and its claims may be another's: it starts anew."""
        with self._lease_lock:
            if self._lease == lost and not self._closed.is_set():
                self._lease = self._store.leases.grant()

    @cached_property
    def _claimed_answers(self) -> ClaimedAnswers:
        """Who waits for other processes; most runs are alone and never need it."""
        return ClaimedAnswers(self._store, lambda *work: self._work.put(work), self._threads)

    def _serve(self) -> None:
        while works := self._take():
            batch = {key: item for work in works for key, item in work[0].items()}
            try:
                answers, others = self._answer_claimed(batch)
            except BaseException as error:
                self._forget(batch)
                for _, _, future in works:
                    future.set_exception(error)
                continue
            self._forget({key: item for key, item in batch.items() if key not in others})
            for own, before, future in works:
                known = before | {key: answers[key] for key in own if key in answers}
                left = {key: item for key, item in own.items() if key in others}
                if left:
                    future.add_done_callback(partial(self._forget_done, left))
                    self._claimed_answers.wait(left, known, future)
                else:
                    future.set_result(known)

    def _take(self) -> list[Work]:
        """Wait for work; of a system that proved quick, all that waits as far as it fits one batch."""
        works = [self._work.get()]
        if not works[0][0]:
            return []
        room = 0 if self._remote else self._size - len(works[0][0])
        while room > 0:
            try:
                more = self._work.get_nowait()
            except Empty:
                break
            if not 0 < len(more[0]) <= room:  # the end, which is another thread's, or too much
                self._work.put_back(more)
                break
            works.append(more)
            room -= len(more[0])
        return works

    def _answer_claimed(self, batch: Batch) -> tuple[Answers, Batch]:
        """Answer what no other process is asking; the answers, and what is waited for."""
        if self.stopped:
            return self._store.outputs.get(list(batch)), {}
        lease, claimed = self._claim(batch)
        rest = [key for key in batch if key not in claimed.mine and key not in claimed.unpaid]
        new = {key: item for key, item in batch.items() if key in claimed.mine}
        left = set(new)
        answers: Answers = {}
        if self._account:
            self._account.meter.open_batch(claimed.granted)
        try:
            for some in self._ask(new) if new else ():
                kept = self._store.leases.add_answers(lease, some, account=self._account)
                self._count(kept)
                answers |= kept
                left -= some.keys()
                rest += some.keys() - kept.keys()  # another has it under a later lease
        finally:
            unused = self._account and self._account.meter.close_batch(claimed.granted)
            if left or unused:
                self._store.leases.release(lease, list(left), self._account)
        self.stopped = self.stopped or claimed.refusal
        known = self._store.outputs.get(rest)  # answered elsewhere since it was looked up
        return known | answers, {key: batch[key] for key in rest if key not in known}

    def _ask(self, batch: Batch) -> Iterator[Answers]:
        """Answers in the parts in which they are to be kept."""
        if not self._remote:
            yield from self._ask_here(batch)
        else:
            keys = list(batch)
            try:
                for some in self._remote.stream(list(batch.values())):
                    yield {keys[number]: output for number, output in some.items()}
            except LimitReached as error:
                self.stopped = error

    def _ask_here(self, batch: Batch) -> Iterator[Answers]:
        """Answers in as many calls as the system needs, kept together while they come quickly."""
        begun = started = time.monotonic()
        answers, left = Answers(), iter(batch.items())
        while some := dict(islice(left, self._system.batch_size)):
            answers |= self._answer(some)
            if time.monotonic() - started > QUICK:
                yield answers
                started, answers = time.monotonic(), {}
        if time.monotonic() - begun < QUICK and len(batch) >= self._size // 2:
            self._size = min(max(self._system.batch_size, KEPT_AT_ONCE), self._size * 2)
        if answers:
            yield answers

    def _answer(self, batch: Batch) -> Answers:
        """Ask in a thread that can be left behind; a batch that hangs is asked again one by one."""
        started = time.monotonic()
        outputs = self._call(list(batch.values()))
        if outputs is None and len(batch) > 1:
            return {key: self._single(item) for key, item in batch.items()}
        seconds = time.monotonic() - started
        if outputs is None:
            return {key: self._late() for key in batch}
        if len(outputs) != len(batch):
            return (
                {key: self._single(item) for key, item in batch.items()}
                if len(batch) > 1
                else {
                    key: Output(status="error", error=f"{len(outputs)} outputs for one input")
                    for key in batch
                }
            )
        return {
            key: output
            if output.seconds
            else msgspec.structs.replace(output, seconds=round(seconds / len(batch), 6))
            for key, output in zip(batch, outputs, strict=True)
        }

    def _single(self, item: Input) -> Output:
        outputs = self._call([item])
        if outputs is None:
            return self._late()
        if len(outputs) != 1:
            return Output(status="error", error=f"{len(outputs)} outputs for one input")
        return outputs[0]

    def _late(self) -> Output:
        return Output(status="timeout", error=f"no answer in {self._timeout:g} s")

    def _call(self, inputs: list[Input]) -> Sequence[Output] | None:
        """The system's outputs, an error for each input if it raises, nothing if it hangs."""
        patience = self._timeout + 1.0  # a system's own timeout comes first
        try:
            return self._threads.call(lambda: self._system.ask(inputs), patience)
        except TimeoutError:
            self._abandoned += 1
            if self._abandoned > ABANDONED:
                raise SystemFailed(
                    f"system {self._system.signature} hung on {self._abandoned} calls of {self._timeout:g} s; "
                    "raise --timeout or look at the system"
                ) from None
            return None
        except Raised as raised:
            error = raised.error
            if isinstance(error, SystemFailed):
                raise error from None
            failed = Output(status="error", error=f"{type(error).__name__}: {error}")
            return [failed] if len(inputs) == 1 else None

    def _count(self, answers: Answers) -> None:
        with self._lock:
            self.queries += len(answers)
            self.errors += sum(not output.ok for output in answers.values())

    def _forget_done(self, batch: Batch, _: Future[Answers]) -> None:
        self._forget(batch)

    def _forget(self, batch: Batch) -> None:
        with self._lock:
            for key in batch:
                self._in_flight.pop(key, None)


def done(answers: Answers) -> Future[Answers]:
    """A future that has its answers already."""
    future: Future[Answers] = Future()
    future.set_result(answers)
    return future


Asked = list[list[Future[Answers]]]  # for each time of asking, the answers to come


class RoundTrips:
    """The systems of a campaign, one a hop, each input asked `repeat` times."""

    def __init__(self, askers: Sequence[Asker], target: str | None, repeat: int) -> None:
        self.askers, self._target, self._repeat = askers, target, repeat

    @property
    def stopped(self) -> LimitReached | None:
        """Why some cases were left unasked; they stay pending."""
        return next((asker.stopped for asker in self.askers if asker.stopped), None)

    def send(self, cases: Sequence[Case]) -> Asked:
        """Send the inputs of some cases on their way."""
        inputs = [item for case in cases for item in case.inputs]
        return [self.askers[0].submit(inputs, turn) for turn in range(self._repeat)]

    def trials(
        self, cases: list[Case], asked: Asked, back: bool
    ) -> tuple[list[Case], list[list[Trial]]]:
        """Wait for the outputs: the cases that were asked, and their trials at each time of asking."""
        rounds = [self._hops(futures, turn, back) for turn, futures in enumerate(asked)]
        if self.stopped:
            cases = [case for case in cases if self._answered(case, rounds)]
        return cases, [
            [
                Trial(case, tuple(self._chain(item, hops, turn) for item in case.inputs))
                for case in cases
            ]
            for turn, hops in enumerate(rounds)
        ]

    def _hops(self, asked: list[Future[Answers]], turn: int, back: bool) -> list[Answers]:
        """What came back at one time of asking, one a hop."""
        hops = [self.askers[0].gather(asked)]
        if back:
            there = [
                Input(output.text, language=self._target)
                for output in hops[0].values()
                if output.ok
            ]
            hops.append(self.askers[1].gather(self.askers[1].submit(there, turn)))
        return hops

    def _chain(self, item: Input, hops: list[Answers], turn: int) -> tuple[Output, ...]:
        """The outputs of an input, one a hop, ending early where one failed."""
        chain = [hops[0][self.askers[0].key(item, turn)]]
        for asker, answers in zip(self.askers[1:], hops[1:], strict=False):
            if not chain[-1].ok:
                break
            back = Input(chain[-1].text, language=self._target)
            chain.append(answers[asker.key(back, turn)])
        return tuple(chain)

    def _answered(self, case: Case, rounds: list[list[Answers]]) -> bool:
        """Whether all of a case was asked before a limit was reached."""
        try:
            return all(
                self._chain(item, hops, turn)
                for turn, hops in enumerate(rounds)
                for item in case.inputs
            )
        except KeyError:
            return False
