"""The pages of the site that are made: reference from the code, how to add a part from CONTRIBUTING.md.

MkDocs calls what is named `on_...` (see mkdocs.yml). `python recipes/site_reference.py commands` prints a page.
"""

from __future__ import annotations

import html
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
        yield f"\n## {kind.capitalize()}\n"
        found = registry.entries(kind).values()
        yield (
            "| name | what it is |\n|---|---|" if found else "None comes along: packages add them."
        )
        yield from (f"| `{entry.name}` | {cell(entry.about)} |" for entry in found)


def methods() -> Iterator[str]:
    """Every method with its parameters."""
    yield "# Methods and their parameters\n\nEach is set by `--param METHOD.NAME=VALUE` or in `polyglitch.toml`."
    for entry in registry.entries("methods").values():
        made = registry.load("methods", entry.name)
        yield f"\n## {entry.name}\n\n{sentence(entry.about)}"
        if (ROOT / f"docs/methods/{entry.name}.md").is_file():
            yield f"\n[What it does, and what it found](../methods/{entry.name}.md)."
        told = (inspect.getdoc(made) or "").partition("\n\n")[2]
        if told:
            yield f"\n{told}"
        yield "\n| parameter | type | default |\n|---|---|---|"
        for one in inspect.signature(made).parameters.values():
            default = "" if one.default is inspect.Parameter.empty else repr(one.default)
            yield f"| `{one.name}` | {cell(one.annotation)} | {cell(default) and code(default)} |"


def sentence(text: str) -> str:
    """A remark as a sentence."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}" if text else ""


def settings() -> Iterator[str]:
    """Every key of polyglitch.toml with its type, its default, and what the option of the same name says of it."""
    yield "# Settings\n\nThe keys of `polyglitch.toml`; each is also an option of `polyglitch run`.\n"
    yield "| key | what it does | type | default |\n|---|---|---|---|"
    told = option_texts()
    remarks = remarks_of(Campaign)
    for name, hint in get_type_hints(Campaign).items():
        default = getattr(Campaign(), name, None)
        shown = code(default) if default not in (None, "", (), {}) else ""
        about = told.get(name) or sentence(remarks.get(name, ""))
        yield f"| `{name}` | {cell(about)} | {toml_type(hint)} | {shown} |"


def option_texts() -> dict[str, str]:
    """What `polyglitch run` says of each option, by the key that it sets."""
    run = program.get_command(click.Context(program), "run")
    assert run is not None
    other = {"system": "systems", "parameters": "params"}
    found = {one.name: one.help for one in run.params if isinstance(one, click.Option)}
    texts = {str(name): text for name, text in found.items() if name and text}
    return texts | {key: texts[name] for key, name in other.items()}


def remarks_of(record: type) -> dict[str, str]:
    """The comments beside the fields of a record."""
    pattern = r"^    (\w+): [^#\n]*(?:\(\n[^#\n]*)?#\s*(.*)$"
    return dict(re.findall(pattern, inspect.getsource(record), re.M))


TOML_TYPES = {"bool": "boolean", "int": "integer", "float": "number", "str": "string"}


def toml_type(hint: Any) -> str:
    """A type as TOML calls it."""
    text = str(hint).replace("<class '", "").replace("'>", "").replace("typing.", "")
    text = re.sub(r"Annotated\[(\w+).*", r"\1", re.sub(r"^Optional\[(.*)\]$", r"\1", text))
    text = text.removesuffix(" | None")
    if text.startswith(("tuple", "list", "frozenset")):
        return "array"
    return "table" if text.startswith("dict") else TOML_TYPES.get(text, text)


def python() -> Iterator[str]:
    """The front door: what `import polyglitch` offers."""
    yield "# Python\n\nWhat `import polyglitch as pg` offers. Begin with `pg.run`, which gives a `Result`."
    for name in polyglitch.__all__:
        thing: Any = getattr(polyglitch, name)
        yield f"\n## pg.{name}\n"
        own = public_parts(thing) if inspect.isclass(thing) else []
        if callable(thing) and not getattr(thing, "_is_protocol", False) and name != "Result":
            with suppress(TypeError, ValueError):  # made elsewhere
                yield f"```python\n{signature(name, thing)}\n```\n"
        if isinstance(thing, str):  # its docstring would be that of all strings
            yield "Of this package, as text."
            continue
        yield listed(inspect.getdoc(thing) or "")
        if own:
            yield "\n| part | what it is |\n|---|---|"
            yield from own


def signature(name: str, thing: Any) -> str:
    """How a thing is called: a parameter a line where there are many."""
    made = inspect.signature(thing)
    taken = [parameter(one) for one in made.parameters.values()]
    gives = made.return_annotation
    back = "" if gives in (inspect.Signature.empty, "None", None) else f" -> {plain(gives)}"
    short = f"{name}({', '.join(taken)}){back}"
    return short if len(short) < 90 else f"{name}(\n    " + ",\n    ".join(taken) + f",\n){back}"


def parameter(one: inspect.Parameter) -> str:
    """A parameter as it would be written."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    kind = "" if one.annotation is inspect.Parameter.empty else f": {plain(one.annotation)}"
    default = "" if one.default is inspect.Parameter.empty else f" = {one.default!r}"
    return f"{stars.get(one.kind, '')}{one.name}{kind}{default}"


