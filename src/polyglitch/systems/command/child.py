"""A child process spoken to in lines, with a deadline on every wait and no thread to leak.

All three pipes are pumped together, so that neither a long input nor a flood on standard error can
block either side. The process leads a group of its own, which ends with it.

A program run once a batch: all lines in, its input closed, all lines out. And what every program needs: inputs as
lines, digests of the files it is made of, so that a changed program is a changed signature, and how many failures in a
row are too many.
"""

from __future__ import annotations

import hashlib
import os
import re
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from polyglitch.errors import SystemFailed
from polyglitch.files.foreign import Foreign
from polyglitch.records import Input, Output, digest
from polyglitch.systems.answers import answer, failed, timed_out

HEARTBEAT = 0.1  # seconds between looks at a process whose grandchild may hold its pipe open
BLINK = 0.00005  # seconds a waiting program takes to read on; from there looks at it get rarer,
LONGEST_BLINK = 0.002  # up to this many seconds apart, as a busy program costs nothing to wait for
LAST_WORDS = 1.0  # seconds for the last of standard error, and then for the exit code, to arrive
FAREWELL = 0.3  # seconds a process has to end by itself, and then after SIGTERM
TAIL = 2048  # bytes of standard error that are kept
MOST_OUTPUT = 1 << 26  # bytes not yet read as lines; past this the program runs wild
LENGTH = 12  # hexadecimal digits: enough to tell versions of a program apart, short enough to read


