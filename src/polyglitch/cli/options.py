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
