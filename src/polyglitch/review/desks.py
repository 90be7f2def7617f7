"""The runs of a store on the desk: each opened when it is first asked for, found by the address of a request."""

from __future__ import annotations

import threading

from starlette.exceptions import HTTPException
from starlette.requests import Request

from polyglitch.errors import UsageError
from polyglitch.review.queue_view import QueueView
from polyglitch.store.store import Store


class Desks:
    """The run that the server was started for, and any other of its store."""

    def __init__(self, first: QueueView) -> None:
        self.first = first
        self.store: Store = first.store
        self._opened = {first.run_id: first}
        self._lock = threading.Lock()

    def of(self, request: Request) -> QueueView:
        """The run that an address names; the first where it names none."""
        run = request.path_params.get("run")
        return self.named(run) if run else self.first

    def named(self, run: str) -> QueueView:
        """A run by (the beginning of) its id."""
        with self._lock:
            if run in self._opened:
                return self._opened[run]
            try:
                desk = QueueView(self.store, run)
            except UsageError as error:
                raise HTTPException(404, str(error)) from None
            for _ in desk.make_searchable():
                pass
            if desk.history.finished:  # one that goes on is read anew each time
                self._opened[run] = desk
            return desk

    def base(self, request: Request) -> str:
        """What stands before every address of a run's pages."""
        run = request.path_params.get("run")
        return f"/run/{run}" if run else ""
