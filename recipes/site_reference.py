"""The pages of the site that are made: reference from the code, how to add a part from CONTRIBUTING.md.

MkDocs calls `on_files` (see mkdocs.yml). `python recipes/site_reference.py commands` prints a page of the reference.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, get_type_hints

import click
import msgspec

import polyglitch
from polyglitch import records, registry
from polyglitch.campaign import Campaign
from polyglitch.cli.main import polyglitch as program

REPOSITORY = re.compile(
    r"\[([^\]]*)\]\((?:\.\./)+((?:(?:examples|benchmarks|src|tests|recipes)(?![\w.])|Dockerfile|action.yml|\.github|[A-Z]+\.md)[^)]*)\)"
)


def cell(text: object) -> str:
    """A text in one cell of a table."""
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")


def code(text: object) -> str:
    """A text in one cell, as code: there a bar and an angle stand for themselves."""
    return f"`{' '.join(str(text).split())}`"


def commands() -> Iterator[str]:
    """Every command with its options and its help."""
    yield "# Commands\n\nMade from `polyglitch --help`.\n"
    for path, command in walk(program, ("polyglitch",)):
        yield f"\n## {' '.join(path)}\n"
        yield inspect.cleandoc(command.help or "").replace("\b\n", "")
        rows = [row for param in command.params if (row := option(param, command))]
        if rows:
            yield "\n| option | what it does |\n|---|---|"
            yield from rows


def walk(
    group: click.Group, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """All commands, those in groups after their group."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from walk(command, (*path, name))


def option(param: click.Parameter, command: click.Command) -> str:
    """A row of a command's table; nothing for what is hidden."""
    if not isinstance(param, click.Option):
        return f"| `{param.make_metavar(click.Context(command))}` | argument |"
    record = param.get_help_record(click.Context(command))
    return f"| {code(record[0])} | {cell(record[1])} |" if record else ""


def names() -> Iterator[str]:
    """What can be named, by kind."""
    yield "# Systems, metrics and other names\n\nMade from `polyglitch list KIND`."
    for kind in registry.KINDS:
        if kind == "methods":
            continue
        yield f"\n## {kind.capitalize()}\n\n| name | what it is |\n|---|---|"
        yield from (
            f"| `{entry.name}` | {cell(entry.about)} |" for entry in registry.entries(kind).values()
        )


def methods() -> Iterator[str]:
    """Every method with its parameters."""
    yield "# Methods and their parameters\n\nEach is set by `--param METHOD.NAME=VALUE` or in `polyglitch.toml`."
    for entry in registry.entries("methods").values():
        made = registry.load("methods", entry.name)
        yield f"\n## {entry.name}\n\n{entry.about}\n\n| parameter | type | default |\n|---|---|---|"
        for one in inspect.signature(made).parameters.values():
            default = "" if one.default is inspect.Parameter.empty else repr(one.default)
            yield f"| `{one.name}` | {cell(one.annotation)} | {cell(default) and code(default)} |"


def settings() -> Iterator[str]:
    """Every key of polyglitch.toml with its type, its default and what the record says of it."""
    yield "# Settings\n\nThe keys of `polyglitch.toml`; each is also an option of `polyglitch run`.\n"
    yield "| key | type | default | |\n|---|---|---|---|"
    remarks = dict(
        re.findall(
            r"^    (\w+): [^#\n]*(?:\(\n[^#\n]*)?#\s*(.*)$", inspect.getsource(Campaign), re.M
        )
    )
    for name, hint in get_type_hints(Campaign).items():
        default = getattr(Campaign(), name, None)
        kind = str(hint).replace("<class '", "").replace("'>", "").replace("typing.", "")
        yield f"| `{name}` | {cell(kind)} | {code(default)} | {cell(remarks.get(name, ''))} |"


def python() -> Iterator[str]:
    """The front door: what `import polyglitch` offers."""
    yield "# Python\n\nWhat `import polyglitch as pg` offers."
    for name in polyglitch.__all__:
        thing: Any = getattr(polyglitch, name)
        yield f"\n## pg.{name}\n"
        if callable(thing):
            with suppress(TypeError, ValueError):  # a protocol, or made elsewhere
                yield f"```python\n{name}{inspect.signature(thing)}\n```\n"
        yield inspect.getdoc(thing) or ""


def record_fields() -> Iterator[str]:
    """Every record with its fields."""
    yield "# Records\n\nWhat flows from stage to stage, and what stores and `.jsonl` reports hold: JSON both ways."
    for name, thing in vars(records).items():
        if not (inspect.isclass(thing) and issubclass(thing, msgspec.Struct)) or name.startswith(
            "_"
        ):
            continue
        if thing.__module__ != records.__name__:
            continue
        yield f"\n## {name}\n\n{inspect.getdoc(thing) or ''}\n\n| field | type | default |\n|---|---|---|"
        for field in msgspec.structs.fields(thing):
            default = "" if field.default is msgspec.NODEFAULT else code(repr(field.default))
            kind = str(field.type).replace("<class '", "").replace("'>", "")
            yield f"| `{field.name}` | {cell(kind.replace('polyglitch.records.', ''))} | {default} |"


def added_part(part: str) -> str:
    """A page of its own for a recipe of CONTRIBUTING.md, with what all of them share before it."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    shared = text.split("## Add a part\n")[1].split("\n### ")[0].strip()
    recipe = text.split(f"\n### A {part}\n")[1].split("\n### ")[0].strip()
    linked = re.sub(r"\]\(docs/", "](../", f"{recipe}\n\n## The package around it\n\n{shared}")
    return f"# Add a {part}\n\n{linked}\n"


ROOT = Path(__file__).parents[1]
PARTS = ("method", "metric", "system", "relation")
PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "commands": commands,
    "names": names,
    "methods": methods,
    "settings": settings,
    "python": python,
    "records": record_fields,
}


def on_files(files: Any, config: Any) -> Any:
    """Add the pages to the site."""
    from mkdocs.structure.files import File

    for name, make in PAGES.items():
        text = "\n".join(make()) + "\n"
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    for part in PARTS:
        page = f"how-to/add-a-{part}.md"
        files.append(File.generated(config, page, content=added_part(part)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Links to files of the repository, which the site does not hold, as their names."""
    return REPOSITORY.sub(lambda found: f"{found[1]} (`{found[2]}`)", markdown)


if __name__ == "__main__":
    print("\n".join(PAGES[sys.argv[1]]()))
