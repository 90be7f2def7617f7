"""A capability file: TOML that a linguist can read, checked so that errors name file, line and key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from polyglitch.errors import UsageError
from polyglitch.files.settings import LANGUAGE, parse_toml, read_text
from polyglitch.languages import DEFAULT
from polyglitch.registry import suggest

Must = Literal["label", "same", "flipped", "stronger", "weaker", "contained", "fairness"]
GENERAL = "general"  # the task of capabilities that are about no words of one language
LENGTH = re.compile(r"^\s*(?:(<=?|>=?)\s*(\d+)|(\d+)\s*\.\.\s*(\d+))\s*$")


class Condition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a sentence must be like. Keys are joined by and; a list means any of its members."""

    words: str | None = None  # "< 10", ">= 4", "4..20"
    label: str | tuple[str, ...] = ()
    has: str | tuple[str, ...] = ()  # word lists: "positive adjective", "identity plural", "slur"
    lacks: str | tuple[str, ...] = ()
    contains: str | tuple[str, ...] = ()  # words or phrases, whatever their case
    starts: str | tuple[str, ...] = ()
    ends: str | tuple[str, ...] = ()
    clause: bool | None = None  # a subject with a finite verb, and no question
    field: dict[str, str | int | tuple[str | int, ...]] = {}  # other columns of the corpus
    any: tuple[Condition, ...] = ()
    all: tuple[Condition, ...] = ()
    none: tuple[Condition, ...] = ()


