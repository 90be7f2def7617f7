"""A program run once a batch: all lines in, its input closed, all lines out."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from polyglitch.files.foreign import Foreign
from polyglitch.records import Input, Output
from polyglitch.systems.answers import answer, failed, timed_out
from polyglitch.systems.command.child import Child
from polyglitch.systems.command.lines import Deaths, as_line

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
