"""`polyglitch evaluate capabilities`: the table of capabilities by system, of runs that are in a store."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from polyglitch.cli.say import say, say_json
from polyglitch.errors import UsageError

if TYPE_CHECKING:
    from polyglitch.results.tables import SystemColumn


@click.command(name="capabilities")
@click.argument("runs", nargs=-1)
@click.option("--store", default=None, help="The store of the runs, where RUN is an id alone.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The table as a file: .md")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(runs: tuple[str, ...], store: str | None, output: Path | None, as_json: bool) -> None:
    """Print how each capability came out in RUNS (an id, STORE:RUN, or STORE:), side by side.

    Beside capabilities of ALiCT stand the failure rates that its paper prints (tables 8 to 11).
    """
    from polyglitch.cli.several_systems import show_table
    from polyglitch.report.overview import markdown_overview
    from polyglitch.report.write import replacing
    from polyglitch.results.tables import published_rates

    if output is not None and output.suffix != ".md":
        raise UsageError(f"--output {str(output)!r}: the table is Markdown; give a name in .md")
    found = [column_of(name, store) for name in runs or ("",)]
    columns = [column for column, _ in found]
    commands = [command for _, command in found]
    titles = {result.title for column in columns for result in column.results}
    published = {title: told for title, told in published_rates().items() if title in titles}
    if output is not None:
        with replacing(output) as stream:
            stream.write(markdown_overview(columns, published=published))
            stream.write("\n```\n" + "\n".join(commands) + "\n```\n")
        say(f"table: {output}", err=as_json)
    if as_json:
        import msgspec

        told = {"systems": msgspec.to_builtins(columns), "published": published}
        say_json(told | {"commands": commands})
    else:
        show_table(columns, err=False, published=published)
        for command in commands:
            say(f"made by: {command}")


def column_of(name: str, store: str | None) -> tuple[SystemColumn, str]:
    """The column of one run, and the command that makes it again."""
    from polyglitch.results.answer import run_again
    from polyglitch.results.history import open_history, short_id
    from polyglitch.results.summary import capabilities_of
    from polyglitch.results.tables import SystemColumn

    history = open_history(name, store)
    with closing(history.store):
        results = capabilities_of(history.row["figures"])
        system = history.definition["systems"][0].split("|")[0]
        if not results:
            raise UsageError(
                f"run {history.run_id} of {system} tested no capability; run `polyglitch run --method alict` (or "
                "relations, or suite) first"
            )
        return SystemColumn(system, short_id(history), results), run_again(history)
