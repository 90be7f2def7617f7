"""`cmd:` and `cmd-once:`: any program that reads lines and writes lines. No shell is involved.

Newlines inside an input are sent as spaces. A question with a context is sent as `question<TAB>context`.

A program that stays up: a line is written, its answer read, then the next line written. Should it
write a line too many, at once or seconds later, that must not pass for the answer to a later input:

- The end of a line is held back until the program has taken the rest. By then it is done with the
  line before, and a line that it has written since is a surplus of that one.
- A batch is first asked at full speed. As soon as anything is out of order its answers are thrown
  away and it is asked again carefully: with a pause after each answer in which a surplus shows, and
  on a fresh process after each fault. Where a process wrote a line too many, what it answered is
  asked again alone, each input closed behind its line, until it is clear whose that line was.

A program that takes a piece of a line for a line is found out by the second and gets whole lines.

Two things stay unseen. A program that reads ahead (with a thread, or behind a pipe of its own) does
not show when it is done with a line: if its surplus is later than the pauses after the answers, and
either all answers then stay one behind for longer than such a pause or a later input gets none, the
count fits. And where the last input of a batch has a surplus later than that pause, its first line
is its answer; the surplus is thrown away.
"""

from __future__ import annotations

import logging
import os
import shlex
import shutil
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from polyglitch.errors import UsageError
from polyglitch.records import Input, Output
from polyglitch.systems.answers import answer, failed, timed_out
from polyglitch.systems.command.child import (
    NOTHING,
    Child,
    Deaths,
    Once,
    as_line,
    cannot_start,
    fingerprint,
    split,
)

GLANCE = 0.001  # seconds in which most surplus lines show, as they follow the first at once
GRACE = 0.02  # seconds in which all of them should, at least,
MOST_GRACE = (
    0.1  # and at most, where the program or the machine is slow: a thirtieth of a slow batch
)
PATIENCE = (
    1.0  # seconds of silence after reading its first line before a program is suspected to buffer
)
PROMPT = 0.5  # seconds in which a buffering program answers once its input is closed
SURPLUS = "more than one line for one input"

log = logging.getLogger(__name__)


class OutOfStep(Exception):
    """Something went wrong in a batch, and it is not sure at which input."""


