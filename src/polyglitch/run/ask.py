"""Asking a system: each input once, in batches, on as many threads as the system allows.

A worker thread keeps its batch's outputs before it takes the next one, so that a killed process loses the batches
in flight and nothing else. Batches start small and grow while they are quick: a slow system loses little, a fast
one is not held up by the store.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Future

import msgspec

from polyglitch.errors import SystemFailed
from polyglitch.protocols import System
from polyglitch.records import Input, Output
from polyglitch.store.outputs import output_key
from polyglitch.store.store import Store

QUICK = 0.25  # seconds: a batch that took less may be followed by one twice its size
ABANDONED = 8  # threads left behind in a hanging system before the run gives up

Batch = dict[str, Input]
Answers = dict[str, Output]


class Asker:
    """Answers inputs from the store or from the system, never asking twice what was answered."""

    def __init__(
        self, system: System, store: Store, jobs: int | None = None, timeout: float = 60.0
    ) -> None:
        self._system, self._store, self._timeout = system, store, timeout
        self._work: queue.SimpleQueue[tuple[Batch, Future[Answers]]] = queue.SimpleQueue()
        self._in_flight: dict[str, Future[Answers]] = {}
        self._lock = threading.Lock()
        self._size = 1
        self._abandoned = 0
        self.queries = self.cache_hits = self.errors = 0
        self.jobs = jobs or system.parallel
        for _ in range(self.jobs):
            self._start_worker()

    def key(self, item: Input) -> str:
        """The store's key for an input to this system."""
        return output_key(self._system.signature, item)

    def submit(self, inputs: Iterable[Input]) -> list[Future[Answers]]:
        """Send what is not known yet on its way; the futures give the answers by key."""
        wanted = {self.key(item): item for item in inputs}
        futures: list[Future[Answers]] = []
        with self._lock:
            under_way = {key: self._in_flight[key] for key in wanted if key in self._in_flight}
        futures += dict.fromkeys(under_way.values())
        known = self._store.outputs([key for key in wanted if key not in under_way])
        self.cache_hits += len(known) + len(under_way)
        futures.append(done(known))
        new = [key for key in wanted if key not in under_way and key not in known]
        while new:
            size = self._size
            batch, new = {key: wanted[key] for key in new[:size]}, new[size:]
            future: Future[Answers] = Future()
            with self._lock:
                self._in_flight.update(dict.fromkeys(batch, future))
            self._work.put((batch, future))
            futures.append(future)
        return futures

    def gather(self, futures: Sequence[Future[Answers]]) -> Answers:
        """Wait for all answers; a system that hangs costs its inputs a timeout, not the campaign."""
        answers: Answers = {}
        for future in futures:
            answers |= future.result()
        return answers

    def close(self) -> None:
        """End the workers that wait for work."""
        for _ in range(self.jobs):
            self._work.put(({}, done({})))

    def _start_worker(self) -> None:
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            batch, future = self._work.get()
            if not batch:
                return
            try:
                answers = self._answer(batch)
                self._store.add_outputs(answers)
            except BaseException as error:
                self._forget(batch)
                future.set_exception(error)
                continue
            self._count(answers)
            self._forget(batch)
            future.set_result(answers)

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

    def _forget(self, batch: Batch) -> None:
        with self._lock:
            for key in batch:
                self._in_flight.pop(key, None)


def done(answers: Answers) -> Future[Answers]:
    """A future that has its answers already."""
    future: Future[Answers] = Future()
    future.set_result(answers)
    return future
