"""Prompts for chat models: files kept as data, filled without ever reading an input as a template.

A prompt file is TOML, or a text of the user's own with `{text}` (or `{{text}}`) where the input goes. It says what is
sent around an input, and so which parts there are to be changed: examples, tools, a schema, variables to swap.
"""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, TypeVar, overload

import msgspec

from polyglitch.errors import UsageError
from polyglitch.files.promptfoo import ENDINGS, read_promptfoo
from polyglitch.files.promptfoo import PLACE as PLACED
from polyglitch.files.settings import parse_toml, read_text
from polyglitch.records import Input
from polyglitch.registry import suggest

FIELDS = ("text", "context", "title", "labels")  # places that every prompt knows
TEMPLATES = (".txt", ".md", ".prompt")  # files that are the user's message and nothing else
VARIABLE = re.compile(r"[A-Za-z_]\w*")
Count = Annotated[int, msgspec.Meta(ge=1)]


class Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One example of how to answer, shown before the question."""

    user: str
    assistant: str


class PromptSwap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two variables that can trade places, and which answers trade places with them."""

    variables: tuple[str, str]
    answers: tuple[tuple[str, str], ...] = ()


class Prompt(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a chat model is told around an input. With `labels` it chooses among them, else it writes."""

    user: str
    system: str = ""
    about: str = ""
    labels: tuple[str, ...] = ()
    languages: tuple[str, str] | None = None
    answer_tokens: Count = 64
    variables: dict[str, str] = {}  # each with its value where a row has none
    examples: tuple[Example, ...] = ()
    swap: PromptSwap | None = None
    lowercase: bool = False  # for models that were trained on small letters alone

    def fill(self, item: Input) -> tuple[str, int]:
        """The user's message for an input, and where the input's text starts in it."""
        pieces = self._pieces(self.user)
        whole = "".join(self._value(name, item) if name else piece for piece, name in pieces)
        return whole, self.place("text", item)

    def place(self, field: str, item: Input) -> int:
        """Where a field first starts in the user's message for an input; -1 where it has no place."""
        start = 0
        for piece, name in self._pieces(self.user):
            if name == field:
                return start
            start += len(self._value(name, item) if name else piece)
        return -1

    def told(self, item: Input) -> str:
        """The system's message for an input."""
        pieces = self._pieces(self.system)
        return "".join(self._value(name, item) if name else piece for piece, name in pieces)

    def messages(self, item: Input) -> list[dict[str, str]]:
        """The whole chat: system, examples, earlier turns, and the question."""
        shown = self.examples[::-1] if "examples" in item.reversed else self.examples
        chat = [{"role": "system", "content": self.told(item)}] if self.system else []
        for example in shown:
            chat += [
                {"role": "user", "content": example.user},
                {"role": "assistant", "content": example.assistant},
            ]
        chat += [{"role": turn.role, "content": turn.text} for turn in item.turns]
        return [*chat, {"role": "user", "content": self.fill(item)[0]}]

    @property
    def places(self) -> frozenset[str]:
        """The fields and variables that stand somewhere in it."""
        both = (*self._pieces(self.user), *self._pieces(self.system))
        return frozenset(name for _, name in both if name)

    @property
    def parts(self) -> tuple[str, ...]:
        """What it declares, as relations ask for it."""
        several = {
            "examples": len(self.examples) > 1,
            "labels": len(self.labels) > 1 and "labels" in self.places,
        }
        found = [name for name, there in several.items() if there]
        if self.swap:
            answers = "/".join("=".join(pair) for pair in self.swap.answers)
            found.append(f"swap:{'/'.join(self.swap.variables)}:{answers}")
        return tuple(found)

    def _pieces(self, template: str) -> list[tuple[str, str]]:
        """A template as texts and names of what goes between them."""
        names = "|".join(map(re.escape, (*FIELDS, *self.variables)))
        found, end = [], 0
        for match in re.finditer(rf"\{{\{{\s*({names})\s*\}}\}}|\{{({names})\}}", template):
            found += [(template[end : match.start()], ""), ("", match[1] or match[2])]
            end = match.end()
        return [*found, (template[end:], "")]

    def _value(self, name: str, item: Input) -> str:
        if name == "labels":
            return ", ".join(self.labels[::-1] if "labels" in item.reversed else self.labels)
        if name in FIELDS:
            value = getattr(item, name) or ""
            return lowered(value) if self.lowercase else value
        return item.values.get(name, self.variables[name])


def lowered(text: str) -> str:
    """A text in small letters, each where it stood: a capital that becomes two signs stays."""
    return "".join(small if len(small := sign.lower()) == 1 else sign for sign in text)


P = TypeVar("P", bound=Prompt)


@overload
def load_prompt(name: str) -> Prompt: ...
@overload
def load_prompt(name: str, kind: type[P]) -> P: ...
def load_prompt(name: str, kind: type[Prompt] = Prompt) -> Prompt:
    """A prompt by its bundled name or from a file, of the kind that the system understands."""
    if name.partition("#")[0].endswith(ENDINGS):
        return promptfoo_prompt(name, kind)
    if name.endswith((".toml", *TEMPLATES)):
        path = Path(name)
        if not path.is_file():
            raise UsageError(f"prompt {name!r}: no such file")
        if name.endswith(TEMPLATES):
            return checked(kind(user=read_text(path).strip("\n")), name)
        return read_prompt(read_text(path), name, kind)
    table = files("polyglitch").joinpath("resources", "prompts", f"{name}.toml")
    if "/" in name or not table.is_file():
        raise UsageError(
            f"no prompt is called {name!r}{suggest(name, prompt_names())}; or name a .toml file, or a .txt with "
            "{text} where the input goes"
        )
    return read_prompt(table.read_text("utf-8"), name, kind)


def promptfoo_prompt(name: str, kind: type[Prompt]) -> Prompt:
    """A prompt of a promptfoo configuration: `FILE.yaml#2` is its second, without a number the first."""
    path, _, place = name.partition("#")
    config = read_promptfoo(path)
    number = int(place) if place.isdecimal() else 1
    if not 1 <= number <= len(config.prompts):
        raise UsageError(
            f"prompt {name!r}: {path} has {len(config.prompts)} prompts, counted from 1"
        )
    *before, (last, user) = config.prompts[number - 1]
    if last != "user":
        raise UsageError(
            f"prompt {name!r}: its last message is the {last}'s, and must be the user's"
        )
    roles = [role for role, _ in before]
    if roles[:1] == ["system"]:
        roles = roles[1:]
    if roles != ["user", "assistant"] * (len(roles) // 2):
        raise UsageError(
            f"prompt {name!r}: between system and question, examples are a user's and an assistant's"
        )
    fields = {config.text: "text"} | ({config.context: "context"} if config.context else {})

    def placed(text: str) -> str:
        return PLACED.sub(lambda found: f"{{{{{fields.get(found[1], found[1])}}}}}", text)

    system = placed(before[0][1]) if before and before[0][0] == "system" else ""
    told = [placed(text) for role, text in before if role != "system"]
    examples = [{"user": u, "assistant": a} for u, a in zip(told[::2], told[1::2], strict=True)]
    names = {found for _, text in config.prompts[number - 1] for found in PLACED.findall(text)}
    variables = dict.fromkeys(sorted(names - set(fields)), "")
    keys = {"user": placed(user), "system": system, "examples": examples, "variables": variables}
    return make_prompt(keys, name, kind)


def prompt_names() -> tuple[str, ...]:
    """The bundled prompts."""
    folder = files("polyglitch").joinpath("resources", "prompts")
    return tuple(sorted(item.name.removesuffix(".toml") for item in folder.iterdir()))


def read_prompt(text: str, name: str, kind: type[Prompt] = Prompt) -> Prompt:
    """A prompt from TOML; errors name the key that is wrong."""
    return make_prompt(parse_toml(text, f"prompt {name!r}"), name, kind)


def make_prompt(keys: dict[str, Any], name: str, kind: type[Prompt] = Prompt) -> Prompt:
    """A prompt from its keys."""
    try:
        prompt = msgspec.convert(keys, kind)
    except msgspec.ValidationError as error:
        raise UsageError(f"prompt {name!r}: {error}") from None
    return checked(prompt, name)


def checked(prompt: Prompt, name: str) -> Prompt:
    """A prompt in which every name fits."""
    for variable in prompt.variables:
        if not VARIABLE.fullmatch(variable) or variable in FIELDS:
            raise UsageError(
                f"prompt {name!r}: variable {variable!r} must be a word of its own, and not one of {', '.join(FIELDS)}"
            )
    if "text" not in prompt.places:
        raise UsageError(f"prompt {name!r}: `user` must say where the {{text}} of an input goes")
    for variable in prompt.swap.variables if prompt.swap else ():
        if variable not in prompt.variables:
            raise UsageError(
                f"prompt {name!r}: swap names the variable {variable!r}, which is not under [variables]"
            )
    return prompt
