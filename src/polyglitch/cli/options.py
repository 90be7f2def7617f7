"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]


def one_run(command: Command) -> Command:
    """`--store` and `--run`: which run a command is about."""
    store = click.option("--store", default=None, help="The store of the run.")
    run = click.option(
        "--run",
        "run_id",
        default=None,
        help="Which run, by (the beginning of) its id; default the newest.",
    )
    return store(run(command))
