"""`polyglitch runs`: what a store holds."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from polyglitch.cli.main import say, say_json

if TYPE_CHECKING:
    from polyglitch.store.store import Store


@click.command(name="runs")
@click.option(
    "--store",
    default=None,
    help="The store.",
    show_default="that of polyglitch.toml, or polyglitch.sqlite",
)
@click.option("--json", "as_json", is_flag=True, help="An array of objects, the newest run first.")
def command(store: str | None, as_json: bool) -> None:
    """List the runs of a store, the newest first; their ids are what --run takes."""
    from polyglitch.results.history import open_store

    with closing(open_store(store)) as opened:
        rows = list_runs(opened)
    if as_json:
        say_json(rows, indent=1)
    elif rows:
        show(rows)
    else:
        say("no run yet; make one with `polyglitch run`")


def list_runs(store: Store) -> list[dict[str, Any]]:
    """Every run with its state and its figures."""
    from polyglitch.results.answer import gate_of
    from polyglitch.results.history import state_of

    rows = []
    for row in store.runs.rows():
        definition, figures = row["definition"], row["figures"]
        judged = figures.get("cases", 0)
        decided = judged - figures.get("undecided", 0)
        rows.append(
            {
                "run": row["id"],
                "when": row["created"],
                "state": state_of(row),
                "system": definition["systems"][0],
                "corpus": definition["corpus"]["name"],
                "methods": [method["name"] for method in definition["methods"]],
                "cases": judged,
                "holds": round(gate_of(figures).holds, 6) if decided else None,
                "degenerate": bool(figures.get("degenerate", {}).get("found")),
            }
        )
    return rows


def show(rows: list[dict[str, Any]]) -> None:
    """The runs as a table."""
    from rich.table import Table

    from polyglitch.cli.run import visible, wide_console

    table = Table(box=None, pad_edge=False)
    for name in ("run", "when", "state", "system", "corpus", "methods", "cases", "holds"):
        table.add_column(name, justify="right" if name in ("cases", "holds") else "left")
    for row in rows:
        held = "-" if row["holds"] is None else f"{row['holds']:.1%}"
        table.add_row(
            row["run"],
            row["when"].replace("T", " ")[:16],
            row["state"],
            visible(row["system"].split("|")[0]),
            visible(row["corpus"]),
            ", ".join(row["methods"]),
            f"{row['cases']:,}",
            f"{held}, degenerate" if row["degenerate"] else held,
        )
    wide_console().print(table)
