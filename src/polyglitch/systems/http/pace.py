"""How fast a service is asked: as many requests at once as it bears, at its rate, none while it is down."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from polyglitch.errors import SystemFailed

log = logging.getLogger(__name__)

FIRST = 4  # requests at once before anything is known of the service
SETTLE = 1.0  # seconds in which several signs of overload count as one
FAILURES = (
    10  # in a row before the service counts as down: at 30% failing, once in 170,000 requests
)
OPENINGS = 6  # times it is tried again, after 1, 2, 4, ... s, before the run gives up
LONGEST_PAUSE = 30.0


class AdaptiveLimit:
    """Requests at once: one more for every answer until the service complains, then half, then slowly up again."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = float(min(FIRST, most))
        self.peak = 0
        self._busy = 0
        self._climbing = True
        self._halved = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """One of the requests that may be under way."""
        if self._busy < int(self.limit) and not self._waiting:
            self._busy += 1
        else:
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():  # it was given and goes to another
                    self._busy -= 1
                    self._wake()
                raise
        self.peak = max(self.peak, self._busy)
        try:
            yield
        finally:
            self._busy -= 1
            self._wake()

    def answered(self) -> None:
        """The service keeps up: let it have a little more."""
        step = 1.0 if self._climbing else 1.0 / self.limit
        self.limit = min(float(self.most), self.limit + step)
        self._wake()

    def overloaded(self) -> None:
        """The service does not keep up: half as many, once for all that complain together."""
        now = time.monotonic()
        if now - self._halved >= SETTLE:
            self._halved, self._climbing = now, False
            self.limit = max(1.0, self.limit / 2)

    def _wake(self) -> None:
        """Hand free places on; they count as taken from here."""
        while self._waiting and self._busy < int(self.limit):
            turn = self._waiting.popleft()
            if not turn.done():
                self._busy += 1
                turn.set_result(None)


class Pace:
    """So many units a second, evenly; without a rate nothing waits."""

    def __init__(self, rate: float | None) -> None:
        self._rate = rate
        self._next = 0.0

    async def take(self, amount: float = 1.0) -> None:
        """Wait until the units are due."""
        if self._rate is None:
            return
        now = time.monotonic()
        due = max(now, self._next)
        self._next = due + amount / self._rate
        if due > now:
            await asyncio.sleep(due - now)


class Breaker:
    """Holds requests back while the service is down; one of them tries now and then whether it is up again."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._failures = self._openings = 0
        self._closed_until = 0.0
        self._trying = False
        self._busy_since: float | None = None
        self.ended: SystemFailed | None = None  # why nothing more can be asked

    async def enter(self) -> None:
        """Pass at once while all is well, else when it is time for a try; never once it has ended."""
        while self._failures >= FAILURES and not self.ended:
            left = self._closed_until - time.monotonic()
            if left <= 0 and not self._trying:
                self._trying = True
                return
            await asyncio.sleep(max(left, 0.02))
        if self.ended:
            raise self.ended

    def leave(self) -> None:
        """A request that passed was not sent after all: another may try."""
        self._trying = False

    def answered(self) -> None:
        """The service is up."""
        self._busy_since = None
        self.reached()

    def reached(self) -> None:
        """The service says something, if only no."""
        self._failures = self._openings = 0
        self._trying = False

    def busy(self, what: str, patience: float) -> None:
        """The service is there and puts everybody off; who does so for too long without one answer ends the run."""
        self.reached()
        now = time.monotonic()
        if self._busy_since is None:
            self._busy_since = now
            log.info("%s is busy (%s): it is asked again, more slowly", self._name, what)
        elif now - self._busy_since > patience:
            self.end(f"put off every request for {patience:.0f} s: {what}")

    def failed(self, what: str) -> None:
        """Count a failure; the service was tried in vain often enough when it ends the run."""
        self._failures += 1
        if self._failures == FAILURES or self._trying:
            self._trying = False
            pause = min(LONGEST_PAUSE, 2.0**self._openings)
            self._openings += 1
            self._closed_until = time.monotonic() + pause
        if self._openings > OPENINGS:
            self.end(f"gave no answer to {self._failures} requests in a row, the last time: {what}")

    def end(self, why: str) -> SystemFailed:
        """Let nothing more pass; the error that says why, the first reason there was."""
        self.ended = self.ended or SystemFailed(
            f"{self._name} {why}; everything answered is kept, run again to go on"
        )
        return self.ended