class Replace(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Put `new` where `old` stands, the first time only unless `every`; `at_start` wants it first."""

    old: dict[str, str]
    at_start: bool = False
    every: bool = False


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One way to make a test of a sentence; a list inside `concat` means each of its members in turn."""

    where: Condition = Condition()
    concat: tuple[str | tuple[str, ...], ...] = ()
    replace: Replace | None = None
    other: Condition | None = None  # a second sentence, `{other}` in `concat`
    others: int = 1
    most: Annotated[int, msgspec.Meta(ge=1)] | None = (
        None  # of the product, drawn for each sentence
    )
    expected: str | tuple[str, ...] = ()


class Template(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sentences without a corpus: `{positive adjective}`, `{name female}`, `{mask}` are slots."""

    text: str
    expected: str | tuple[str, ...]


class Capability(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a file says."""

    name: str = ""  # the file's, set when it is read
    title: str
    description: str = ""
    task: str
    language: Annotated[str, msgspec.Meta(pattern=LANGUAGE)] = DEFAULT
    source: str = ""
    where: Condition = Condition()
    make: tuple[Rule, ...] = ()
    template: tuple[Template, ...] = ()
    expected: str | tuple[str, ...] = ()  # "same": the label of the sentence
    must: Must = "label"
    change: str = ""  # a change of mutate/relations, for all but `label`
    arguments: dict[str, Any] = {}
    expand: bool | tuple[str, ...] = True  # or only by words of these tags: ["JJ", "NN"]


def read_capability(path: Path | Traversable) -> Capability:
    """The capability of a file."""
    text = read_text(path)
    table = parse_toml(text, str(path))
    try:
        made = msgspec.convert(table, Capability)
    except msgspec.ValidationError as error:
        raise UsageError(f"{path}:{locate(text, str(error))}: {explain(str(error))}") from None
    check(made, path, text)
    return msgspec.structs.replace(made, name=path.name.removesuffix(".toml"))


def locate(text: str, message: str) -> int:
    """The line that an error of msgspec is about: `$.make[1].concat` is in the second `[[make]]`."""
    place = (re.search(r"`\$([^`]*)`", message) or ["", ""])[1]
    field = (re.search(r"field `([^`]*)`", message) or ["", ""])[1]
    keys = re.findall(r"\.(\w+)|\[(\d+)\]", place) + ([(field, "")] if field else [])
    lines, line = text.splitlines(), 0
    for position, (key, _) in enumerate(keys):
        if not key:
            continue
        number = (
            int(keys[position + 1][1]) if position + 1 < len(keys) and keys[position + 1][1] else 0
        )
        header = re.compile(rf"^\s*\[+\s*(?:\w+\.)*{key}\s*\]|^\s*(?:\w+\.)*{key}\s*[=.]")
        found = [n for n, row in enumerate(lines) if n >= line and header.match(row)]
        if found:
            line = found[min(number, len(found) - 1)]
    return line + 1


def explain(message: str) -> str:
    """The message, with the keys there are when one is wrong."""
    wrong = re.search(r"unknown field `(\w+)`(?: - at `\$([^`]*)`)?", message)
    if not wrong:
        return message
    place = wrong[2] or ""
    kinds = {"make": Rule, "template": Template, "replace": Replace}
    last = (re.findall(r"\.(\w+)", place) or [""])[-1]
    kind = kinds.get(last, Condition if place else Capability)
    return f"unknown key {wrong[1]!r}{suggest(wrong[1], kind.__struct_fields__)}"


def check(made: Capability, path: Path | Traversable, text: str) -> None:
    """What types cannot say: lengths that parse, rules that make something, labels to expect."""

    def wrong(key: str, message: str) -> UsageError:
        return UsageError(f"{path}:{locate(text, f'`$.{key}`')}: {message}")

    for condition in conditions(made):
        if condition.words is not None and not LENGTH.match(condition.words):
            raise wrong("words", f'words = {condition.words!r}: write "< 10", ">= 4" or "4..20"')
    for number, rule in enumerate(made.make):
        if bool(rule.concat) == bool(rule.replace):
            raise wrong(f"make[{number}]", "a rule has either `concat` or `replace`")
        if rule.concat and not any(
            "{seed" in choice for part in rule.concat for choice in listed(part)
        ):
            raise wrong(f"make[{number}].concat", "`concat` nowhere says {seed}")
    if made.must == "label" and not made.expected and not made.template:
        lacking = [n for n, rule in enumerate(made.make) if not rule.expected]
        if lacking or not made.make:
            key = f"make[{lacking[0]}]" if lacking else "title"
            raise wrong(key, 'no label to expect: set `expected`, to labels or to "same"')
    if made.must in ("same", "flipped", "stronger", "weaker", "contained") and not made.change:
        raise wrong("must", f"must = {made.must!r} needs a `change`")


def conditions(made: Capability) -> Iterator[Condition]:
    """All conditions of a capability, nested ones too."""
    todo = [made.where, *(rule.where for rule in made.make)]
    todo += [rule.other for rule in made.make if rule.other]
    while todo:
        condition = todo.pop()
        yield condition
        todo += [*condition.any, *condition.all, *condition.none]


def spoken(chosen: Sequence[Capability], language: str | None) -> str:
    """The language of tests: the one that the files are written in, but for general relations that of the text."""
    general = all(each.task == GENERAL for each in chosen)
    return language or DEFAULT if general else chosen[0].language


def listed(value: str | tuple[str, ...]) -> tuple[str, ...]:
    """A value that may stand alone, as a tuple."""
    return (value,) if isinstance(value, str) else value


@cache
def bundled(suite: str) -> tuple[Capability, ...]:
    """The capabilities of a bundled suite, in the order of their names."""
    folder = files("polyglitch").joinpath("resources", "capabilities")
    known = tuple(sorted(each.name for each in folder.iterdir() if each.is_dir()))
    if suite not in known:
        raise UsageError(f"no suite is called {suite!r}{suggest(suite, known)}")
    found = [each for each in folder.joinpath(suite).iterdir() if each.name.endswith(".toml")]
    return tuple(read_capability(each) for each in sorted(found, key=lambda each: each.name))


def inside(file: Path, folder: Path) -> Path:
    """A file of a suite, which may come from anywhere: a link in it must not show what lies elsewhere."""
    if not file.resolve().is_relative_to(folder.resolve()):
        raise UsageError(f"{file} leads out of the folder of its suite; put the file itself there")
    return file


def load_suite(suite: str, only: tuple[str, ...] = ()) -> tuple[Capability, ...]:
    """A bundled suite, a folder of capability files, or one file; `only` names some of them."""
    path = Path(suite)
    if path.is_file():
        found: tuple[Capability, ...] = (read_capability(path),)
    elif path.is_dir():
        found = tuple(read_capability(inside(each, path)) for each in sorted(path.glob("*.toml")))
        if not found:
            raise UsageError(f"suite {suite!r}: the folder has no capability file (*.toml)")
    else:
        found = bundled(suite)
    names = tuple(each.name for each in found)
    for name in only:
        if name not in names:
            raise UsageError(f"suite {suite!r} has no capability {name!r}{suggest(name, names)}")
    return tuple(each for each in found if not only or each.name in only)
