"""A server on loopback that writes down every request and answers what a test tells it to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass
class Asked:
    """A request as it arrived."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    raw: bytes

    @property
    def json(self) -> Any:
        """The body."""
        return json.loads(self.raw)


Reply = tuple[int, Any] | tuple[int, Any, dict[str, str]]


@dataclass
class Recorder:
    """What was asked, and how to answer; `reply` gets a request and gives status, JSON and headers."""

    reply: Callable[[Asked], Reply]
    asked: list[Asked] = field(default_factory=list)
    base: str = ""


@contextmanager
def recorder(reply: Callable[[Asked], Reply]) -> Iterator[Recorder]:
    """The server, for as long as a test needs it."""
    found = Recorder(reply)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            place = urlsplit(self.path)
            raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Asked(self.command, place.path, parse_qs(place.query), headers, raw)
            found.asked.append(request)
            status, body, *more = found.reply(request)
            out = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(out)))
            for name, value in (more[0] if more else {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(out)

        do_GET = do_PUT = do_POST

        def log_message(self, *_: Any) -> None:
            """Nothing on the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    found.base = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
