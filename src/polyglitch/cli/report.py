"""`polyglitch report`: the findings of a run as files."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from polyglitch.cli.options import one_run


@click.command(name="report")
@one_run
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
    from polyglitch.report.write import write_report, writer_for
    from polyglitch.results.history import open_history
    from polyglitch.results.summary import summarise

    for path in output:
        writer_for(Path(path))
    history = open_history(run_id or "", store)
    with closing(history.store):
        summary = summarise(history, title)
        for path in output:
            write_report(Path(path), summary, history.findings())
            click.echo(f"report: {path}")
