"""Serves a review until it is stopped: on this machine alone, or elsewhere behind a password."""

from __future__ import annotations

import ipaddress
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from polyglitch.errors import UsageError
from polyglitch.store.store import Store
from polyglitch.tools import Toolbox

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from polyglitch.review.access import Hosts, Sessions
    from polyglitch.review.study import Study


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
    from polyglitch.review.app import make_app
    from polyglitch.review.evidence import Trees
    from polyglitch.review.queue_view import QueueView

    refuse_open_door(host, password)
    desk = QueueView(store, run_id)
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
    from polyglitch.review.impatient import ImpatientProtocol

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
