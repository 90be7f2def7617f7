"""The command line: `polyglitch COMMAND`. Each command is a file here that only parses; work is done elsewhere.

Options that several commands share, and what `--help` and the shell's completion know of any command.

What every command may print: other people's text, of which nothing drives the terminal; what to do next, as a
command that works where the person is; and an error that nobody foresaw, in one line with exit code 70.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
import time
import traceback
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from polyglitch import __version__
from polyglitch.errors import PolyglitchError, UsageError
from polyglitch.files.foreign import is_hidden, one_line, spelled_out

if TYPE_CHECKING:
    from polyglitch.results.history import History


BEYOND_ASCII = re.compile(r"[^\x00-\x7e]")
Command = Callable[..., Any]
Completion = Callable[[click.Context, click.Parameter, str], list[str]]
COMMANDS = (
    "calibrate",
    "compare",
    "corpus",
    "demo",
    "diversity",
    "doctor",
    "evaluate",
    "explain",
    "generate",
    "get",
    "grammar",
    "init",
    "judge",
    "list",
    "measure",
    "minimise",
    "regex",
    "repair",
    "report",
    "review",
    "run",
    "runs",
    "store",
    "trust",
)


def say(text: str, *, err: bool = False) -> None:
    """Print a text, hidden characters in writing."""
    click.echo(spelled_out(text), err=err)


def say_json(value: Any, indent: int | None = None) -> None:
    """Print a value as JSON, hidden characters as JSON's own escapes: read back they are the same."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    click.echo(BEYOND_ASCII.sub(lambda found: escaped(found[0]), text))


def escaped(char: str) -> str:
    """A character, or its escape where it cannot be seen."""
    return json.dumps(char)[1:-1] if is_hidden(char) else char


def own_command(*words: str) -> str:
    """`polyglitch WORDS` as it can be pasted: by its path where the shell would not find this installation."""
    return " ".join([*map(shlex.quote, own_program()), *map(shlex.quote, words)])


def own_program() -> list[str]:
    """How this installation is called: by name, by path, or as a module of its interpreter."""
    beside = Path(sys.executable).parent / "polyglitch"
    on_path = shutil.which("polyglitch")
    if on_path and (not beside.exists() or Path(on_path).resolve() == beside.resolve()):
        return ["polyglitch"]
    if beside.exists():
        return [shortest(beside)]
    return [sys.executable, "-m", "polyglitch"]


def shortest(path: Path) -> str:
    """A path from here where that is below this folder, else the whole of it."""
    here = Path(os.path.abspath(path))
    return f"{here.relative_to(Path.cwd())}" if here.is_relative_to(Path.cwd()) else str(here)


def of_run(history: History, name: str) -> list[str]:
    """The options that name a run; its store only where it is not the one that is looked into anyway."""
    from polyglitch.campaign import find_file, make_campaign

    where = history.store.where
    usual = make_campaign({}, find_file()).store
    same = "://" not in where and Path(where).resolve() == Path(usual).resolve()
    return [*(() if same else ("--store", where)), "--run", name]


def look_at(history: History, name: str) -> str:
    """How to look at a run in the browser."""
    return f"Look: {own_command('review', *of_run(history, name))}"


EXIT = 70  # as sysexits.h has it: an error inside the software, never one that a gate takes for a verdict
KEPT = 20  # files of details; older ones go


def tell(error: Exception) -> int:
    """Say what happened in one line; the exit code."""
    if isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith("polyglitch"):
        return tell_missing(error)
    return tell_unexpected(error)


def tell_missing(error: ModuleNotFoundError) -> int:
    """Say which package is lacking; the exit code."""
    name = (error.name or "a package").partition(".")[0]
    say(
        f"polyglitch: {one_line(name)} is not installed, and this command needs it: pip install {one_line(name)} "
        "(`polyglitch doctor` shows which extra brings it)",
        err=True,
    )
    return 2


def tell_unexpected(error: Exception) -> int:
    """Say in one line what happened and where the details are; the exit code."""
    what = one_line(f"{type(error).__name__}: {error}")
    try:
        where = f"the details are in {write_details(error)}"
    except OSError as cause:
        where = f"the details could not be written ({cause.strerror or cause})"
    say(f"polyglitch: unexpected error, a bug of ours: {what}; {where}", err=True)
    return EXIT


def write_details(error: Exception) -> Path:
    """Keep the traceback where only the user reads it."""
    from polyglitch.nlp.models.downloads import cache_folder

    folder = cache_folder() / "errors"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    told = "".join(traceback.format_exception(error)).encode("utf-8", "backslashreplace")
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(handle, "wb") as out:
        out.write(f"polyglitch {__version__}\n".encode() + told)
    for old in sorted(folder.glob("*.txt"))[:-KEPT]:
        old.unlink(missing_ok=True)
    return path


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


ENGLISH = "en"  # as `languages.DEFAULT`, which would take an eighth of `--help` to import


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


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, from the module of that name."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"polyglitch.cli.{cmd_name}").command
        assert isinstance(command, click.Command)  # noqa: S101 - every module here defines one
        return with_example(command, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with a suggestion when the name is wrong."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from polyglitch.registry import suggest

            raise click.UsageError(f"no command {args[0]!r}{suggest(args[0], COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    epilog='Completion of commands, methods and systems: eval "$(_POLYGLITCH_COMPLETE=bash_source polyglitch)"',
)
@click.version_option(__version__)
def polyglitch() -> None:
    """Find where language software breaks, without labelled references."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and turn our errors into a message and an exit code."""
    try:
        code = polyglitch.main(arguments, standalone_mode=False)
    except click.exceptions.Exit as error:
        code = error.exit_code
    except click.ClickException as error:
        error.show()
        code = 2
    except PolyglitchError as error:
        from polyglitch.files.foreign import spelled_out

        say(f"polyglitch: {spelled_out(str(error))}", err=True)
        code = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        say("interrupted: everything finished is kept; run again to go on", err=True)
        code = 130
    except BrokenPipeError:
        code = 0
    except Exception as error:
        code = tell(error)
    sys.exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main()
