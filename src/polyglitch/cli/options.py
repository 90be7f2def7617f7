"""Options that several commands share, and what `--help` and the shell's completion know of any command."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import click

from polyglitch.errors import UsageError

Command = Callable[..., Any]
Completion = Callable[[click.Context, click.Parameter, str], list[str]]


def one_run(command: Command) -> Command:
    """`--store` and `--run`: which run a command is about."""
    store = click.option(
        "--store",
        default=None,
        help="The store of the run.",
        show_default="that of polyglitch.toml, or polyglitch.sqlite",
    )
    run = click.option(
        "--run",
        "run_id",
        default=None,
        help="Which run, by (the beginning of) its id.",
        show_default="the newest that finished",
    )
    return store(run(command))


def reading(command: Command) -> Command:
    """`--field`, `--format`, `--encoding`: how a corpus is read."""
    field = click.option(
        "--field",
        "fields",
        multiple=True,
        metavar="FIELD=COLUMN",
        help="Which column is what: text=review,label=stars,context=passage (also title, id).",
    )
    kind = click.option(
        "--format",
        help="Of the corpus, where its name does not tell (or on stdin): txt csv tsv jsonl json parquet "
        "xlsx tmx xliff po conllu, with .gz if compressed.",
    )
    encoding = click.option("--encoding", help="Of the corpus, where it is not UTF-8: cp1252.")
    return field(kind(encoding(command)))


def read_fields(given: tuple[str, ...]) -> dict[str, str]:
    """`text=review,label=stars` as a table; a column's name may have commas where no FIELD= follows."""
    fields: dict[str, str] = {}
    for item in given:
        last = ""
        for part in item.split(","):
            role, equals, column = part.partition("=")
            if equals:
                last = role.strip()
                fields[last] = column
            elif last:
                fields[last] += f",{part}"
            else:
                raise UsageError(
                    f"--field {item!r}: write FIELD=COLUMN, such as text=review,label=stars"
                )
    return fields


def reopened(command: Command) -> Command:
    """`--system`, `--parser` and `--param`: what a store may not decide, as it is data."""
    system = click.option("--system", default=None, help="The system's URI, as in the run.")
    parser = click.option("--parser", default=None, help="The parser, where the run named a model.")
    param = click.option(
        "--param",
        "params",
        multiple=True,
        metavar="METHOD.KEY=VALUE",
        help="A parameter of the run that names a system or a model.",
    )
    return system(parser(param(command)))


def with_example(command: click.Command, name: str) -> click.Command:
    """A command whose help ends with an example; so do those of its own commands."""
    found = examples()
    if name in found:
        command.epilog = f"Example: {found[name]}"
    for inner in getattr(command, "commands", {}).values():
        with_example(inner, f"{name} {inner.name}")
    return command


@cache
def examples() -> dict[str, str]:
    """An example of each command, by name."""
    import tomllib
    from importlib.resources import files

    path = files("polyglitch").joinpath("resources", "examples.toml")
    return {name: str(line) for name, line in tomllib.loads(path.read_text("utf-8")).items()}


def complete(kind: str, after: str = "") -> Completion:
    """Completion of the registered names of a kind, several by comma; each with what follows it."""

    def names(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
        from polyglitch import registry

        done, comma, begun = typed.rpartition(",")
        return [
            f"{done}{comma}{name}{after}"
            for name in registry.entries(kind)
            if name.startswith(begun)
        ]

    return names
