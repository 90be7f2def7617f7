"""One request and its answer: bounded in time and size, never redirected, every failure a `Fault` that says why; and
how fast a service is asked: as many requests at once as it bears, at its rate, none while it is down.

The connections are those of httpx, without its client, which would follow redirects, keep cookies and read passwords
from files, and without its pool, which at 32 connections spends more time on its list than on the requests.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx
import msgspec

from polyglitch import __version__
from polyglitch.errors import SystemFailed
from polyglitch.files.foreign import one_line
from polyglitch.systems.http.api import MOST_BYTES, Call, Fault, Key, is_loopback

log = logging.getLogger(__name__)

FIRST = 4  # requests at once before anything is known of the service
SETTLE = 1.0  # seconds in which several signs of overload count as one
FAILURES = (
    10  # in a row before the service counts as down: at 30% failing, once in 170,000 requests
)
OPENINGS = 6  # times it is tried again, after 1, 2, 4, ... s, before the run gives up
FIRST_OPENINGS = 3  # the same where nobody ever listened at the address: it may well be a wrong one
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
        self._ever = False  # anybody was there
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
        self._ever = True

    def busy(self, what: str, patience: float) -> None:
        """The service is there and puts everybody off; who does so for too long without one answer ends the run."""
        self.reached()
        now = time.monotonic()
        if self._busy_since is None:
            self._busy_since = now
            log.info("%s is busy (%s): it is asked again, more slowly", self._name, what)
        elif now - self._busy_since > patience:
            self.end(f"put off every request for {patience:.0f} s: {what}")

    def failed(self, what: str, unreached: bool = False) -> None:
        """Count a failure; the service was tried in vain often enough when it ends the run."""
        self._failures += 1
        if self._failures == FAILURES or self._trying:
            self._trying = False
            pause = min(LONGEST_PAUSE, 2.0**self._openings)
            self._openings += 1
            self._closed_until = time.monotonic() + pause
        wrong = unreached and not self._ever
        if self._openings > (FIRST_OPENINGS if wrong else OPENINGS):
            hint = " (is the address right, and does the service run?)" if wrong else ""
            tried = f"gave no answer to {self._failures} requests in a row, the last time: {what}"
            self.end(tried + hint)

    def end(self, why: str) -> SystemFailed:
        """Let nothing more pass; the error that says why, the first reason there was."""
        self.ended = self.ended or SystemFailed(
            f"{self._name} {why}; everything answered is kept, run again to go on"
        )
        return self.ended


# Compressed answers could grow without bound when they are unpacked.
ALWAYS = {"Accept-Encoding": "identity", "User-Agent": f"polyglitch/{__version__}"}
STOPPING = (401, 402, 403, 404, 405, 407, 456)  # 456 is DeepL's word for a quota that is used up
LONGEST_MESSAGE = 200  # characters of what a service says of an error
BUSY = (429, 503, 529)
PASSING = (408, 409, 425)
BROKEN = (
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.TimeoutException,
    httpcore.ConnectionNotAvailable,
    ssl.SSLError,
    OSError,
)

Connection = httpcore.AsyncHTTPConnection | httpcore.AsyncHTTPProxy


@cache
def tls() -> ssl.SSLContext:
    """The certificates that are trusted, read once: that takes longer than a request."""
    return httpx.create_ssl_context()


def open_connection(url: str) -> Connection:
    """A connection to a service, through the proxy that the environment names, if any."""
    parts = urlsplit(url)
    proxy = None
    if not is_loopback(url) and not proxy_bypass(parts.hostname or ""):
        proxy = getproxies().get(parts.scheme)
    if proxy:
        return httpcore.AsyncHTTPProxy(proxy, ssl_context=tls(), max_connections=1)
    return httpcore.AsyncHTTPConnection(httpcore.URL(url).origin, ssl_context=tls())


def reusable(connection: Connection) -> bool:
    """Whether another request may go over a connection; a proxy sees to that itself."""
    if isinstance(connection, httpcore.AsyncHTTPProxy):
        return True
    return connection.is_available() and not connection.has_expired()


async def exchange(connection: Connection, call: Call, timeout: float, key: Key) -> Any:
    """Send a request; the JSON that came back, or the fault that there is none."""
    sent = False
    try:
        async with asyncio.timeout(timeout):
            response = await connection.handle_async_request(make_request(call))
            sent = True
            try:
                body = await read_body(response)
            finally:
                await response.aclose()
    except TimeoutError:
        raise Fault(f"no answer in {timeout:g} s", late=True, busy=True, billed=True) from None
    except httpcore.ConnectError as error:
        raise Fault(f"cannot connect: {error}", unreached=True) from None
    except BROKEN as error:
        cause = key.hide(str(error) or type(error).__name__)
        raise Fault(f"the connection broke: {cause}", billed=sent) from None
    check_status(response.status, fields(response), body, urlsplit(call.url).hostname or "", key)
    return read_json(body, key)


def make_request(call: Call) -> httpcore.Request:
    """The request as it goes over the wire."""
    parts = urlsplit(call.url)
    headers = {"Host": parts.netloc, "Content-Length": str(len(call.body))} | ALWAYS | call.headers
    return httpcore.Request(call.method, call.url, headers=list(headers.items()), content=call.body)


def fields(response: httpcore.Response) -> dict[str, str]:
    """The header of a response, names in lower case."""
    return {
        name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers
    }


async def read_body(response: httpcore.Response) -> bytes:
    """The whole body, unless it is larger than any answer or packed."""
    if fields(response).get("content-encoding", "identity") != "identity":
        raise Fault("the answer is compressed, which was not asked for", billed=True)
    parts, size = [], 0
    async for part in response.aiter_stream():
        size += len(part)
        if size > MOST_BYTES:
            raise Fault(f"the answer is larger than {MOST_BYTES:,} bytes", billed=True)
        parts.append(part)
    return b"".join(parts)


def check_status(status: int, header: dict[str, str], body: bytes, host: str, key: Key) -> None:
    """Turn what is no success into a fault."""
    if status == 200:
        return
    if 300 <= status < 400:
        elsewhere = key.hide(redirected_to(header.get("location", "")))
        raise Fault(f"{host} redirects to {one_line(elsewhere, 80)}, which is not followed")
    said = message(body, key)
    what = f"HTTP {status} from {host}" + (f": {said}" if said else "")
    if status in STOPPING:
        advice = (
            f"; check the key in {key.variable}" if key.variable and status in (401, 403) else ""
        )
        raise Fault(what + advice, again=False, stops=True)
    wait = retry_after(header.get("retry-after"))
    if status in BUSY or status in PASSING or status >= 500:
        raise Fault(what, busy=status in BUSY, wait=wait)
    raise Fault(what, again=False, ours=400 <= status < 500)


def redirected_to(location: str) -> str:
    """The host that a redirect leads to."""
    try:
        return urlsplit(location).hostname or "another address"
    except ValueError:
        return "no address"


def message(body: bytes, key: Key = Key()) -> str:  # noqa: B008 - a frozen record
    """What the service says of an error, in a line without the key."""
    try:
        found = msgspec.json.decode(body)
        for name in ("error", "message", "detail", "explanation"):
            found = found[name] if isinstance(found, dict) and name in found else found
        text = found if isinstance(found, str) else msgspec.json.encode(key.hide_in(found)).decode()
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        text = body.decode("utf-8", "replace")
    return one_line(key.hide(text), LONGEST_MESSAGE)


def retry_after(value: str | None) -> float | None:
    """The seconds that a service asks to wait, given as a number or as a date."""
    if not value:
        return None
    try:
        return min(max(0.0, float(value)), 1e9)  # a number that is none compares as 1e9
    except ValueError:
        pass
    try:
        then = parsedate_to_datetime(value)
        if then.tzinfo is None:
            then = then.replace(tzinfo=UTC)
        return max(0.0, (then - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError, OverflowError):  # an offset of years, a year beyond the calendar
        return None


def read_json(body: bytes, key: Key) -> Any:
    """The JSON of a body, without the key."""
    try:
        return key.hide_in(msgspec.json.decode(body))
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Fault(f"the answer is not JSON ({error!s:.80})", billed=True) from None
