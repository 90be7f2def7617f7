"""`polyglitch evaluate meaning`: SemMT's tables from one's own readings, beside the published figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from polyglitch.cli.say import say_json
from polyglitch.errors import UsageError

# Best F on the 282 labelled round trips of the paper's RQ2 (its table for SemMT-R, -D and -H).
PUBLISHED = {"semmt-r": 0.563, "semmt-d": 0.502, "semmt-h": 0.529}
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(name="meaning")
@click.option("--round-trips", type=FILE, help="JSON lines: source, back, bug, held_out.")
@click.option("--descriptions", type=FILE, help="Description, tab, regex a line.")
@click.option("--style", type=click.Choice(["whole", "search"]), help="Conventions of the regexes.")
@click.option("--corpus", help="Count how many sentences quantify or relate something.")
@click.option("--metric", "metrics", multiple=True, help="Instead of SemMT's (repeatable).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    round_trips: Path | None,
    descriptions: Path | None,
    style: str | None,
    corpus: str | None,
    metrics: tuple[str, ...],
    as_json: bool,
) -> None:
    """Print how well round trips and descriptions are judged, and how common relations are."""
    from polyglitch.corpus.read import open_corpus
    from polyglitch.evaluate import meaning
    from polyglitch.results.intervals import wilson

    if not (round_trips or descriptions or corpus):
        raise UsageError(
            "nothing to evaluate; name --round-trips, --descriptions or --corpus (a file each)"
        )
    found: dict[str, Any] = {}
    if round_trips:
        rows = meaning.read_round_trips(round_trips)
        held = [row.bug for row in rows if row.held_out]
        found["round_trips"] = {"held_out": len(held), "bugs": sum(held)}
        found["metrics"] = [
            to_data(meaning.metric_row(name, rows)) for name in metrics or meaning.METRICS
        ]
    if descriptions:
        pairs = meaning.read_descriptions(descriptions)
        right, total = meaning.descriptions_right(pairs, style)  # type: ignore[arg-type]
        found["descriptions"] = {"right": right, "of": total, "interval": wilson(right, total)}
    if corpus:
        found["prevalence"] = meaning.prevalence(seed.input.text for seed in open_corpus(corpus))
    if as_json:
        say_json(found)
    else:
        show(found)


def to_data(row: Any) -> dict[str, Any]:
    """A row as plain data."""
    import msgspec

    data: dict[str, Any] = msgspec.to_builtins(row)
    return data


def show(found: dict[str, Any]) -> None:
    """The figures as tables."""
    from rich.table import Table

    from polyglitch.cli.display import wide_console

    console = wide_console()
    if "metrics" in found:
        about = found["round_trips"]
        title = f"{about['held_out']:,} round trips held out, {about['bugs']:,} bugs"
        table = Table(box=None, pad_edge=False, title=title, title_justify="left")
        heads = (
            "metric",
            "AUC (95%)",
            "F",
            "precision",
            "recall",
            "threshold",
            "F published (RQ2)",
        )
        for head in heads:
            table.add_column(head, justify="left" if head == "metric" else "right")
        for row in found["metrics"]:
            low, high = row["interval"]
            figures = (f"{row[key]:.3f}" for key in ("f", "precision", "recall", "threshold"))
            published = PUBLISHED.get(row["metric"])
            table.add_row(
                row["metric"],
                f"{row['auc']:.3f} ({low:.3f} to {high:.3f})",
                *figures,
                "-" if published is None else f"{published:.3f}",
            )
        console.print(table)
    if "descriptions" in found:
        row = found["descriptions"]
        low, high = row["interval"]
        share = row["right"] / row["of"]
        console.print(
            f"descriptions: {row['right']:,} of {row['of']:,} right, {share:.1%} ({low:.1%} to {high:.1%})"
        )
    if "prevalence" in found:
        about = found["prevalence"]
        for name in ("quantifier", "logic", "either"):
            row = about[name]
            low, high = row["interval"]
            console.print(
                f"{name}: {row['found']:,} of {about['sentences']:,} sentences, {row['share']:.1%} "
                f"({low:.1%} to {high:.1%}){', published: about one in six' if name == 'either' else ''}"
            )
