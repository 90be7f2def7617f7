"""`polyglitch evaluate WHAT`: figures about methods, oracles and ranks. Each WHAT is a module `evaluate_WHAT` here."""

from __future__ import annotations

from importlib import import_module

import click

from polyglitch.cli.main import with_example

TOPICS = ("capabilities", "efficiency", "labels", "meaning", "priority", "study")


class Topics(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, sorted."""
        return sorted(TOPICS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a topic."""
        if cmd_name not in TOPICS:
            from polyglitch.registry import suggest

            raise click.UsageError(
                f"nothing to evaluate is called {cmd_name!r}{suggest(cmd_name, TOPICS)}", ctx
            )
        command = import_module(f"polyglitch.cli.evaluate_{cmd_name}").command
        assert isinstance(command, click.Command)  # noqa: S101 - every such module defines one
        return with_example(command, f"evaluate {cmd_name}")


@click.command(name="evaluate", cls=Topics)
def command() -> None:
    """Measure how good methods, oracles and ranks are."""
