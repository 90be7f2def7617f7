"""The web server's side of a connection, which does not wait for ever for a request to arrive."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

WHOLE_REQUEST = (
    10.0  # seconds for a request to arrive, header and body; ours are of some kilobytes at most
)


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
