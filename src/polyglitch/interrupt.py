"""Ctrl-C that is not lost: code in C may swallow the exception it raises, so the next step raises it again."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Self


class Interrupts:
    """Inside a `with`, remembers that Ctrl-C was pressed; only the main thread is ever told."""

    def __init__(self) -> None:
        self._pressed = False
        self._before: signal._HANDLER = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.getsignal(signal.SIGINT)
            if callable(self._before):
                signal.signal(signal.SIGINT, self._press)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if callable(self._before):
            signal.signal(signal.SIGINT, self._before)

    def check(self) -> None:
        """Stop here if Ctrl-C was pressed and nobody has heeded it."""
        if self._pressed:
            raise KeyboardInterrupt

    def _press(self, number: int, frame: FrameType | None) -> None:
        self._pressed = True
        if callable(self._before):
            self._before(number, frame)
