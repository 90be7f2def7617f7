"""`gguf:FILE?prompt=translate&source=en&target=es`: a language model from a GGUF file, as a lens.

It is read with numpy alone and asked how likely it finds a translation behind its source. It writes nothing: to test
such a model, serve it with llama.cpp and name that server, `openai:MODEL@URL`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from polyglitch.errors import UsageError
from polyglitch.files.settings import parse_toml
from polyglitch.languages import language as language_of
from polyglitch.protocols import TokenScore
from polyglitch.records import Input
from polyglitch.registry import suggest
from polyglitch.systems.command.child import fingerprint
from polyglitch.systems.white_box import inside

if TYPE_CHECKING:
    from polyglitch.nlp.models.gguf_causal import GgufCausal, TextToRead

OPTIONS = ("prompt", "source", "target")
TRANSLATE = "translate"
NAMELESS = ("Text", "Translation")  # where a language is not known


class GgufLens:
    """A causal model behind a prompt; the file is opened when it is first asked."""

    def __init__(self, path: Path, prompt: str, languages: tuple[str | None, str | None]) -> None:
        self._path, self._languages = path, languages
        self._frame = frames()[prompt]
        self.prompt = prompt

    @cached_property
    def signature(self) -> str:
        """The model's name, its file and the prompt."""
        parts = [
            f"gguf:{self._path.name}",
            f"file={fingerprint([self._path])}",
            f"prompt={self.prompt}",
        ]
        names = zip(("source", "target"), self._languages, strict=True)
        return "|".join([*parts, *(f"{key}={value}" for key, value in names if value)])

    @cached_property
    def model(self) -> GgufCausal:
        """The model itself."""
        from polyglitch.nlp.models.gguf_causal import GgufCausal

        return GgufCausal(self._path)

    def score(
        self, inputs: Sequence[Input], outputs: Sequence[str], language: str | None = None
    ) -> list[list[TokenScore]]:
        """How likely the model finds each piece of an output after its source."""
        starts = [self._before(item, language) for item in inputs]
        texts = [f"{start} {output}" for start, output in zip(starts, outputs, strict=True)]
        # The shortest first: texts of like length share a pass, and little is padded.
        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        readings = [self._reading(texts[n], len(starts[n])) for n in order]
        chances = self.model.log_probabilities(readings)
        found: list[list[TokenScore]] = [[] for _ in texts]
        for number, reading, row in zip(order, readings, chances, strict=True):
            offsets = [(token.start, token.end) for token in reading.tokens[reading.first :]]
            begin = len(starts[number]) + 1
            spans = inside(offsets, texts[number], begin, len(texts[number]))
            found[number] = [
                TokenScore(*span, one)
                for span, one in zip(spans, row, strict=True)
                if span != (0, 0)
            ]
        return found

    def _before(self, item: Input, language: str | None) -> str:
        """The prompt up to where the output begins."""
        codes = (self._languages[0] or item.language, self._languages[1] or language)
        names = [
            (language_of(code).name or code) if code else usual
            for code, usual in zip(codes, NAMELESS, strict=True)
        ]
        return (
            self._frame.replace("{source}", names[0])
            .replace("{target}", names[1])
            .replace("{text}", " ".join(item.text.split()))
        )

    def _reading(self, text: str, start: int) -> TextToRead:
        from polyglitch.nlp.models.gguf_causal import TextToRead

        tokens = self.model.tokenizer.encode(text)
        first = next((n for n, token in enumerate(tokens) if token.end > start), len(tokens))
        return TextToRead(tokens, max(first, 1))


def frames() -> dict[str, str]:
    """What stands before an output, by the name of the prompt."""
    text = files("polyglitch").joinpath("resources", "lens_prompts.toml").read_text("utf-8")
    return {name: str(frame) for name, frame in parse_toml(text, "lens_prompts.toml").items()}


def open_gguf(rest: str, timeout: float) -> GgufLens:
    """The lens that a file and its options name."""
    name, _, query = rest.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    for key in options:
        if key not in OPTIONS:
            raise UsageError(f"gguf:{name}: no option is called {key!r}{suggest(key, OPTIONS)}")
    path = Path(name).expanduser()
    if not path.is_file():
        raise UsageError(f"gguf: {name!r} is no file; name a model in the format of llama.cpp")
    prompt = options.get("prompt", TRANSLATE)
    if prompt not in frames():
        raise UsageError(
            f"gguf:{name}: no prompt is called {prompt!r}{suggest(prompt, tuple(frames()))}"
        )
    return GgufLens(path, prompt, (options.get("source"), options.get("target")))
