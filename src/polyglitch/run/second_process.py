"""Cases made and judged in a process of their own, beside one whose system computes on all of its threads.

Python lets one thread of a process work at a time. A translator in this process that computes on every core hands each
sentence back through Python, and waits there for whoever parses and compares; in a process of their own these wait for
nobody, and their models load while the system's do.

What they keep for later is asked of this process, which has the store open: the other need not import a database.

What is sent is length and bytes of (number, what to do, method, records as JSON); the answers come in any order. The
process ends with its input, so that it outlives nobody, however that one ended.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from polyglitch.campaign import Campaign
from polyglitch.errors import SystemFailed
from polyglitch.registry import Method, entries

if TYPE_CHECKING:  # the process is started before any of these is imported, which takes its time
    from polyglitch.protocols import System
    from polyglitch.records import Case, Seed, Trial, Verdict
    from polyglitch.run.method_actor import Languages, Reply
    from polyglitch.run.plan import Later
    from polyglitch.store.store import Store
    from polyglitch.tools import Toolbox

# The folders that modules come from are told, and no other is looked into: not the one it was started in.
START = (
    "import sys; from json import loads; sys.path[:] = loads(sys.argv[1]); "
    "from polyglitch.run.process_loop import serve; serve()"
)
LENGTH = 8  # bytes that say how many follow
LOGGED = -1  # the number of a message that answers nothing
NOTED = -2  # of one that asks for what was kept, or keeps something, and of its answer
PATIENCE = 0.2  # seconds that the process has to end by itself: it may still be loading
Request = tuple[int, str, str, bytes]
Answer = tuple[int, str, bytes]


def wanted(campaign: Campaign) -> bool:
    """Whether a campaign gains by it: the system says so, and nothing must be looked into or counted here."""
    system = entries("systems").get(campaign.system.strip().partition(":")[0])
    computes_here = system is not None and bool(system.data.get("all_cores"))
    alone = (os.cpu_count() or 1) < 2 or not sys.executable
    return computes_here and not alone and campaign.rank == "none" and campaign.judge is None


def started(campaign: Campaign) -> SecondProcess | None:
    """The process of a campaign that gains by it."""
    named = campaign.engine == "local" and wanted(campaign)
    return SecondProcess(campaign) if named else None


class SecondProcess:
    """Fits `polyglitch.run.plan.Engine`."""

    ahead = 1
    grace = 0.0
    loads_beside = True

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign
        self._lock = threading.Lock()
        self._waiting: dict[int, Future[Reply]] = {}
        self._asked = 0
        # In a group of its own: Ctrl-C is for the process that people see, which ends this one.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", START, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0 if os.name == "posix" else None,
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def open_system(self, uri: str, timeout: float) -> System:
        """The system under test, in this process."""
        from polyglitch.tools import open_system

        return open_system(uri, timeout)

    def start(self, methods: Sequence[Method], tools: Toolbox) -> Later[None]:
        """Have the methods' tools loaded there from now on; what is missing shows when that is waited for."""
        from polyglitch.run.method_actor import opened

        self._tools = tools
        raw = msgspec.json.encode(self._campaign)
        future = self._ask("start", "", msgspec.json.encode((raw, tools.languages)))
        return lambda: opened(future.result(), None)

    def mutate(self, method: Method, seeds: Sequence[Seed]) -> Later[Iterable[Case]]:
        """The cases of some seeds, under way from now on."""
        from polyglitch.run.method_actor import CASES

        return self._send("mutate", method, seeds, CASES)

    def compare(self, method: Method, trials: Sequence[Trial]) -> Later[list[Verdict]]:
        """The verdicts on some trials, under way from now on."""
        from polyglitch.run.method_actor import VERDICTS

        return self._send("compare", method, trials, VERDICTS)

    def without_case(self, method: Method, seeds: Sequence[Seed]) -> dict[str, int]:
        """Why no case came of some seeds."""
        from polyglitch.run.method_actor import REASONS

        found: dict[str, int] = self._send("without_case", method, seeds, REASONS)()
        return found

    def foreman(self, run: str, store: Store, languages: Languages) -> None:
        """This process asks and keeps."""

    def close(self) -> None:
        """End the process: it has nothing that is not kept here."""
        with suppress(OSError):
            if self._process.stdin:
                self._process.stdin.close()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _send(self, what: str, method: Method, records: Sequence[Any], kind: Any) -> Later[Any]:
        from polyglitch.run.method_actor import opened

        if not records:
            return list
        future = self._ask(what, method.name, msgspec.json.encode(list(records)))
        return lambda: opened(future.result(), kind)

    def _ask(self, what: str, method: str, raw: bytes) -> Future[Reply]:
        """Send a request; its reply comes in time."""
        future: Future[Reply] = Future()
        with self._lock:
            self._asked += 1
            self._waiting[self._asked] = future
            try:
                send(self._process.stdin, (self._asked, what, method, raw))
            except (OSError, ValueError):
                self._end_waiting()
        return future

    def _listen(self) -> None:
        """Hand replies to who waits for them, until the process ends."""
        while (answer := receive(self._process.stdout, Answer)) is not None:
            number, name, raw = answer
            if number == LOGGED:
                logging.getLogger(name).warning("%s", raw.decode())
                continue
            if number == NOTED:
                self._answer_note(name, raw)
                continue
            with self._lock:
                future = self._waiting.pop(number)
            future.set_result((name, raw))
        with self._lock:
            self._end_waiting()

    def _answer_note(self, what: str, raw: bytes) -> None:
        """Remember or keep something for that process."""
        from polyglitch.run.method_actor import replied

        kind, about = msgspec.json.decode(raw)
        name, found = replied(lambda: getattr(self._tools, what)(kind, about))
        with self._lock, suppress(OSError, ValueError):
            send(self._process.stdin, (NOTED, name, "", found))

    def _end_waiting(self) -> None:
        """Tell who waits that no reply will come."""
        code = self._process.poll()
        lost = SystemFailed(
            f"the process that makes cases and judges them has ended (exit code {code}); the machine may lack memory. "
            "Run again: everything finished is kept"
        )
        for future in self._waiting.values():
            future.set_exception(lost)
        self._waiting.clear()


def send(pipe: Any, message: Request | Answer) -> None:
    """Write a message: its length, then its bytes."""
    raw = msgspec.msgpack.encode(message)
    pipe.write(len(raw).to_bytes(LENGTH, "big") + raw)
    pipe.flush()


def receive(pipe: Any, kind: Any) -> Any:
    """Wait for a message; nothing at the end of the pipe."""
    with suppress(OSError, ValueError):
        length = pipe.read(LENGTH)
        if len(length) == LENGTH:
            return msgspec.msgpack.decode(pipe.read(int.from_bytes(length, "big")), type=kind)
    return None
