"""A program run once a batch: all lines in, its input closed, all lines out. And what every program needs: inputs as
lines, digests of the files it is made of, so that a changed program is a changed signature, and how many failures in a
row are too many.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from polyglitch.errors import SystemFailed
from polyglitch.files.foreign import Foreign
from polyglitch.records import Input, Output, digest
from polyglitch.systems.answers import answer, failed, timed_out
from polyglitch.systems.command.child import Child

LENGTH = 12  # hexadecimal digits: enough to tell versions of a program apart, short enough to read


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
