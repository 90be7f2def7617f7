"""Serves a review until it is stopped: on this machine alone, or elsewhere behind a password.

The web server's side of a connection, which does not wait for ever for a request to arrive.
"""

from __future__ import annotations

import asyncio
import ipaddress
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from polyglitch.errors import UsageError
from polyglitch.store.store import Store
from polyglitch.tools import Toolbox

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from polyglitch.review.access import Hosts, Sessions
    from polyglitch.review.study import Study


WHOLE_REQUEST = (
    10.0  # seconds for a request to arrive, header and body; ours are of some kilobytes at most
)


def serve(
    store: Store,
    run_id: str | None,
    *,
    host: str,
    port: int,
    password: str = "",
    allowed_hosts: Sequence[str] = (),
    say: Callable[[str], None] = lambda _: None,
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve the review of a run; `ready` is told its address once the port is open."""
    from polyglitch.results.ways_back import bring_back
    from polyglitch.review.app import make_app
    from polyglitch.review.evidence import Trees
    from polyglitch.review.queue_view import QueueView

    refuse_open_door(host, password)
    desk = QueueView(store, run_id)
    bring_back(desk.history)
    for done in desk.make_searchable():
        say(f"made searchable: {done} issues")
    serve_app(
        lambda hosts, sessions: make_app(desk, Trees(Toolbox().parser), hosts, sessions),
        host=host,
        port=port,
        password=password,
        allowed_hosts=allowed_hosts,
        ready=ready,
    )


def serve_study(
    study: Study,
    *,
    host: str,
    port: int,
    password: str = "",
    allowed_hosts: Sequence[str] = (),
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve tests to be read, instead of a run."""
    from polyglitch.review.study import make_study

    refuse_open_door(host, password)
    serve_app(
        lambda hosts, sessions: make_study(study, hosts, sessions),
        host=host,
        port=port,
        password=password,
        allowed_hosts=allowed_hosts,
        ready=ready,
    )


def refuse_open_door(host: str, password: str) -> None:
    """Nothing is served to other machines without a password."""
    if not password and needs_password(host):
        raise UsageError(
            f"--host {host!r} can be reached from other machines, and there is no password; set "
            "POLYGLITCH_PASSWORD or give one when asked, or leave --host out to stay on this machine"
        )


def serve_app(
    make: Callable[[Hosts, Sessions], ASGIApp],
    *,
    host: str,
    port: int,
    password: str,
    allowed_hosts: Sequence[str],
    ready: Callable[[str], None],
) -> None:
    """Serve an application that is made once its port is known."""
    import uvicorn

    from polyglitch.review.access import Hosts, Sessions

    with open_port(host, port) as listening:
        number = listening.getsockname()[1]
        config = uvicorn.Config(
            make(Hosts(host, number, allowed_hosts), Sessions(number, password)),
            http=ImpatientProtocol,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
        )
        server = uvicorn.Server(config)
        with stopped_by_ctrl_c(server):
            ready(f"http://{f'[{host}]' if ':' in host else host}:{number}/")
            server.run(sockets=[listening])


@contextmanager
def stopped_by_ctrl_c(server: Any) -> Iterator[None]:
    """End a server by Ctrl-C from the moment its address is told.

    Once it runs it listens for it; before, Python raises the interrupt wherever it is, also where it is lost."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread is told of signals
        return

    def stop(*_: object) -> None:
        server.should_exit = True

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def needs_password(host: str) -> bool:
    """Whether a host to listen on can be reached from other machines."""
    if host == "localhost":
        return False
    try:
        return not ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return True


def open_port(host: str, port: int) -> socket.socket:
    """A listening socket, or why there is none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host.strip("[]"), port))
        made.listen(128)  # before the address is shown: an early visitor waits, and is not refused
    except OSError as error:
        made.close()
        raise UsageError(
            f"cannot listen on --host {host!r} --port {port}: {error.strerror or error}; "
            "name another port, or 0 for any that is free"
        ) from None
    return made


class ImpatientProtocol(H11Protocol):
    """Hangs up on who connects and says nothing, or stops in the middle of a request."""

    _hang_up: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """The clock starts with the connection."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """It stops when a request is whole, and starts with the next one."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is left to wait for."""
        self._stop()
        super().connection_lost(exc)

    def _watch(self) -> None:
        under_way = self.cycle is not None and not self.cycle.response_complete
        if under_way and not self.cycle.more_body:
            self._stop()
        elif self._hang_up is None:
            self._hang_up = self.loop.call_later(WHOLE_REQUEST, self._close)

    def _stop(self) -> None:
        if self._hang_up is not None:
            self._hang_up.cancel()
            self._hang_up = None

    def _close(self) -> None:
        self._hang_up = None
        self.transport.close()
