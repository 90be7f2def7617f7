"""`polyglitch review`: look at the issues of a run in the browser and label them."""

from __future__ import annotations

import os
import sys
from contextlib import closing, suppress

import click

from polyglitch.cli.options import one_run
from polyglitch.cli.say import say

PASSWORD = "POLYGLITCH_PASSWORD"  # noqa: S105 - the name of the variable


@click.command(name="review")
@one_run
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
    """Open home in the browser: all runs, how they went, and their issues to review; with --run that review.

    Only this machine can reach the page, unless --host names another address: then a password is asked
    for, or taken from POLYGLITCH_PASSWORD.
    """
    from polyglitch.results.history import open_history
    from polyglitch.review.serve import needs_password, serve
    from polyglitch.store.database import shown

    history = open_history(run_id or "", store)
    password = os.environ.get(PASSWORD, "")
    if not password and needs_password(host) and sys.stdin.isatty():
        password = click.prompt(
            f"Password for reviewers at {host}", hide_input=True, confirmation_prompt=True
        )

    def ready(address: str) -> None:
        address += "" if run_id else "home"
        say(f"review: {address}  (stop with Ctrl-C)")
        if open_browser:
            click.launch(address)

    with closing(history.store):
        with suppress(KeyboardInterrupt):  # the way to stop it, and no failure
            serve(
                history.store,
                history.run_id,
                host=host,
                port=port,
                password=password,
                allowed_hosts=allowed,
                say=lambda text: say(text, err=True),
                ready=ready,
            )
        say(f"\nGoodbye. Labels are kept in {shown(history.store.where)}.")
