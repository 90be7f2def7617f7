"""Ctrl-C reaches a run even where the code that was running swallowed it."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from polyglitch.interrupt import Interrupts


def press_unheeded() -> None:
    try:
        os.kill(os.getpid(), signal.SIGINT)
        threading.Event().wait(5)  # the handler runs in here
    except KeyboardInterrupt:
        pass  # as a callback in C does


def test_a_swallowed_ctrl_c_is_raised_at_the_next_step() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Interrupts() as interrupts:
        interrupts.check()
        press_unheeded()
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()
    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_leave_signals_alone() -> None:
    before, found = signal.getsignal(signal.SIGINT), []

    def enter() -> None:
        with Interrupts():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert found == [before]
