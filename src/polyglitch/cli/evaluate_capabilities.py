"""`polyglitch evaluate capabilities`: the table of capabilities by system, of runs that are in a store."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from polyglitch.cli.main import say, say_json
from polyglitch.errors import UsageError

if TYPE_CHECKING:
    from polyglitch.results.history import History
    from polyglitch.results.tables import SystemColumn


@click.command(name="capabilities")
@click.argument("runs", nargs=-1)
@click.option("--store", default=None, help="The store of the runs, where RUN is an id alone.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The table as a file: .md")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(runs: tuple[str, ...], store: str | None, output: Path | None, as_json: bool) -> None:
    """Print how each capability came out in RUNS (an id, STORE:RUN, or STORE:), side by side.

    STORE: stands for the newest finished run of each system that was given the same tests as the last one was.

    Beside capabilities of ALiCT stand the failure rates that its paper prints (tables 8 to 11).
    """
    from polyglitch.cli.several_systems import show_table
    from polyglitch.report.html import replacing
    from polyglitch.report.side_by_side import markdown_overview
    from polyglitch.results.tables import published_rates

    if output is not None and output.suffix != ".md":
        raise UsageError(f"--output {str(output)!r}: the table is Markdown; give a name in .md")
    found = [column for name in runs or ("",) for column in columns_of(name, store)]
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


def columns_of(name: str, store: str | None) -> list[tuple[SystemColumn, str]]:
    """The columns of one run, or of each system's newest where none is named; with the command that makes it again."""
    from polyglitch.results.history import History, open_history

    history = open_history(name, store)
    with closing(history.store):
        if name and not name.endswith(":"):
            return [column_of(history)]
        newest: dict[str, History] = {}
        for row in history.store.runs.rows():
            other = History(history.store, row["id"])
            alike = tests_of(other) == tests_of(history) and other.finished
            if alike:
                newest.setdefault(system_of(other), other)
        return [column_of(one) for one in reversed(newest.values())]


def tests_of(history: History) -> tuple[str, tuple[str, ...], int]:
    """What a run was given: its corpus, the methods that made tests of it, and how many seeds they had."""
    definition = history.definition
    methods = tuple(method["name"] for method in definition["methods"])
    return str(definition["corpus"]), methods, int(history.row["figures"].get("seeds", 0))


def system_of(history: History) -> str:
    """The system of a run as a person names it, without what it was made of."""
    return str(history.definition["systems"][0].split("|")[0].split("#")[0])


def column_of(history: History) -> tuple[SystemColumn, str]:
    """The column of one run, and the command that makes it again."""
    from polyglitch.results.answer import run_again
    from polyglitch.results.history import short_id
    from polyglitch.results.summary import capabilities_of
    from polyglitch.results.tables import SystemColumn

    results = capabilities_of(history.row["figures"])
    if not results:
        raise UsageError(
            f"run {history.run_id} of {system_of(history)} tested no capability; run `polyglitch run --method alict` "
            "(or relations, or suite) first"
        )
    return SystemColumn(system_of(history), short_id(history), results), run_again(history)
