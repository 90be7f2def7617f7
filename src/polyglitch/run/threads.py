"""What works side by side in a process, in one place: a simulation puts an order of its own in the place of chance."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Collection
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class WorkQueue(Protocol[T]):
    """Where work waits for a thread."""

    def put(self, item: T) -> None:
        """Add some."""

    def get(self) -> T:
        """Wait for some."""

    def get_nowait(self) -> T:
        """What waits already; `queue.Empty` where nothing does."""


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
        return queue.SimpleQueue()

    def result(self, future: Future[dict[str, T]]) -> dict[str, T]:
        """Wait for answers."""
        return future.result()

    def wait(
        self, futures: Collection[Future[dict[str, T]]], seconds: float
    ) -> set[Future[dict[str, T]]]:
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
