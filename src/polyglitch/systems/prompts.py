"""Prompts for chat models: templates kept as data, filled without ever reading the text as a template."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import Annotated, TypeVar, overload

import msgspec

from polyglitch.errors import UsageError
from polyglitch.files.settings import parse_toml, read_text
from polyglitch.records import Input
from polyglitch.registry import suggest

PLACE = re.compile(r"\{(text|context|title)\}")
Count = Annotated[int, msgspec.Meta(ge=1)]


class Prompt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a chat model is told around an input. With `labels` it chooses among them, else it writes."""

    user: str
    system: str = ""
    about: str = ""
    labels: tuple[str, ...] = ()
    languages: tuple[str, str] | None = None
    answer_tokens: Count = 64

    def fill(self, item: Input) -> tuple[str, int]:
        """The user's message for an input, and where the input's text starts in it."""
        values = {"text": item.text, "context": item.context or "", "title": item.title or ""}
        parts: list[str] = []
        start = -1
        for number, piece in enumerate(PLACE.split(self.user)):
            if number % 2 and piece == "text" and start < 0:
                start = sum(map(len, parts))
            parts.append(values[piece] if number % 2 else piece)
        return "".join(parts), start


P = TypeVar("P", bound=Prompt)


@overload
def load_prompt(name: str) -> Prompt: ...
@overload
def load_prompt(name: str, kind: type[P]) -> P: ...
def load_prompt(name: str, kind: type[Prompt] = Prompt) -> Prompt:
    """A prompt by its bundled name or from a TOML file, of the kind that the system understands."""
    if name.endswith(".toml"):
        path = Path(name)
        if not path.is_file():
            raise UsageError(f"prompt {name!r}: no such file")
        return read_prompt(read_text(path), name, kind)
    table = files("polyglitch").joinpath("resources", "prompts", f"{name}.toml")
    if "/" in name or not table.is_file():
        raise UsageError(
            f"no prompt is called {name!r}{suggest(name, prompt_names())}; or name a .toml file"
        )
    return read_prompt(table.read_text("utf-8"), name, kind)


def prompt_names() -> tuple[str, ...]:
    """The bundled prompts."""
    folder = files("polyglitch").joinpath("resources", "prompts")
    return tuple(sorted(item.name.removesuffix(".toml") for item in folder.iterdir()))


def read_prompt(text: str, name: str, kind: type[Prompt] = Prompt) -> Prompt:
    """A prompt from TOML; errors name the key that is wrong."""
    try:
        prompt = msgspec.convert(parse_toml(text, f"prompt {name!r}"), kind)
    except msgspec.ValidationError as error:
        raise UsageError(f"prompt {name!r}: {error}") from None
    if "{text}" not in prompt.user:
        raise UsageError(f"prompt {name!r}: `user` must say where the {{text}} of an input goes")
    return prompt
