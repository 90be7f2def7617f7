"""The command line: `polyglitch COMMAND`. Each command is a file here that only parses; work is done elsewhere."""

from __future__ import annotations

import sys
from importlib import import_module

import click

from polyglitch import __version__
from polyglitch.cli.options import with_example
from polyglitch.cli.say import say
from polyglitch.errors import PolyglitchError

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
        from polyglitch.cli.say import tell

        code = tell(error)
    sys.exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main()
