"""`polyglitch report`: the findings of a run as files."""

from __future__ import annotations

from pathlib import Path

import click

from polyglitch.errors import UsageError


@click.command(name="report")
@click.option("--store", default=None, help="The store of the run.")
@click.option(
    "--run",
    "run_id",
    default=None,
    help="Which run, by (the beginning of) its id; default the newest.",
)
@click.option(
    "-o",
    "--output",
    multiple=True,
    default=("report.html",),
    show_default=True,
    help=".html .jsonl .csv .md .xml .sarif",
)
@click.option("--title", default="", help="The heading.")
def command(store: str | None, run_id: str | None, output: tuple[str, ...], title: str) -> None:
    """Write the findings of a run as a page, a table or lines of JSON."""
    from polyglitch.campaign import find_file, make_campaign
    from polyglitch.history import History
    from polyglitch.report.write import write_report, writer_for
    from polyglitch.store.store import Store

    for path in output:
        writer_for(Path(path))
    where = store or make_campaign({}, find_file()).store
    if "://" not in where and not Path(where).is_file():
        raise UsageError(f"--store {where!r}: no such file; `polyglitch run` makes one")
    opened = Store(where)
    try:
        history = History(opened, run_id)
        for path in output:
            write_report(Path(path), history.summary(title), history.findings())
            click.echo(f"report: {path}")
    finally:
        opened.close()
