"""Waiting for what another process on the same store asks: its answer is ours as well."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

import msgspec

from polyglitch.records import Input, Output
from polyglitch.run.threads import Threads
from polyglitch.store.store import Store

LOOK = 0.2  # seconds between two looks into the store

Batch = dict[str, Input]
Answers = dict[str, Output]


class Wait(msgspec.Struct):
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
            for wait in waits:
                try:
                    over = self._look(wait)
                except Exception as error:  # the store is gone: whoever waits must hear of it
                    wait.future.set_exception(error)
                    over = True
                if over:
                    with self._lock:
                        self._waits.remove(wait)

    def _under_way(self) -> list[Wait]:
        """Who waits still; where nobody does the thread ends, and the next wait starts another."""
        with self._lock:
            if not self._waits:
                self._watched = False
            return list(self._waits)

    def _look(self, wait: Wait) -> bool:
        """Whether a wait is over: everything answered, or what is left is to be asked here."""
        owners = self._store.leases.claimed(list(wait.batch))
        found = self._store.outputs.get(
            list(wait.batch)
        )  # after the claims: an answer ends its claim
        wait.answers |= found
        wait.batch = {key: item for key, item in wait.batch.items() if key not in found}
        if not wait.batch:
            wait.future.set_result(wait.answers)
            return True
        if any(key not in owners for key in wait.batch):
            self._again(wait.batch, wait.answers, wait.future)
            return True
        return False