class LockStep:
    """The system behind `cmd:`. Turns into `Once` for a program that answers only at the end."""

    languages: tuple[str | None, str | None] = (None, None)
    parallel = 1
    batch_size = 32

    def __init__(self, argv: Sequence[str], signature: str, timeout: float) -> None:
        self.signature = signature
        self._argv, self._timeout = argv, timeout
        self._lock = threading.Lock()
        self._deaths = Deaths(" ".join(argv))
        self._spoken = False  # whether an answer ever came before the input was closed
        self._slow = (
            False  # whether a first answer came so late that closing did not bring it about
        )
        self._patience = min(PATIENCE, timeout / 4)
        self._once: Once | None = None
        self._by_pieces = False  # whether it takes a piece of a line for a line
        self._ending = timeout  # seconds in which it ends, or writes more, once its input is closed
        # Started by the first question: a system is opened and its signature compared before anything runs.
        self._child: Child | None = None

    def ask(self, inputs: Sequence[Input]) -> list[Output]:
        """Answer each input."""
        with self._lock:
            if self._child and (self._child.has_more(0.0) or self._child.ended):
                self._warn_of_surplus(self._child)
                self._end_child()
            try:
                return self._ask_all(inputs, careful=False)
            except OutOfStep:
                self._end_child()
                return self._ask_all(inputs, careful=True)

    def close(self) -> None:
        """End the program."""
        with self._lock:
            if self._child:
                self._warn_of_surplus(self._child)
                self._child.close()
                self._child = None

    def _warn_of_surplus(self, child: Child) -> None:
        if child.has_more(0.0):
            log.warning(
                "%s wrote a line that nobody asked for, when a batch was over", self._argv[0]
            )

    def _end_child(self) -> None:
        if self._child:
            self._child.kill()
            self._child = None

    def _ask_all(self, inputs: Sequence[Input], careful: bool) -> list[Output]:
        outputs: list[Output] = []
        answered: dict[int, bytes] = {}  # the lines of this batch that the process has answered
        for index, item in enumerate(inputs):
            if self._once:
                return outputs + self._once.ask(inputs[index:])
            try:
                line = as_line(item) + b"\n"
            except UnicodeEncodeError as error:
                outputs.append(failed(f"the input is not valid Unicode: {error.reason}"))
                continue
            try:
                output = self._ask_line(line, careful)
            except OutOfStep:
                if not careful:
                    raise
                self._ask_again(answered, outputs)
                output = self._ask_line(line, careful)
            outputs.append(output)
            if self._child:
                if self._child.answers == 1:
                    answered.clear()
                answered[index] = line
                grace = _grace(output) if careful or index == len(inputs) - 1 else GLANCE
                self._look_for_surplus(self._child, grace, answered, outputs, careful)
        return outputs

    def _look_for_surplus(
        self,
        child: Child,
        grace: float,
        answered: dict[int, bytes],
        outputs: list[Output],
        careful: bool,
    ) -> None:
        """Go on with this process only if it lives and wrote nothing after the last answer."""
        surplus = child.has_more(grace)
        if not surplus and not child.ended:
            return
        if child.answers > 1 and not careful:
            raise OutOfStep
        if surplus and child.answers == 1:
            # It got one whole line, so there is no doubt.
            outputs[-1] = failed(SURPLUS, outputs[-1].seconds)
            self._end_child()
        else:
            self._ask_again(answered, outputs)

    def _ask_again(self, answered: dict[int, bytes], outputs: list[Output]) -> None:
        """End the process; if it wrote a line too many, ask again what it answered, each alone.

        A late line shifts the answers after it, so each may be that of another input. From the last
        one back, up to one that is to blame and whose answer stood in its own place.
        """
        surplus = self._child is not None and self._child.has_more(0.0)
        self._end_child()
        if not surplus:
            return
        guilty = False
        for index in sorted(answered, reverse=True):
            had = outputs[index]
            first, too_many = self._ask_alone(answered[index])
            outputs[index] = failed(SURPLUS, first.seconds) if too_many else first
            guilty = guilty or too_many
            if too_many and (first.text, first.error) == (had.text, had.error):
                return
        if not guilty:
            self._by_pieces = self._answers_a_piece(answered[index], first.seconds)

    def _ask_alone(self, line: bytes) -> tuple[Output, bool]:
        """What a fresh process answers first, and whether it writes more before it ends."""
        output = self._ask_line(line, careful=True)
        child = self._child
        if child is None:
            return output, False
        child.send(b"", last=True)
        too_many = child.has_more(self._ending)
        if not too_many and not child.ended:
            # It stays although nothing more can come to it: the next time it is soon left.
            self._ending = min(self._ending, PATIENCE)
        self._end_child()
        return output, too_many

    def _answers_a_piece(self, line: bytes, seconds: float) -> bool:
        """Whether a fresh process answers a line that has no end yet."""
        child = Child(self._argv)
        try:
            child.send(line.removesuffix(b"\n"))
            return child.has_more(GRACE + 2 * seconds)
        finally:
            child.kill()

    def _ask_line(self, line: bytes, careful: bool) -> Output:
        start = time.monotonic()
        child = self._child = self._child or Child(self._argv)
        if child.answers and not self._by_pieces:
            child.send(line.removesuffix(b"\n"))
            if not child.reads_on(start + self._timeout):
                raise OutOfStep
            child.send(b"\n")
        else:
            child.send(line)
        if not self._spoken and not self._speaks(child, start + self._timeout):
            return self._ask_closed(child, start)
        raw = child.take_line(start + self._timeout)
        seconds = time.monotonic() - start
        if raw is not None:
            self._spoken = True
            self._deaths.answered()
            return answer(raw, seconds)
        if child.answers and not careful:
            raise OutOfStep
        return self._no_answer(child, line, seconds)

    def _no_answer(self, child: Child, line: bytes, seconds: float) -> Output:
        """What a program that fell silent or died gets recorded."""
        ended, answered = child.ended, child.answers
        how = child.exit()[1] if ended else NOTHING
        self._end_child()
        if not ended:
            return timed_out(self._timeout, seconds)
        if answered:
            # It may have died of the input before, after answering it: a fresh process will tell.
            return self._ask_line(line, careful=True)
        self._deaths.died(how)
        return failed(how, seconds)

    def _speaks(self, child: Child, deadline: float) -> bool:
        """Whether the first answer comes, or the program is still busy before reading its line."""
        had_read = False
        while not child.has_more(min(self._patience, max(deadline - time.monotonic(), 0.0))):
            if child.ended or time.monotonic() >= deadline:
                return True  # dead or hanging: not a matter of buffers
            if had_read:
                return False
            had_read = child.has_read()
        return True

    def _ask_closed(self, child: Child, start: float) -> Output:
        """Close the input of a silent program: an answer that sat in a buffer comes now."""
        child.send(b"", last=True)
        closed = time.monotonic()
        raw = child.take_all(start + self._timeout)
        now = time.monotonic()
        code, how = child.exit() if raw is not None else (0, NOTHING)
        self._end_child()
        if raw is None:
            return timed_out(self._timeout, now - start)
        lines = split(raw)
        if code != 0 or not lines:
            return failed(f"no answer; {how} when its input was closed", now - start)
        if len(lines) > 1:
            return failed(SURPLUS, now - start)
        if now - closed < PROMPT or self._slow:
            self._once = Once(self._argv, self.signature, self._timeout)
        else:
            # It answered long after the close and may be merely slow: next time wait longer.
            self._slow = True
            self._patience = min(2 * (now - start), 0.4 * self._timeout)
        return answer(lines[0], now - start)