class Child:
    """A running program; `ended` once its output is over."""

    def __init__(self, argv: Sequence[str]) -> None:
        try:
            self._process = subprocess.Popen(
                argv,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise cannot_start(argv, error) from error
        self.ended = False
        self.answers = 0
        self._unsent, self._received, self._said = bytearray(), bytearray(), bytearray()
        self._hang_up = False
        self._selector = selectors.DefaultSelector()
        for pipe, act in (
            (self._process.stdout, self._receive),
            (self._process.stderr, self._hear),
        ):
            self._watch(pipe, selectors.EVENT_READ, act)

    def send(self, data: bytes, last: bool = False) -> None:
        """Hand over some bytes, written as the program takes them; `last` then closes its input."""
        pipe = self._process.stdin
        self._hang_up = self._hang_up or last
        self._unsent += data
        if pipe and not pipe.closed and pipe not in self._selector.get_map():
            self._watch(pipe, selectors.EVENT_WRITE, self._send)

    def take_line(self, deadline: float) -> bytes | None:
        """The next whole line without its end, or nothing if it does not come in time or at all."""
        self._pump(deadline, lambda: b"\n" in self._received)
        line, end, rest = self._received.partition(b"\n")
        if not end:
            return None
        self._received = rest
        self.answers += 1
        return bytes(line).removesuffix(b"\r")

    def take_all(self, deadline: float) -> bytes | None:
        """All output up to its end, or nothing if it does not end in time."""
        self._pump(deadline, lambda: False)
        return bytes(self._received) if self.ended else None

    def has_more(self, grace: float) -> bool:
        """Whether there is output that nobody took, or comes within the grace."""
        self._pump(time.monotonic() + grace, lambda: bool(self._received))
        return bool(self._received)

    def has_read(self) -> bool:
        """Whether the program has taken from its pipe all that was sent."""
        import fcntl
        import termios

        pipe = self._process.stdin
        if self._unsent or pipe is None or pipe.closed:
            return not self._unsent
        waiting = fcntl.ioctl(pipe.fileno(), termios.FIONREAD, b"\0" * 4)
        return not any(waiting)

    def reads_on(self, deadline: float) -> bool:
        """Whether the program takes all that was sent in time, and writes no line before it does."""

        def wrote() -> bool:
            return b"\n" in self._received

        self._pump(deadline, lambda: wrote() or not self._unsent)
        pause = BLINK
        while not (self.has_read() or wrote() or self.ended) and time.monotonic() < deadline:
            time.sleep(pause)  # no event tells that a pipe was emptied
            pause = min(2 * pause, LONGEST_BLINK)
            self._pump(0.0, wrote)
        self._pump(0.0, wrote)  # what it wrote before it read is in its pipe by now
        return not wrote() and (self.has_read() or self.ended)

    def exit(self) -> tuple[int | None, Foreign]:
        """The exit code of a program whose output is over, and in words with its last complaint."""
        deadline = time.monotonic() + LAST_WORDS
        while len(self._selector.get_map()) and time.monotonic() < deadline:
            self._turn(HEARTBEAT)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(LAST_WORDS)
        code = self._process.returncode
        lines = bytes(self._said).decode("utf-8", "replace").strip().splitlines()
        return code, Foreign(_in_words(code) + (f": {lines[-1].strip()}" if lines else ""))

    def kill(self) -> None:
        """End the program and all it started, now."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._selector.close()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe:
                pipe.close()

    def close(self) -> None:
        """End the program, with time to end by itself first."""
        if self._process.stdin and not self._process.stdin.closed:
            self._forget(self._process.stdin)
        for farewell in (None, signal.SIGTERM):
            with suppress(subprocess.TimeoutExpired, ProcessLookupError, PermissionError):
                if farewell:
                    os.killpg(self._process.pid, farewell)
                self._process.wait(FAREWELL)
                break
        self.kill()

    def _pump(self, deadline: float, enough: Callable[[], bool]) -> None:
        """Move bytes until there is enough, the output ends or the deadline passes."""
        while not enough() and not self.ended:
            left = deadline - time.monotonic()
            moved = self._turn(min(max(left, 0), HEARTBEAT))
            if not moved and self._process.poll() is not None and not self._turn(0):
                self.ended = True
            if left <= 0:
                return
            if len(self._received) > MOST_OUTPUT:
                self.ended = True
                self._said += f"\nmore than {MOST_OUTPUT >> 20} MiB of output".encode()

    def _turn(self, seconds: float) -> bool:
        ready = self._selector.select(seconds)
        for key, _ in ready:
            key.data()
        return bool(ready)

    def _watch(self, pipe: IO[bytes] | None, event: int, act: Callable[[], None]) -> None:
        if pipe:
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, event, act)

    def _forget(self, pipe: IO[bytes]) -> None:
        with suppress(KeyError):
            self._selector.unregister(pipe)
        pipe.close()

    def _send(self) -> None:
        pipe = self._process.stdin
        if pipe is None:
            return
        try:
            if self._unsent:
                del self._unsent[: os.write(pipe.fileno(), self._unsent[:65536])]
        except BrokenPipeError:
            # It no longer reads; what it may have said before is still in the other pipe.
            self._unsent.clear()
            self._forget(pipe)
            return
        if not self._unsent:
            if self._hang_up:
                self._forget(pipe)
            else:
                self._selector.unregister(pipe)

    def _receive(self) -> None:
        self.ended = not self._read(self._process.stdout, self._received)

    def _hear(self) -> None:
        self._read(self._process.stderr, self._said)
        del self._said[:-TAIL]

    def _read(self, pipe: IO[bytes] | None, into: bytearray) -> bool:
        chunk = os.read(pipe.fileno(), 65536) if pipe else b""
        into += chunk
        if pipe and not chunk:
            self._forget(pipe)
        return bool(chunk)


def cannot_start(argv: Sequence[str], cause: object) -> SystemFailed:
    """The error for a program that is not there or cannot be run."""
    return SystemFailed(
        f"command {argv[0]!r} cannot be started ({cause}); give the path of a program with execute "
        f"permission, or name its interpreter, as in cmd:python {argv[0]}"
    )


def _in_words(code: int | None) -> str:
    if code is None:
        return "closed its output but did not exit"
    if code < 0:
        with suppress(ValueError):
            return f"killed by {signal.Signals(-code).name}"
    return f"exited with code {code}"


def fingerprint(paths: Iterable[Path]) -> str:
    """One digest over the contents of some files, whatever they are called."""
    return digest((_content(path) for path in paths), LENGTH)


def _content(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()


NEWLINES = re.compile(r"\r\n|\r|\n")
SEPARATORS = re.compile(r"[\r\n\t]+")
MOST_DEATHS = 5  # one bad input may kill a program; five in a row and it is the program


def as_line(item: Input) -> bytes:
    """The input as one line: newlines become spaces; a context follows its question after a tab."""
    if item.context is None:
        return NEWLINES.sub(" ", item.text).encode()
    return b"\t".join(SEPARATORS.sub(" ", part).encode() for part in (item.text, item.context))


class Deaths:
    """Counts the inputs in a row on which a program died."""

    def __init__(self, command: str) -> None:
        self._command, self._count = command, 0

    def died(self, how: Foreign) -> None:
        """One more; too many are the end of the run."""
        self._count += 1
        if self._count >= MOST_DEATHS:
            raise SystemFailed(
                f"command {self._command!r} died on {self._count} inputs in a row, the last time: "
                f"{how}; run it by hand with a line of text on its standard input"
            )

    def answered(self) -> None:
        """It works after all."""
        self._count = 0


Languages = tuple[str | None, str | None]
NOTHING = Foreign("")  # what a program says that ends well


class Once:
    """The system that starts its program anew for every batch.

    The timeout holds for a run. A run that fails, or gives back another number of lines than it was
    given, does not tell which input is to blame: its inputs are asked again one by one.
    """

    parallel = 1

    def __init__(
        self,
        argv: Sequence[str],
        signature: str,
        timeout: float,
        *,
        languages: Languages = (None, None),
        batch_size: int = 64,
        separator: bytes = b"\n",
        line: Callable[[Input], bytes] = as_line,
    ) -> None:
        self.signature, self.languages, self.batch_size = signature, languages, batch_size
        self._argv, self._timeout, self._separator, self._line = argv, timeout, separator, line
        self._deaths = Deaths(" ".join(argv))

    def ask(self, inputs: Sequence[Input]) -> list[Output]:
        """Answer each input."""
        outputs: list[Output | None] = [None] * len(inputs)
        lines: dict[int, bytes] = {}
        for index, item in enumerate(inputs):
            try:
                lines[index] = self._line(item)
            except UnicodeEncodeError as error:
                outputs[index] = failed(f"the input is not valid Unicode: {error.reason}")
        for index, output in zip(lines, self._ask_lines(list(lines.values())), strict=True):
            outputs[index] = output
        return [output for output in outputs if output is not None]

    def close(self) -> None:
        """No program outlives its batch."""

    def _ask_lines(self, lines: list[bytes]) -> list[Output]:
        if len(lines) > 1:
            raws, seconds, _ = self._run(lines)
            if raws is not None and len(raws) == len(lines):
                self._deaths.answered()
                return [answer(raw, seconds / len(lines)) for raw in raws]
        return [self._ask_alone(line) for line in lines]

    def _ask_alone(self, line: bytes) -> Output:
        raws, seconds, how = self._run([line])
        if raws is None and not how:
            return timed_out(self._timeout, seconds)
        if raws is None:
            self._deaths.died(how)
            return failed(how, seconds)
        self._deaths.answered()
        if len(raws) != 1:
            return failed(f"{len(raws)} lines instead of 1", seconds)
        return answer(raws[0], seconds)

    def _run(self, lines: list[bytes]) -> tuple[list[bytes] | None, float, Foreign]:
        """The lines that came back, the seconds it took, and how the program ended if it failed."""
        start = time.monotonic()
        child = Child(self._argv)
        try:
            child.send(b"".join(line + self._separator for line in lines), last=True)
            raw = child.take_all(start + self._timeout)
            code, how = child.exit() if raw is not None else (0, NOTHING)
        finally:
            child.kill()
        seconds = time.monotonic() - start
        if raw is None or code != 0:
            return None, seconds, how
        return split(raw, self._separator), seconds, NOTHING


def split(raw: bytes, separator: bytes = b"\n") -> list[bytes]:
    """The lines of some output; the last may lack its end."""
    lines = raw.removesuffix(separator).split(separator) if raw else []
    return [line.removesuffix(b"\r") for line in lines]
