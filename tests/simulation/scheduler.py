"""Processes and threads in an order that a seed decides, with a clock that goes when nobody has anything to do.

Every thread is a greenlet. It gives way where a transaction begins, where it waits, and where it sleeps; nowhere else,
so that a seed gives the same order every time.
"""

from __future__ import annotations

import random
import threading
from collections import deque
from collections.abc import Callable, Collection
from concurrent.futures import Future
from queue import Empty
from typing import Any

from greenlet import getcurrent, greenlet

from polyglitch.run.threads import Raised, Threads


class Killed(BaseException):
    """What a process that is gone meets wherever it turns: nothing of it goes on."""


class Process:
    """Some threads that live and die together."""

    def __init__(self, name: str) -> None:
        self.name, self.dead, self.interrupted = name, False, False
        self.asleep_until = 0.0  # as after SIGSTOP
        self.writes = 0
        self.ended: BaseException | None = None
        self.finished = False
        self.handed: set[str] = set()  # texts that its system was given
        self.tokens: list[int] = []  # of the leases that it had
        self.parts: tuple[Any, ...] = ()


class Task:
    """One thread: what it does, whose it is, and what it waits for."""

    def __init__(self, process: Process, work: Callable[[], None], main: bool) -> None:
        self.process, self.main = process, main
        self.greenlet = greenlet(work)
        self.until: Callable[[], bool] | None = None
        self.wake: float | None = None


class Scheduler:
    """Runs one task at a time and picks the next by a seed."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.now = 1000.0
        self.tasks: list[Task] = []
        self.current: Task | None = None

    def clock(self) -> float:
        return self.now

    def start(self, process: Process, work: Callable[[], None], main: bool = False) -> None:
        """A new thread of a process."""

        def alive() -> None:
            try:
                work()
            except Killed:
                return
            except BaseException as error:
                if not main:
                    raise
                process.ended = error
            if main:  # the other threads of a process do not outlive the first
                process.finished = process.dead = True

        self.tasks.append(Task(process, alive, main))

    def run(self) -> None:
        """Until every process has ended or died."""
        here = getcurrent()
        while True:
            self.tasks = [task for task in self.tasks if not self._over(task)]
            if not self.tasks:
                return
            ready = [task for task in self.tasks if self._ready(task)]
            if not ready:
                wakes = [max(task.wake or 0.0, task.process.asleep_until) for task in self.tasks
                         if task.wake is not None or task.process.asleep_until > self.now]  # fmt: skip
                assert wakes, "everybody waits for somebody"
                self.now = max(min(wakes), self.now)
                assert self.now < 1e5, "this never ends"
                continue
            task = ready[0] if len(ready) == 1 else self.dice.choice(ready)
            task.until, task.wake, self.current = None, None, task
            task.greenlet.parent = here
            task.greenlet.switch()
            self.current = None

    def _over(self, task: Task) -> bool:
        if task.process.dead and not task.greenlet.dead:
            if task.greenlet:  # it has begun: what it still does on its way out reaches nothing
                self.current = task
                task.greenlet.throw(Killed())
                self.current = None
            return True
        return bool(task.greenlet.dead)

    def _ready(self, task: Task) -> bool:
        if task.process.asleep_until > self.now:
            return False
        if task.main and task.process.interrupted:
            return True
        if task.wake is not None and task.wake <= self.now:
            return True
        return task.until() if task.until else task.wake is None

    def give_way(
        self, until: Callable[[], bool] | None = None, seconds: float | None = None
    ) -> None:
        """Let others go on, until something is so or some time has passed."""
        task = self.current
        if task is None or getcurrent() is not task.greenlet:
            return
        if task.process.dead:
            raise Killed
        task.until, task.wake = until, None if seconds is None else self.now + seconds
        task.greenlet.parent.switch()
        if task.process.dead:
            raise Killed
        if task.main and task.process.interrupted:
            task.process.interrupted = False
            raise KeyboardInterrupt


class Lock:
    """A lock among tasks."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler, self._held = scheduler, False

    def __enter__(self) -> None:
        if self._held:
            self._scheduler.give_way(lambda: not self._held)
        assert not self._held
        self._held = True

    def __exit__(self, *_: object) -> None:
        self._held = False


class SimulatedQueue:
    """A queue among tasks."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler, self._items = scheduler, deque[Any]()

    @property
    def waits(self) -> bool:
        """Whether there is something."""
        return bool(self._items)

    def put(self, item: Any) -> None:
        self._items.append(item)

    def get(self) -> Any:
        while not self._items:
            self._scheduler.give_way(lambda: bool(self._items))
        return self._items.popleft()

    def get_nowait(self) -> Any:
        if not self._items:
            raise Empty
        return self._items.popleft()

    def put_back(self, item: Any) -> None:
        self._items.appendleft(item)


class SimulatedThreads(Threads):
    """The threads of one process of the simulation."""

    def __init__(self, scheduler: Scheduler, process: Process) -> None:
        self._scheduler, self._process = scheduler, process

    def start(self, work: Callable[[], None]) -> None:
        self._scheduler.start(self._process, work)

    def lock(self) -> Any:
        return Lock(self._scheduler)

    def queue(self) -> Any:
        return SimulatedQueue(self._scheduler)

    def result(self, future: Future[Any]) -> Any:
        while not future.done():
            self._scheduler.give_way(future.done)
        return future.result()

    def wait(self, futures: Collection[Future[Any]], seconds: float) -> set[Future[Any]]:
        self._scheduler.give_way(lambda: all(f.done() for f in futures), seconds)
        return {future for future in futures if not future.done()}

    def sleep(self, seconds: float, unless: threading.Event | None = None) -> bool:
        self._scheduler.give_way(unless.is_set if unless else lambda: False, seconds)
        return unless is not None and unless.is_set()

    def call(self, work: Callable[[], Any], seconds: float) -> Any:
        try:
            return work()
        except Exception as error:
            raise Raised(error) from error