def plain(annotation: Any) -> str:
    """A type by its name."""
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def listed(text: str) -> str:
    """A docstring of which the lines `name: what it is` are a list."""
    return re.sub(r"^(\w+): ", r"- `\1`: ", text, flags=re.M)


def public_parts(thing: type) -> list[str]:
    """The methods and properties of a class that it tells of itself."""
    rows = []
    for name, part in vars(thing).items():
        about = inspect.getdoc(part) if callable(part) or isinstance(part, property) else None
        if name.startswith("_") or not about:
            continue
        called = "" if isinstance(part, property) else arguments(part)
        rows.append(f"| `{name}{called}` | {cell(about.partition(chr(10) * 2)[0])} |")
    return rows


def arguments(part: Any) -> str:
    """The names of what a method takes."""
    try:
        taken = [name for name in inspect.signature(part).parameters if name != "self"]
    except (TypeError, ValueError):
        return "()"
    return f"({', '.join(taken)})"


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
        yield f"\n## {name}\n\n{inspect.getdoc(thing) or ''}"
        remarks = remarks_of(thing)
        rows = []
        for field in msgspec.structs.fields(thing):
            default = "" if field.default is msgspec.NODEFAULT else code(repr(field.default))
            kind = str(field.type).replace("<class '", "").replace("'>", "").replace("typing.", "")
            kind = cell(kind.replace("polyglitch.records.", ""))
            rows.append((f"`{field.name}`", kind, default, cell(remarks.get(field.name, ""))))
        titles = ("field", "type", "default", "what it is")
        told = [place for place in range(len(titles)) if any(row[place] for row in rows)]
        if rows:
            yield (
                "\n| " + " | ".join(titles[place] for place in told) + " |\n|" + "---|" * len(told)
            )
        yield from ("| " + " | ".join(row[place] for place in told) + " |" for row in rows)


