"""Asking a system: each input once, in batches, on as many threads as the system allows.

A worker thread keeps its batch's outputs before it takes the next one, so that a killed process loses the batches
in flight and nothing else. Batches start small and grow while they are quick: a slow system loses little, a fast
one is not held up by the store. A system over the network keeps its own time, and its answers are kept as they come.
Whatever is asked is claimed in the store first, so that another process on it asks something else.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from functools import cached_property, partial

import msgspec

from polyglitch.errors import LimitReached, SystemFailed
from polyglitch.protocols import Remote, System
from polyglitch.records import Input, Output
from polyglitch.run.claimed_answers import Answers, Batch, ClaimedAnswers
from polyglitch.store.leases import BEAT, NotListed
from polyglitch.store.outputs import output_key
from polyglitch.store.store import Store

QUICK = 0.25  # seconds: a batch that took less may be followed by one twice its size
ABANDONED = 8  # threads left behind in a hanging system before the run gives up

Work = tuple[Batch, Answers, Future[Answers]]  # inputs to ask, what is answered already, who waits


class Asker:
    """Answers inputs from the store or from the system, never asking twice what was answered."""

    def __init__(
        self, system: System, store: Store, jobs: int | None = None, timeout: float = 60.0
    ) -> None:
        self._system, self._store, self._timeout = system, store, timeout
        self._work: queue.SimpleQueue[Work] = queue.SimpleQueue()
        self._in_flight: dict[str, Future[Answers]] = {}
        self._lock = threading.Lock()
        self._remote = system if isinstance(system, Remote) else None
        self._size = system.batch_size if self._remote else 1
        self._abandoned = 0
        self.queries = self.cache_hits = self.errors = 0
        self.stopped: LimitReached | None = None  # why some inputs were left unasked
        self.worker = store.leases.enlist()
        self._listed = self.worker  # as whom it claims: another name after a long silence
        self._closed = threading.Event()
        threading.Thread(target=self._live, daemon=True).start()
        # How many requests are under way is the business of a system over the network.
        self.jobs = system.parallel if self._remote else jobs or system.parallel
        for _ in range(self.jobs):
            self._start_worker()

    def key(self, item: Input, turn: int = 0) -> str:
        """The store's key for an input to this system; asked again, each turn has its own."""
        return output_key(self._system.signature, item, turn)

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
            answers |= future.result()
        return answers

    def close(self) -> None:
        """End the workers that wait for work; what they did not come to is free for others."""
        with self._lock:
            self._closed.set()
            self._store.leases.dismiss(self._listed)
        for _ in range(self.jobs):
            self._work.put(({}, {}, done({})))

    def _live(self) -> None:
        """Say from time to time that this worker is there, until it is not."""
        while not self._closed.wait(BEAT):
            listed = self._listed
            try:
                self._store.leases.beat(listed)
            except NotListed:
                self._enlist_again(listed)
            except Exception:  # a store that cannot be written shows where answers are kept
                return

    def _claim(self, keys: Sequence[str]) -> tuple[str, set[str]]:
        """Claim inputs, after a long silence under a new name; who claimed, and what it may ask."""
        while not self._closed.is_set():
            listed = self._listed
            try:
                return listed, self._store.leases.claim(listed, keys)
            except NotListed:
                self._enlist_again(listed)
        raise CancelledError

    def _enlist_again(self, gone: str) -> None:
        """Another process gave this one up, as after a laptop's sleep: its claims are void, it starts anew."""
        with self._lock:
            if self._listed == gone and not self._closed.is_set():
                self._listed = self._store.leases.enlist()

    @cached_property
    def _claimed_answers(self) -> ClaimedAnswers:
        """Who waits for other processes; most runs are alone and never need it."""
        return ClaimedAnswers(self._store, lambda *work: self._work.put(work))

    def _start_worker(self) -> None:
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            batch, before, future = self._work.get()
            if not batch:
                return
            try:
                answers, others = self._answer_claimed(batch)
            except BaseException as error:
                self._forget(batch)
                future.set_exception(error)
                continue
            self._forget({key: item for key, item in batch.items() if key not in others})
            if others:
                future.add_done_callback(partial(self._forget_done, others))
                self._claimed_answers.wait(others, before | answers, future)
            else:
                future.set_result(before | answers)

    def _answer_claimed(self, batch: Batch) -> tuple[Answers, Batch]:
        """Answer what no other process is asking; the answers, and what is waited for."""
        claimer, mine = self._claim(list(batch))
        others = {key: item for key, item in batch.items() if key not in mine}
        known = self._store.outputs.get(list(mine))  # answered elsewhere since it was looked up
        new = {key: batch[key] for key in batch if key in mine and key not in known}
        left = set(mine)
        try:
            answers: Answers = {}
            for some in self._ask(new) if new else ():
                self._store.leases.add_answers(claimer, some)
                self._count(some)
                answers |= some
                left -= some.keys()
        finally:
            self._store.leases.release(claimer, list(left))
        return known | answers, others

    def _ask(self, batch: Batch) -> Iterator[Answers]:
        """Answers in the parts in which they are to be kept."""
        if not self._remote:
            yield self._answer(batch)
        elif not self.stopped:
            keys = list(batch)
            try:
                for some in self._remote.stream(list(batch.values())):
                    yield {keys[number]: output for number, output in some.items()}
            except LimitReached as error:
                self.stopped = error

    def _answer(self, batch: Batch) -> Answers:
        """Ask in a thread that can be left behind; a batch that hangs is asked again one by one."""
        started = time.monotonic()
        outputs = self._call(list(batch.values()))
        if outputs is None and len(batch) > 1:
            return {key: self._single(item) for key, item in batch.items()}
        seconds = time.monotonic() - started
        if seconds < QUICK and len(batch) == self._size:
            self._size = min(self._system.batch_size, self._size * 2)
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
            else msgspec.structs.replace(output, seconds=seconds / len(batch))
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
        answer: queue.SimpleQueue[Sequence[Output] | BaseException] = queue.SimpleQueue()

        def ask() -> None:
            try:
                answer.put(self._system.ask(inputs))
            except BaseException as error:
                answer.put(error)

        threading.Thread(target=ask, daemon=True).start()
        try:
            found = answer.get(timeout=self._timeout + 1.0)  # a system's own timeout comes first
        except queue.Empty:
            self._abandoned += 1
            if self._abandoned > ABANDONED:
                raise SystemFailed(
                    f"system {self._system.signature} hung on {self._abandoned} calls of {self._timeout:g} s; "
                    "raise --timeout or look at the system"
                ) from None
            return None
        if isinstance(found, SystemFailed):
            raise found
        if isinstance(found, BaseException):
            failed = Output(status="error", error=f"{type(found).__name__}: {found}")
            return [failed] if len(inputs) == 1 else None
        return found

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
