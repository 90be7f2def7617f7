"""`polyglitch evaluate study`: ALiCT's consistency study (table 7) from readings, and how far readers agree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from polyglitch.cli.main import say, say_json
from polyglitch.errors import UsageError


@click.command(name="study")
@click.argument("readings", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--who", multiple=True, help="The readings of this reader alone (repeatable).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(readings: tuple[Path, ...], who: tuple[str, ...], as_json: bool) -> None:
    """Print how right, relevant, valid and natural tests are by what people said (`review --study`)."""
    import msgspec

    from polyglitch.evaluate.study import agreements, joint_words, read_readings, study_rows

    rows = [one for path in readings for one in read_readings(path)]
    rows = [one for one in rows if not who or one.reader in who]
    if not rows:
        by = f" by {', '.join(who)}" if who else ""
        raise UsageError(f"no reading{by} in {', '.join(map(str, readings))}")
    agreed = {name: agreements(pairs) for name, pairs in joint_words(rows).items()}
    found: dict[str, Any] = {
        "readers": sorted({one.reader for one in rows}),
        "rows": msgspec.to_builtins(study_rows(rows)),
        "agreement": msgspec.to_builtins(agreed),
    }
    if as_json:
        say_json(found)
    else:
        show(found)


def show(found: dict[str, Any]) -> None:
    """The figures as tables."""
    from rich.table import Table

    from polyglitch.cli.run import visible, wide_console

    console = wide_console()
    console.print(
        f"read by {', '.join(map(visible, found['readers']))}; published: table 7 of ALiCT"
    )
    table = Table(box=None, pad_edge=False)
    heads = ["tests", "label right (95%)", "published", "relevant", "published"]
    heads += ["valid", "published", "natural (95%)"]
    for name in ("suite", "type", *heads):
        table.add_column(name, justify="left" if name in ("suite", "type") else "right")
    for row in found["rows"]:
        paper = [told(value) for value in row["published"] or (None, None, None)]
        table.add_row(
            visible(row["suite"]) or "-",
            row["type"],
            f"{row['tests']:,}",
            told(row["label"], row["label_interval"]),
            paper[0],
            told(row["relevance"]),
            paper[1],
            told(row["validity"]),
            paper[2],
            told(row["natural"], row["natural_interval"]),
        )
    console.print(table)
    show_agreement(found)


def show_agreement(found: dict[str, Any]) -> None:
    """How far every two readers agree."""
    from polyglitch.cli.run import visible
    from polyglitch.evaluate.study import in_words

    for field, pairs in found["agreement"].items():
        for pair in pairs:
            kappa = pair["kappa"]
            beyond = "no kappa: one word explains all" if kappa is None else f"kappa {kappa:.2f}"
            beyond += "" if kappa is None else f", {in_words(kappa)}"
            names = f"{visible(pair['first'])} and {visible(pair['second'])}"
            say(f"{field}: {names} agree on {pair['agreed']:,} of {pair['both']:,} ({beyond})")
    if not found["agreement"]:
        say("one reader: no agreement to measure; a second reads the same file under another name")


def told(value: float | None, interval: Any = None) -> str:
    """A figure, with its interval where it has one."""
    if value is None:
        return "-"
    return f"{value:.3f}" + (f" ({interval[0]:.3f} to {interval[1]:.3f})" if interval else "")
