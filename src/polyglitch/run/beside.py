"""Asking beside other processes on the same store: what is ours to ask, and what another one asks already.

Inputs are claimed in the store before they are asked. What another process has claimed is waited for: its answer
comes from the store, or, when that process is gone, the claim becomes ours. Nothing waits while it holds what it
could be asking, so no two processes can wait for each other.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

from polyglitch.records import Input, Output
from polyglitch.store.claims import new_owner
from polyglitch.store.store import Store

LEASE = 30.0  # seconds after which a process on another machine that says nothing is taken for dead
RENEWED = LEASE / 3  # two renewals may fail before a claim is lost
LOOKED = 0.2  # seconds between two looks at what others have answered

Batch = dict[str, Input]
Answers = dict[str, Output]
AskNow = Callable[[Batch, "Future[Answers]"], None]


class Beside:
    """The claims of one asker: made, kept alive, and those of others watched."""

    def __init__(self, store: Store, ask_now: AskNow) -> None:
        self._store, self._ask_now = store, ask_now
        self._owner = new_owner()
        self._theirs: dict[str, tuple[Input, Future[Answers]]] = {}
        self._lock = threading.Lock()
        self._wake, self._closed = threading.Event(), False
        self._thread: threading.Thread | None = None

    def take(self, new: Batch) -> tuple[Batch, Answers, dict[str, Future[Answers]]]:
        """Claim inputs: those that are ours, those answered in the meantime, those others are asking."""
        mine = self._store.claim(list(new), self._owner, LEASE)
        # Looked at after the claim: an answer and the end of its claim are written together.
        answered = self._store.outputs(list(mine))
        if answered:
            self._store.release(self._owner, answered)
        theirs: dict[str, Future[Answers]] = {key: Future() for key in new if key not in mine}
        with self._lock:
            self._theirs |= {key: (new[key], future) for key, future in theirs.items()}
        self._start()
        if theirs:
            self._wake.set()
        return (
            {key: new[key] for key in new if key in mine and key not in answered},
            answered,
            theirs,
        )

    def give_up(self, batch: Batch) -> None:
        """Let others ask what could not be asked here."""
        self._store.release(self._owner, batch)

    def close(self) -> None:
        """Stop watching and give up what was never asked."""
        self._closed = True
        self._wake.set()
        if self._thread:
            self._thread.join()
            self._store.release(self._owner)

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._watch, daemon=True)
            self._thread.start()

    def _watch(self) -> None:
        renewed = time.monotonic()
        while not self._closed:
            self._wake.wait(LOOKED if self._theirs else RENEWED)
            self._wake.clear()
            try:
                if time.monotonic() - renewed >= RENEWED:
                    self._store.renew(self._owner, LEASE)
                    renewed = time.monotonic()
                self._look()
            except Exception as error:
                self._fail(error)
            if self._theirs and not self._closed:
                time.sleep(LOOKED)

    def _look(self) -> None:
        """Hand on what others have answered, and ask ourselves what they left behind."""
        with self._lock:
            waiting = dict(self._theirs)
        if not waiting:
            return
        found = self._store.outputs(list(waiting))
        left = {key: item for key, (item, _) in waiting.items() if key not in found}
        mine = self._store.claim(list(left), self._owner, LEASE) if left else set()
        found |= self._store.outputs(list(mine))
        self._store.release(self._owner, mine & set(found))
        for key in set(found) | mine:
            item, future = waiting[key]
            with self._lock:
                del self._theirs[key]
            if key in found:
                future.set_result({key: found[key]})
            else:
                self._ask_now({key: item}, future)

    def _fail(self, error: Exception) -> None:
        """The store does not answer: whoever waits is told so."""
        with self._lock:
            waiting, self._theirs = self._theirs, {}
        for _, future in waiting.values():
            future.set_exception(error)