def _grace(output: Output) -> float:
    """How long a surplus line may take to come: longer where the answer itself took longer."""
    return min(max(GRACE, 5 * output.seconds), MOST_GRACE)


def open_command(rest: str, timeout: float) -> LockStep:
    """A program that stays up: a line in, a line out."""
    argv = _split(rest)
    return LockStep(argv, _signature("cmd", argv), timeout)


def open_once(rest: str, timeout: float) -> Once:
    """A program run once a batch: all lines in, then all lines out."""
    argv = _split(rest)
    return Once(argv, _signature("cmd-once", argv), timeout)


def _split(rest: str) -> list[str]:
    try:
        argv = shlex.split(rest)
    except ValueError as error:
        raise UsageError(f"command {rest!r} cannot be split into words ({error})") from error
    if not argv:
        raise UsageError(
            f"command {rest!r} names no program; for example cmd:./translate --from en"
        )
    # Not through Path, which drops `./` and so turns a program of this folder into one of the search path.
    argv[0] = os.path.expanduser(argv[0])
    if shutil.which(argv[0]) is None:
        raise cannot_start(argv, _why_not(argv[0]))
    return argv


def _why_not(program: str) -> str:
    """What is wrong with a program that cannot be run."""
    if Path(program).is_dir():
        return "a folder"
    if not Path(program).exists():
        return "no such program"
    if os.path.dirname(program) or not os.access(program, os.X_OK):
        return "no execute permission"
    return f"not on the search path; the one in this folder is cmd:./{program}"


def _signature(scheme: str, argv: list[str]) -> str:
    """The command line and a digest of the files it names: an edited script is a new system."""
    named = [Path(word) for word in argv if Path(word).is_file()]
    return f"{scheme}:{shlex.join(argv)}" + (f"#{fingerprint(named)}" if named else "")
