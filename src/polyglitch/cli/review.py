"""`polyglitch review`: look at the issues of a run in the browser and label them."""

from __future__ import annotations

import os
import sys
from contextlib import closing, suppress
from pathlib import Path

import click

from polyglitch.cli.main import one_run, say

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
@click.option(
    "--study",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Read the tests of this file (of `generate`) instead: label, relevance, validity.",
)
@click.option(
    "--readings",
    default="readings.jsonl",
    show_default=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where a study keeps what readers say.",
)
@click.option("--sample", default=200, show_default=True, help="Tests of a study, drawn evenly.")
def command(
    store: str | None,
    run_id: str | None,
    host: str,
    port: int,
    allowed: tuple[str, ...],
    open_browser: bool,
    study: Path | None,
    readings: Path,
    sample: int,
) -> None:
    """Open home in the browser: all runs, how they went, and their issues to review; with --run that review.

    Only this machine can reach the page, unless --host names another address: then a password is asked
    for, or taken from POLYGLITCH_PASSWORD.
    """
    from polyglitch.results.history import NEWEST, open_history
    from polyglitch.review.serve import serve, serve_study
    from polyglitch.store.store import shown

    def ready(address: str) -> None:
        address += "" if run_id or study else "home"
        say(f"review: {address}  (stop with Ctrl-C)")
        if open_browser:
            click.launch(address)

    if study is not None:
        from polyglitch.evaluate.study import read_tests
        from polyglitch.review.study import Study

        tests = read_tests(study, sample)
        titles = {test.capability_title for test in tests}
        desk = Study(tests, readings, suite_of(study, titles))
        password = password_for(host)
        with suppress(KeyboardInterrupt):
            serve_study(
                desk,
                host=host,
                port=port,
                password=password,
                allowed_hosts=allowed,
                ready=ready,
            )
        say(f"\nGoodbye. Figures: polyglitch evaluate study {readings}")
        return
    history = open_history(run_id or NEWEST, store)  # home also shows a first run that goes on
    password = password_for(host)
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


def password_for(host: str) -> str:
    """The password of the environment; asked for where others can reach the page."""
    from polyglitch.review.serve import needs_password

    password = os.environ.get(PASSWORD, "")
    if not password and needs_password(host) and sys.stdin.isatty():
        password = click.prompt(
            f"Password for reviewers at {host}", hide_input=True, confirmation_prompt=True
        )
    return password


def suite_of(tests: Path, titles: set[str]) -> str:
    """The suite that a file of tests is named after or made of: its published figures stand beside ours."""
    from polyglitch.mutate.capabilities.spec import load_suite

    for name in ("sentiment", "hate"):
        if name in tests.stem or titles <= {each.title for each in load_suite(name)}:
            return name
    return ""
