"""What works side by side: the threads of a process, in one place, so that a simulation puts an order of its own in the
place of chance; and waiting for what another process on the same store asks, as its answer is ours as well.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Collection
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from polyglitch.records import Input, Output

if TYPE_CHECKING:  # it brings SQLAlchemy, and who judges in a process of its own has no store
    from polyglitch.store.store import Store

T = TypeVar("T")


class WorkQueue(Protocol[T]):
    """Where work waits for a thread."""

    def put(self, item: T) -> None:
        """Add some."""

    def get(self) -> T:
        """Wait for some."""

    def get_nowait(self) -> T:
        """What waits already; `queue.Empty` where nothing does."""

    def put_back(self, item: T) -> None:
        """Give back what was taken, before all that waits: somebody may wait for it longest."""


class OrderedQueue(queue.Queue[T]):
    """Work in the order it came; what is given back keeps its place."""

    def put_back(self, item: T) -> None:
        """Give back what was taken, before all that waits."""
        with self.mutex:
            self.queue.appendleft(item)
            self.not_empty.notify()


class Threads:
    """Threads of this process that do not keep it from ending."""

    def start(self, work: Callable[[], None]) -> None:
        """Do something beside everything else."""
        threading.Thread(target=work, daemon=True).start()

    def lock(self) -> AbstractContextManager[Any]:
        """A lock among these threads."""
        return threading.Lock()

    def queue(self) -> WorkQueue[Any]:
        """A queue among these threads."""
        return OrderedQueue()

    def result(self, future: Future[dict[str, T]]) -> dict[str, T]:
        """Wait for answers."""
        return future.result()

    def wait(self, futures: Collection[Future[T]], seconds: float) -> set[Future[T]]:
        """Wait some time for all of them; those that are not there yet."""
        return wait(futures, timeout=seconds).not_done

    def sleep(self, seconds: float, unless: threading.Event | None = None) -> bool:
        """Wait, unless something happens; whether it did."""
        if unless is not None:
            return unless.wait(seconds)
        time.sleep(seconds)
        return False

    def call(self, work: Callable[[], T], seconds: float) -> T:
        """What a call gives or raises; TimeoutError, and the call left behind, where it hangs."""
        answer: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()

        def ask() -> None:
            try:
                answer.put((work(), None))
            except BaseException as error:
                answer.put((None, error))

        self.start(ask)
        try:
            found, error = answer.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError from None
        if error is not None:
            raise Raised(error)
        return found  # type: ignore[return-value]


class Raised(Exception):
    """What a call raised, apart from what waiting for it did."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


LOOK = 0.2  # seconds between two looks into the store

Batch = dict[str, Input]
Answers = dict[str, Output]


class Wait(msgspec.Struct, eq=False):
    """Inputs that another process has claimed, and who waits for them."""

    batch: Batch
    answers: Answers
    future: Future[Answers]


class ClaimedAnswers:
    """A thread that looks for answers, and sends inputs back to be asked here when nobody asks them any more."""

    def __init__(
        self,
        store: Store,
        again: Callable[[Batch, Answers, Future[Answers]], None],
        threads: Threads | None = None,
    ) -> None:
        self._store, self._again, self._threads = store, again, threads or Threads()
        self._waits: list[Wait] = []
        self._lock = self._threads.lock()
        self._watched = False

    def wait(self, batch: Batch, answers: Answers, future: Future[Answers]) -> None:
        """Have a future resolved once all inputs of the batch are answered, whoever asked them."""
        with self._lock:
            self._waits.append(Wait(batch, answers, future))
            if not self._watched:
                self._watched = True
                self._threads.start(self._watch)

    def _watch(self) -> None:
        while waits := self._under_way():
            self._threads.sleep(LOOK)
            try:
                over = self._look(waits)
            except Exception as error:  # the store is gone: whoever waits must hear of it
                over = waits
                for each in waits:
                    each.future.set_exception(error)
            with self._lock:
                self._waits = [each for each in self._waits if each not in over]

    def _under_way(self) -> list[Wait]:
        """Who waits still; where nobody does the thread ends, and the next wait starts another."""
        with self._lock:
            if not self._waits:
                self._watched = False
            return list(self._waits)

    def _look(self, waits: list[Wait]) -> list[Wait]:
        """Which waits are over: everything answered, or what is left is to be asked here; all looked up together."""
        keys = [key for each in waits for key in each.batch]
        owners = self._store.leases.claimed(keys)
        found = self._store.outputs.get(keys)  # after the claims: an answer ends its claim
        over: list[Wait] = []
        for each in waits:
            each.answers |= {key: found[key] for key in each.batch if key in found}
            each.batch = {key: item for key, item in each.batch.items() if key not in found}
            if not each.batch:
                each.future.set_result(each.answers)
            elif any(key not in owners for key in each.batch):
                self._again(each.batch, each.answers, each.future)
            else:
                continue
            over.append(each)
        return over
