"""`polyglitch evaluate labels`: what reviewers' labels say of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from polyglitch.cli.main import one_run, say
from polyglitch.errors import UsageError


@click.command(name="labels")
@one_run
@click.option(
    "--join",
    type=click.Choice(["majority", "unanimous", "any"]),
    default="majority",
    show_default=True,
    help="One word from several reviewers; unsure abstains, a draw is disputed and left out.",
)
@click.option("--who", multiple=True, help="The labels of this reviewer alone (repeatable).")
@click.option("--top", default=3, show_default=True, type=click.IntRange(1), help="SIT's k.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The figures as a file: .json"
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    store: str | None,
    run_id: str | None,
    join: str,
    who: tuple[str, ...],
    top: int,
    output: Path | None,
    as_json: bool,
) -> None:
    """Print precision, recall, F and kinds of bugs of each method, from the labels given in `review`."""
    from polyglitch.results.history import open_history
    from polyglitch.results.judgements import Judgements

    if output is not None and output.suffix != ".json":
        raise UsageError(f"--output {str(output)!r}: the figures are JSON; give a name in .json")
    history = open_history(run_id or "", store)
    try:
        found = Judgements(history, join, who).figures(top)  # type: ignore[arg-type]
    finally:
        history.store.close()
    if not found["reviewers"]:
        by = f" by {', '.join(who)}" if who else ""
        raise UsageError(f"run {history.run_id} has no label{by}; give some in `polyglitch review`")
    text = json.dumps(found, ensure_ascii=False, indent=1)
    if output is not None:
        output.write_text(text + "\n", "utf-8")
    if as_json:
        say(text)
    else:
        show(found, top)


def show(found: dict[str, Any], top: int) -> None:
    """The figures as tables."""
    from polyglitch.cli.run import visible, wide_console

    console = wide_console()
    names = ", ".join(map(visible, found["reviewers"]))
    console.print(f"run {found['run']}, labels of {names}, joined by {found['join']}")
    console.print(figures_table(found, top))
    for name, row in rows_of(found).items():
        if row["recall"] is not None:
            without = row["without_issue"]
            console.print(
                f"{name}: of {without['sentences']:,} sentences without an issue {without['labelled']:,} are labelled, "
                f"{row['missed']:,} of them bugs; recall of the whole run about {told(row['recall_of_the_run'])}"
            )
    show_where(console, found)
    show_kinds(console, found)


def show_where(console: Any, found: dict[str, Any]) -> None:
    """In which output bugs are, and how many kinds they are of, where reviewers said."""
    for name, row in rows_of(found).items():
        wrong = {place: count for place, count in row["wrong"].items() if count}
        if set(wrong) - {"unsaid"}:
            told = ", ".join(f"{place} {count:,}" for place, count in wrong.items())
            console.print(f"{name}: wrong is {told}")
        if set(row["several_kinds"]) - {"1"}:
            told = ", ".join(f"{count:,} of {n}" for n, count in row["several_kinds"].items())
            console.print(f"{name}: bugs by how many kinds they are of: {told}")


def rows_of(found: dict[str, Any]) -> dict[str, Any]:
    """The figures of each method, and of all where there are several."""
    rows: dict[str, Any] = dict(found["methods"])
    return rows | {"all": found["all"]} if len(rows) > 1 else rows


def figures_table(found: dict[str, Any], top: int) -> Any:
    """A row a method."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    heads = ["method", "issues", "labelled", "bugs", "unsure", "disputed", "top-1"]
    heads += [f"top-{k}" for k in range(2, top + 1)]
    for name in (*heads, "recall", "F"):
        table.add_column(name, justify="left" if name == "method" else "right", no_wrap=True)
    for name, row in rows_of(found).items():
        counts = ("issues", "labelled", "bug", "unsure", "disputed")
        cells = [f"{row[key]:,}" for key in counts]
        cells += [told(cell) for cell in row["top"].values()]
        table.add_row(name, *cells, told(row["recall"]), told(row.get("f")))
    return table


def told(cell: dict[str, Any] | None) -> str:
    """A figure with its interval."""
    if cell is None or cell["value"] is None:
        return "-"
    low, high = cell["interval"]
    return f"{cell['value']:.2f} ({low:.2f}-{high:.2f})"


def show_kinds(console: Any, found: dict[str, Any]) -> None:
    """Bugs by kind and method, and who found what."""
    from rich.table import Table

    from polyglitch.cli.run import visible

    methods = list(found["methods"])
    if found["kinds"]:
        table = Table(box=None, pad_edge=False)
        for name in ("kind of bug", *methods):
            table.add_column(name, justify="left" if name == "kind of bug" else "right")
        for kind, counts in found["kinds"].items():
            table.add_row(visible(kind), *(f"{counts.get(name, 0):,}" for name in methods))
        console.print()
        console.print(table)
    shared = found["overlap"]
    if len(methods) > 1 and shared["bugs"]:
        console.print(f"\n{shared['bugs']:,} distinct bugs (a sentence and a kind)")
        for name, counts in shared["methods"].items():
            console.print(f"  {name}: {counts['bugs']:,}, {counts['alone']:,} found by it alone")
        for names, count in shared["sets"].items():
            if "+" in names:
                console.print(f"  {names.replace('+', ' and ')}: {count:,}")
