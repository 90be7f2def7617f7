"""What a process does that makes cases and judges for another one: it is asked through its input, and ends with it."""

from __future__ import annotations

import gc
import logging
import os
import queue
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from typing import Any, BinaryIO

import msgspec

from polyglitch.files.lazy_numpy import one_thread
from polyglitch.run.method_actor import Languages, MethodActor, Reply, opened
from polyglitch.run.second_process import LOGGED, NOTED, Request, receive, send
from polyglitch.tools import Keeper

# New objects before the collector looks through them: what is judged leaves few behind, and looking through parsers and
# word lists again and again took a tenth of the time.
COLLECTED = (100_000, 20, 100)
CROWDED = (
    2.0  # what wants to run for each core: a campaign alone has less, beside other work it has more
)
BEGUN = 2  # pieces that are judged at once: the words of one while a model is asked about the other


class Forwarded(logging.Handler):
    """Hands warnings to the process that people see."""

    def __init__(self, answer: Callable[[int, str, bytes], None]) -> None:
        super().__init__(logging.WARNING)
        self._answer = answer

    def emit(self, record: logging.LogRecord) -> None:
        """Send one."""
        self._answer(LOGGED, record.name, record.getMessage().encode())


class NotesElsewhere:
    """Fits `tools.Keeper`: asks the process that has the store open, and waits for it."""

    def __init__(self, answer: Callable[[int, str, bytes], None]) -> None:
        self._answer, self._lock = answer, threading.Lock()
        self.replies: queue.SimpleQueue[Reply] = queue.SimpleQueue()

    @property
    def outputs(self) -> NotesElsewhere:
        """Itself: there is nothing else of a store here."""
        return self

    def remember(self, kind: str, keys: Sequence[str]) -> dict[str, Any]:
        """What was kept under these keys in this or an earlier run."""
        found: dict[str, Any] = self._asked("remember", kind, keys) if keys else {}
        return found

    def keep(self, kind: str, values: dict[str, Any]) -> None:
        """Keep JSON values for later runs."""
        self._asked("keep", kind, values)

    def _asked(self, what: str, kind: str, about: Any) -> Any:
        """Ask, one after the other: replies have no number of their own."""
        with self._lock:
            self._answer(NOTED, what, msgspec.json.encode((kind, about)))
            return opened(self.replies.get(), Any)


def serve() -> None:
    """Do what is asked until nobody is left to ask; what libraries print goes where errors go."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    lock = threading.Lock()

    def answer(number: int, name: str, raw: bytes) -> None:
        with lock, suppress(OSError):
            send(answers, (number, name, raw))

    logging.getLogger("polyglitch").addHandler(Forwarded(answer))
    requests: queue.SimpleQueue[Request] = queue.SimpleQueue()
    notes = NotesElsewhere(answer)
    reading = (sys.stdin.buffer, requests, notes.replies)
    threading.Thread(target=take, args=reading, daemon=True).start()
    work(requests, answer, notes)


def take(
    pipe: BinaryIO, requests: queue.SimpleQueue[Request], replies: queue.SimpleQueue[Reply]
) -> None:
    """Put what is asked, and what notes say, into their queues; end with the input, whatever is being done."""
    while (request := receive(pipe, Request)) is not None:
        number, what, _, raw = request
        if number == NOTED:
            replies.put((what, raw))
        else:
            requests.put(request)
    os._exit(0)


def work(
    requests: queue.SimpleQueue[Request],
    answer: Callable[[int, str, bytes], None],
    notes: Keeper | None = None,
) -> None:
    """Answer one request after the other; verdicts that wait for a model are called for when nothing else is asked."""
    begun: deque[tuple[int, Callable[[], Reply]]] = deque()
    actor: Any = None
    while True:
        if begun and (requests.empty() or len(begun) >= BEGUN):
            number, verdicts = begun.popleft()
            with one_thread():
                answer(number, *verdicts())
            continue
        number, what, method, raw = requests.get()
        if what == "start":
            campaign, languages = msgspec.json.decode(raw, type=tuple[bytes, Languages])
            actor = MethodActor(campaign, languages, notes)
            answer(number, *actor.describe())
            gc.freeze()
            gc.set_threshold(*COLLECTED)
        elif what == "compare":
            with one_thread():  # its products are small
                begun.append((number, actor.begin(method, raw)))
        else:
            # A model that fills gaps gains a quarter by all threads, and loses by them where others work too; smaller
            # products gain nothing, and the other threads wait for each other by spinning.
            with nullcontext() if actor.asks_model(method) and not busy() else one_thread():
                answer(number, *getattr(actor, what)(method, raw))


def busy() -> bool:
    """Whether far more wants to run than there are cores, where the machine tells."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return load > CROWDED * (os.cpu_count() or 1)