def added_part(part: str) -> str:
    """A page of its own for a recipe of CONTRIBUTING.md, with what all of them share before it."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    shared = text.split("## Add a part\n")[1].split("\n### ")[0].strip()
    shared = shared.replace("Each recipe below works from", "The recipe works from")
    recipe = text.split(f"\n### A {part}\n")[1].split("\n### ")[0].strip()
    linked = re.sub(r"\]\(docs/", "](../", f"{recipe}\n\n## The package around it\n\n{shared}")
    return f"# Add a {part}\n\n{linked}\n"


ROOT = Path(__file__).parents[1]
COMMANDS = re.compile(  # blocks of commands, and code within a sentence
    r'<div class="language-text[^>]*>.*?</pre>|(?<!<pre>)<code>[^<]*</code>', re.DOTALL
)
TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
# Characters from which a row, a cell or a word makes columns of two words on a phone, or runs out of sight there.
LONG_ROW, LONG_CELL, LONG_WORD = 140, 40, 22
OPTION = re.compile(r"(?<![\w&;-])(--[\w-]+)(?![\w-])")
# Tables that take the place of the contents of their page.
WIDE = ("figures.md", "benchmarks.md")
MANY_COLUMNS = re.compile(r"^\|(?:\s*:?-+:?\s*\|){7,}", re.MULTILINE)
UNNAMED = {
    'data-md-component="search" role="dialog"': "Search",
    'data-md-toggle="search"': "Show the search",
    'data-md-toggle="drawer"': "Show the contents",
}
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


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links to files of the repository, which the site does not hold, as their names; room for wide tables."""
    if page.file.src_uri in WIDE or MANY_COLUMNS.search(markdown):
        page.meta["hide"] = ["toc"]
    return REPOSITORY.sub(named_file, markdown)


def named_file(link: re.Match[str]) -> str:
    """A file of the repository by its name, and by where it is if that says more."""
    return f"`{link[2]}`" if link[1].strip("`") == link[2] else f"{link[1]} (`{link[2]}`)"


def on_page_content(content: str, page: Any, **_: Any) -> str:
    """Lines of commands do not end inside an option; rows of long texts can be stacked on a phone."""
    made = page.file.src_uri.startswith("reference/")
    content = TABLE.sub(lambda found: named_cells(found[0], made), content)
    return COMMANDS.sub(
        lambda found: OPTION.sub(r'<span class="option">\1</span>', found[0]), content
    )


def named_cells(table: str, wanted: bool) -> str:
    """A table whose rows are too long for the columns of a phone, each cell with the name of its column."""
    titles = [html.escape(bare(title)) for title in re.findall(r"<th[^>]*>(.*?)</th>", table, re.S)]
    rows = re.findall(r"<tr>.*?</tr>", table, re.S)
    texts = [bare(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", table, re.S)]
    wide = wanted or max(map(len, texts)) >= LONG_CELL or max(map(len, map(bare, rows))) >= LONG_ROW
    if len(titles) == 2:  # the first names the row, and what is beside it needs no name
        titles = ["", ""]
        wide = wanted or any(len(word) >= LONG_WORD for text in texts for word in text.split())
    if not wide:
        return table
    for row in rows[1:]:
        cells = row.split("<td")
        named = [
            f'<td data-label="{title}"{cell}'
            for title, cell in zip(titles, cells[1:], strict=False)
        ]
        table = table.replace(row, cells[0] + "".join(named), 1)
    return table.replace("<table>", "<table data-stack>", 1)


def bare(markup: str) -> str:
    """The words of a piece of a page."""
    return html.unescape(" ".join(re.sub(r"<[^>]*>", "", markup).split()))


def on_post_page(output: str, **_: Any) -> str:
    """Name what the theme leaves without a name, for those who listen to a page."""
    for left, named in UNNAMED.items():
        output = output.replace(left, f'{left} aria-label="{named}"')
    return output


def on_post_template(output_content: str, template_name: str, **_: Any) -> str:
    """The same on the page for what is not found, which also says where to go on."""
    if not template_name.endswith(".html"):
        return output_content
    home = re.search(r'<a href="([^"]*)"[^>]*md-logo', output_content)
    way = f'<a href="{home[1]}">Begin at home</a>' if home else "Begin at home"
    told = (
        f"<h1>Not found</h1><p>There is no such page here. {way}, or search for a word of it.</p>"
    )
    return on_post_page(output_content.replace("<h1>404 - Not found</h1>", told))


if __name__ == "__main__":
    print("\n".join(PAGES[sys.argv[1]]()))
