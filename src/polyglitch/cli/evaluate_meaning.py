"""`polyglitch evaluate meaning`: SemMT's tables from one's own readings, beside the published figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from polyglitch.cli.main import say_json
from polyglitch.errors import UsageError

if TYPE_CHECKING:
    from polyglitch.evaluate.meaning import RoundTrip

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(name="meaning")
@click.option(
    "--round-trips",
    type=FILE,
    multiple=True,
    help="JSON lines: source, back, bug, held_out, kind, through (repeatable).",
)
@click.option("--descriptions", type=FILE, help="Description, tab, regex a line.")
@click.option("--style", type=click.Choice(["whole", "search"]), help="Conventions of the regexes.")
@click.option(
    "--corpus",
    multiple=True,
    help="Count how many sentences quantify or relate something (repeatable).",
)
@click.option("--metric", "metrics", multiple=True, help="Instead of SemMT's (repeatable).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    round_trips: tuple[Path, ...],
    descriptions: Path | None,
    style: str | None,
    corpus: tuple[str, ...],
    metrics: tuple[str, ...],
    as_json: bool,
) -> None:
    """Print how well round trips and descriptions are judged, and how common relations are.

    Of round trips: each metric (table 3), what metrics find together (figures 7 and 8), SemMT-H by K (figure 12), bugs
    by kind (table 4), and by the system in the middle. Of a corpus: table 1.
    """
    from polyglitch.corpus.read import open_corpus
    from polyglitch.evaluate import meaning
    from polyglitch.results.tables import wilson

    if not (round_trips or descriptions or corpus):
        raise UsageError(
            "nothing to evaluate; name --round-trips, --descriptions or --corpus (a file each)"
        )
    found: dict[str, Any] = {}
    if round_trips:
        rows = [row for path in round_trips for row in meaning.read_round_trips(path)]
        found |= of_round_trips(rows, metrics or meaning.METRICS)
    if descriptions:
        pairs = meaning.read_descriptions(descriptions)
        right, total = meaning.descriptions_right(pairs, style)  # type: ignore[arg-type]
        found["descriptions"] = {"right": right, "of": total, "interval": wilson(right, total)}
    if corpus:
        found["prevalence"] = {
            name: meaning.prevalence(seed.input.text for seed in open_corpus(name))
            for name in corpus
        }
    if as_json:
        say_json(found)
    else:
        show(found)


def of_round_trips(rows: Sequence[RoundTrip], metrics: Sequence[str]) -> dict[str, Any]:
    """All that is told of round trips, as plain data."""
    import msgspec

    from polyglitch.evaluate import combinations, meaning

    held = [row for row in rows if row.held_out]
    bugs = [row.bug for row in held]
    reports = combinations.reports(metrics, rows)
    found = {
        "round_trips": {"held_out": len(held), "bugs": sum(bugs), "all": len(rows)},
        "metrics": [meaning.metric_row(name, rows) for name in metrics],
        "overlap": combinations.overlaps(reports, bugs),
        "improvement": combinations.improvements(reports, bugs),
        "k": combinations.hybrid_rows(rows),
        "kinds": combinations.by_kind(reports, held),
        "middles": meaning.by_middle(rows),
    }
    data: dict[str, Any] = msgspec.to_builtins(found)
    return data


def show(found: dict[str, Any]) -> None:
    """The figures as tables."""
    from polyglitch.cli.run import wide_console

    console = wide_console()
    if "metrics" in found:
        for one in round_trip_tables(found):
            console.print(one)
            console.print()
    if "descriptions" in found:
        row = found["descriptions"]
        share = interval_of(row["right"] / row["of"], row["interval"])
        console.print(f"descriptions: {row['right']:,} of {row['of']:,} right, {share}")
    if "prevalence" in found:
        console.print(prevalence_table(found["prevalence"]))


def round_trip_tables(found: dict[str, Any]) -> Iterable[Any]:
    """One table after the other."""
    from polyglitch.cli.run import visible
    from polyglitch.evaluate.combinations import published

    paper, about = published(), found["round_trips"]
    title = f"{about['held_out']:,} round trips held out, {about['bugs']:,} bugs"
    heads = ["metric", "AUC (95%)", "F", "precision", "recall", "threshold", "F published (RQ2)"]
    yield table(
        title,
        heads,
        (
            [
                row["metric"],
                f"{row['auc']:.3f} ({row['interval'][0]:.3f} to {row['interval'][1]:.3f})",
                *(f"{row[key]:.3f}" for key in ("f", "precision", "recall", "threshold")),
                figure(paper["f"].get(row["metric"])),
            ]
            for row in found["metrics"]
        ),
    )
    names = [row["metric"] for row in found["overlap"]]
    yield table(
        "Overlap: bugs that each finds, alone, and together with another (figure 7)",
        ["metric", "bugs", "alone", *names, "published"],
        (
            [row["metric"], f"{row['bugs']:,}", f"{row['alone']:,}"]
            + [str(row["shared"].get(name, "")) for name in names]
            + [paper["overlap"].get(row["metric"], "-")]
            for row in found["overlap"]
        ),
    )
    yield table(
        "Improvement where either may report (figure 8)",
        ["first + second", "bugs", "accuracy", "F", "published"],
        (improvement_cells(row, paper["improvement"]) for row in found["improvement"]),
    )
    yield table(
        "SemMT-H by K (figure 12)",
        ["K", "AUC", "F", "accuracy", "published"],
        (
            [
                f"{row['k']:.1f}",
                *(f"{row[key]:.3f}" for key in ("auc", "f", "accuracy")),
                "best" if row["k"] in paper["k"]["best"] else "",
            ]
            for row in found["k"]
        ),
    )
    yield table(
        "Bugs by kind, and how many each metric reports (table 4; published in brackets)",
        ["kind", "bugs", *names],
        (
            [visible(kind), *kind_cells(kind, counts, names, paper["kinds"])]
            for kind, counts in found["kinds"].items()
        ),
    )
    if len(found["middles"]) > 1:
        yield table(
            "By the middle",
            ["through", "trips", "bugs (95%)", "AUC of semmt-h, held out"],
            (
                [
                    visible(row["through"]),
                    f"{row['trips']:,}",
                    f"{row['bugs']:,}: {interval_of(row['share'], row['interval'])}",
                    figure(row["auc"]),
                ]
                for row in found["middles"]
            ),
        )


def improvement_cells(row: dict[str, Any], paper: dict[str, list[float]]) -> list[str]:
    """One pair of metrics."""
    given = paper.get(f"{row['first']} > {row['second']}")
    told = "-" if given is None else f"{given[0]:+.0f}, {given[1]:+.2f}, {given[2]:+.2f}"
    name = f"{row['first']} + {row['second']}"
    return [name, f"{row['bugs']:+,}", f"{row['accuracy']:+.3f}", f"{row['f']:+.3f}", told]


def kind_cells(
    kind: str, counts: dict[str, int], names: Sequence[str], paper: dict[str, list[Any]]
) -> list[str]:
    """The counts of one kind of bug."""
    given = paper.get(kind, [])
    known = dict(zip(["bugs", *paper["metrics"]], given, strict=True)) if given else {}
    return [
        f"{counts.get(name, 0):,}" + (f" ({known[name]})" if name in known else "")
        for name in ("bugs", *names)
    ]


def prevalence_table(found: dict[str, Any]) -> Any:
    """Table 1: one row a corpus."""
    from polyglitch.cli.run import visible
    from polyglitch.evaluate.combinations import published

    names = ("quantifier", "logic", "either")
    paper = published()["prevalence"]
    rows = [
        [
            visible(corpus),
            f"{row['sentences']:,}",
            *(interval_of(row[name]["share"], row[name]["interval"]) for name in names),
        ]
        for corpus, row in found.items()
    ]
    rows.append(["published", "3,767,833", *(f"{paper[name]:.1%}" for name in names)])
    title = "Sentences with quantifiers or logical relations (table 1)"
    return table(title, ["corpus", "sentences", *names], rows)


def table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Any:
    """A table whose first column is words."""
    from rich.table import Table

    made = Table(box=None, pad_edge=False, title=title, title_justify="left")
    for place, head in enumerate(heads):
        made.add_column(head, justify="right" if place else "left", no_wrap=True)
    for row in rows:
        made.add_row(*row)
    return made


def figure(value: float | None) -> str:
    """Three places, or a dash."""
    return "-" if value is None else f"{value:.3f}"


def interval_of(share: float, interval: Sequence[float]) -> str:
    """A share with its interval."""
    return f"{share:.1%} ({interval[0]:.1%} to {interval[1]:.1%})"
