"""`polyglitch evaluate efficiency`: what each rank makes of the same sentences and the same budget."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from polyglitch.errors import UsageError


@click.command(name="efficiency")
@click.option("--system", required=True, help="What to test, by URI: firefox:en-pt, hf:..., ...")
@click.option("--corpus", required=True, help="Seeds: .txt .csv .tsv .jsonl, or `sample`.")
@click.option("--methods", default="sit,transrepair", show_default=True, help="By comma.")
@click.option("--ranks", default="none,random,gri,wali", show_default=True, help="By comma.")
@click.option("--limit", type=click.IntRange(1), help="At most so many seeds.")
@click.option("--budget", type=click.IntRange(1), help="At most so many distinct queries a run.")
@click.option("--per-seed", type=click.IntRange(1), default=5, show_default=True)
@click.option("--draws", type=click.IntRange(1), default=5, show_default=True, help="Of `random`.")
@click.option("--tests", type=click.IntRange(1), default=200, show_default=True, help="Bugs at?")
@click.option("--bugs", type=click.IntRange(1), default=50, show_default=True, help="Tests for?")
@click.option("--param", "params", multiple=True, metavar="METHOD.KEY=VALUE")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--store", default="polyglitch.sqlite", show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder for the pictures.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one JSON object.")
def command(output: Path | None, as_json: bool, **given: Any) -> None:
    """Success rate, bugs at a budget, tests for a number of bugs, and where the tests went."""
    from polyglitch.efficiency import compare_ranks, summarise

    if output is not None:
        from polyglitch.evaluate.efficiency_picture import draw_pictures, need_matplotlib

        need_matplotlib()
    comparison = read(given)
    tests = list(compare_ranks(comparison, say=lambda line: click.echo(line, err=True)))
    found: dict[str, Any] = {}
    for method in comparison.methods:
        own = [test for test in tests if test.method == method]
        found[method] = summarise(own, comparison.ranks, given["tests"], given["bugs"])
        if output is not None:
            for path in draw_pictures(own, comparison.ranks, method, output):
                click.echo(f"picture: {path}", err=True)
    click.echo(
        json.dumps(found, ensure_ascii=False) if as_json else "\n\n".join(map(table, found.items()))
    )


def read(given: dict[str, Any]) -> Any:
    """The comparison that the options ask for."""
    from polyglitch.campaign import make_campaign
    from polyglitch.cli.run import nested
    from polyglitch.efficiency import Comparison

    lists = {name: tuple(filter(None, given[name].split(","))) for name in ("methods", "ranks")}
    for name, values in lists.items():
        if not values:
            raise UsageError(f"--{name} is empty; name some by comma")
    keys = ("system", "corpus", "limit", "budget", "seed", "store")
    options = {key: given[key] for key in keys if given[key] is not None}
    options["parameters"] = nested(given["params"], {})
    campaign = make_campaign(options)
    return Comparison(campaign=campaign, draws=given["draws"], per_seed=given["per_seed"], **lists)


def table(item: tuple[str, dict[str, Any]]) -> str:
    """The figures of one method for a person."""
    method, found = item
    at, bugs = f"bugs at {found['budget']}", f"tests for {found['bugs']}"
    lines = [
        f"{method}",
        f"{'rank':<12}{'tests':>7}{'success':>9}{'ratio to random (95%)':>24}{at:>14}{bugs:>15}{'length rho':>12}",
    ]
    for rank, row in found["ranks"].items():
        needed = [n for n in row["tests_needed"] if n is not None]
        ratio = "{:.2f} ({:.2f} to {:.2f})".format(*row["ratio"]) if row["ratio"] else ""
        rho = "" if row["length_rho"] is None else f"{row['length_rho']:.2f}"
        lines.append(
            f"{rank:<12}{mean(row['tests']):>7.0f}{mean(row['success']):>9.1%}{ratio:>24}"
            f"{mean(row['bugs_at_budget']):>14.1f}{f'{mean(needed):.1f}' if needed else 'never':>15}{rho:>12}"
        )
    lines.append("tokens replaced by exactly these ranks:")
    lines += [f"  {ranks:<32} {count}" for ranks, count in found["shared_tokens"].items()]
    lines.append("violations of tests by part of speech:")
    for rank, row in found["ranks"].items():
        parts = (f"{pos} {bad} of {made}" for pos, (bad, made) in row["by_pos"].items())
        lines.append(f"  {rank:<12}{', '.join(parts)}")
    return "\n".join(lines)


def mean(values: list[float]) -> float:
    """The mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0
