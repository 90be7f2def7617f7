"""`polyglitch review`: look at the issues of a run in the browser and label them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from polyglitch.errors import UsageError

PASSWORD = "POLYGLITCH_PASSWORD"  # noqa: S105 - the name of the variable


@click.command(name="review")
@click.option("--store", default=None, help="The store of the run.")
@click.option(
    "--run",
    "run_id",
    default=None,
    help="Which run, by (the beginning of) its id; default the newest.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Where to listen; others need a password.",
)
@click.option("--port", default=8765, show_default=True, help="0 for any that is free.")
@click.option(
    "--allow-host", "allowed", multiple=True, help="A further name of this server (repeatable)."
)
@click.option("--open", "open_browser", is_flag=True, help="Open the page in a browser.")
def command(
    store: str | None,
    run_id: str | None,
    host: str,
    port: int,
    allowed: tuple[str, ...],
    open_browser: bool,
) -> None:
    """Review the issues of a run in the browser.

    Only this machine can reach the page, unless --host names another address: then a password is asked
    for, or taken from POLYGLITCH_PASSWORD.
    """
    from polyglitch.campaign import find_file, make_campaign
    from polyglitch.review.serve import needs_password, serve
    from polyglitch.store.store import Store

    where = store or make_campaign({}, find_file()).store
    if "://" not in where and not Path(where).is_file():
        raise UsageError(f"--store {where!r}: no such file; `polyglitch run` makes one")
    password = os.environ.get(PASSWORD, "")
    if not password and needs_password(host) and sys.stdin.isatty():
        password = click.prompt(
            f"Password for reviewers at {host}", hide_input=True, confirmation_prompt=True
        )

    def ready(address: str) -> None:
        click.echo(f"review: {address}  (stop with Ctrl-C)")
        if open_browser:
            click.launch(address)

    opened = Store(where)
    try:
        serve(
            opened,
            run_id,
            host=host,
            port=port,
            password=password,
            allowed_hosts=allowed,
            say=lambda text: click.echo(text, err=True),
            ready=ready,
        )
    finally:
        opened.close()
