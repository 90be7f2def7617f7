"""`polyglitch evaluate efficiency`: what each rank makes of the same sentences and the same budget."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import click

from polyglitch.cli.main import say
from polyglitch.errors import UsageError


@click.command(name="efficiency")
@click.option("--system", required=True, help="What to test, by URI: firefox:en-pt, hf:..., ...")
@click.option("--corpus", required=True, help="Seeds: .txt .csv .tsv .jsonl, or `sample`.")
@click.option("--methods", default="sit,transrepair,cat", show_default=True, help="By comma.")
@click.option(
    "--ranks", default="none,random,gri,wali,ahead,adaptive", show_default=True, help="By comma."
)
@click.option("--lens", help="A model to look into in place of the system, for its ranks.")
@click.option("--limit", type=click.IntRange(1), help="At most so many seeds.")
@click.option("--budget", type=click.IntRange(1), help="At most so many distinct queries a run.")
@click.option(
    "--per-seed",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="At most so many tests a seed.",
)
@click.option("--draws", type=click.IntRange(1), default=5, show_default=True, help="Of `random`.")
@click.option(
    "--tests",
    type=click.IntRange(1),
    help="Compare ranks over the first so many tests of each [default: half of the shortest run].",
)
@click.option(
    "--bugs",
    type=click.IntRange(1),
    default=25,
    show_default=True,
    help="How many tests does it take to find so many bugs?",
)
@click.option(
    "--param",
    "params",
    multiple=True,
    metavar="METHOD.KEY=VALUE",
    help="Set a parameter (repeatable).",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Where random choices start.")
@click.option(
    "--store", default="polyglitch.sqlite", show_default=True, help="Where everything is kept."
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder for the pictures.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one JSON object.")
def command(output: Path | None, as_json: bool, **given: Any) -> None:
    """Success rate, bugs at a budget, tests for a number of bugs, and where the tests went."""
    from polyglitch.evaluate.rank_campaigns import compare_ranks, summarise

    if output is not None:
        from polyglitch.evaluate.efficiency import draw_pictures, need_matplotlib

        need_matplotlib()
    comparison = read(given)
    tests = list(compare_ranks(comparison, say=lambda line: say(line, err=True)))
    found: dict[str, Any] = {}
    for method in comparison.methods:
        own = [test for test in tests if test.method == method]
        found[method] = summarise(own, comparison.ranks, given["tests"], given["bugs"])
        if output is not None:
            budget = found[method]["budget"]
            for path in draw_pictures(own, comparison.ranks, method, budget, output):
                say(f"picture: {path}", err=True)
    say(
        json.dumps(found, ensure_ascii=False) if as_json else "\n\n".join(map(table, found.items()))
    )


def read(given: dict[str, Any]) -> Any:
    """The comparison that the options ask for."""
    from polyglitch.campaign import make_campaign
    from polyglitch.cli.run import nested
    from polyglitch.evaluate.rank_campaigns import RankComparison

    lists = {name: tuple(filter(None, given[name].split(","))) for name in ("methods", "ranks")}
    for name, values in lists.items():
        if not values:
            raise UsageError(f"--{name} is empty; name some by comma")
    keys = ("system", "corpus", "lens", "limit", "budget", "seed", "store")
    options = {key: given[key] for key in keys if given[key] is not None}
    options["parameters"] = nested(given["params"])
    campaign = make_campaign(options)
    return RankComparison(
        campaign=campaign, draws=given["draws"], per_seed=given["per_seed"], **lists
    )


def table(item: tuple[str, dict[str, Any]]) -> str:
    """The figures of one method for a person."""
    method, found = item
    budget, rows = found["budget"], found["ranks"]
    lines = [
        f"{method}: all tests, and the first {budget} of each rank; ratios to random, with a 95% interval",
        f"{'rank':<12}{'tests':>6}{'success':>9}{'ratio':>20}{'bugs in':>9} {budget:<5}{'success':>8}"
        f"{'ratio':>20}{'tests for':>11} {found['bugs']} bugs",
        *(row_line(rank, row) for rank, row in rows.items()),
        f"found in the first {budget} tests, and how many times what plain ({method}) and random orders found:",
        *(line for rank, row in rows.items() for line in found_lines(rank, row["found"])),
        "success of all tests by each published similarity alone:",
        *(shares_line(rank, row["success_by_metric"]) for rank, row in rows.items()),
        f"violations by each of them in the first {budget} tests, and times plain and random orders:",
        *(line for rank, row in rows.items() for line in found_lines(rank, row["by_metric"])),
        f"words in bugs of exactly these ranks in their first {budget} tests:",
        *(f"  {ranks:<44} {count}" for ranks, count in found["shared_words"].items()),
        "violations of tests by part of speech:",
        *(counts_line(rank, row["by_pos"]) for rank, row in rows.items()),
        "violations of tests by words of the sentence, and Spearman's rho of length and success:",
        *(
            f"{counts_line(rank, row['by_length'])}; rho {show_rho(row['length_rho'])}"
            for rank, row in rows.items()
        ),
    ]
    return "\n".join(lines)


def row_line(rank: str, row: dict[str, Any]) -> str:
    """A rank's line of the table; where chance was drawn several times, the mean of the draws."""
    needed = [n for n in row["tests_needed"] if n is not None]
    return (
        f"{rank:<12}{mean(row['tests']):>6.0f}{mean(row['success']):>9.1%}{show_ratio(row['ratio']):>20}"
        f"{mean(row['bugs_at_budget']):>12.1f}   {mean(row['success_at_budget']):>8.1%}"
        f"{show_ratio(row['ratio_at_budget']):>20}"
        f"{f'{mean(needed):.1f}' if needed else 'never':>11}"
    )


def found_lines(rank: str, found: dict[str, Any]) -> list[str]:
    """What a rank found, a line a measure."""
    return [
        f"  {rank if not place else '':<12}{name:<12}{mean(row['count']):>8.1f}"
        f"{show_ratio(row['to_none']):>22}{show_ratio(row['to_random']):>22}"
        for place, (name, row) in enumerate(found.items())
    ]


def shares_line(rank: str, shares: dict[str, float]) -> str:
    """A rank's success by each metric."""
    return f"  {rank:<12}{', '.join(f'{name} {share:.1%}' for name, share in shares.items())}"


def counts_line(rank: str, counts: dict[str, tuple[int, int]]) -> str:
    """A rank's violations of tests by some property of them."""
    parts = (f"{name} {bad} of {made}" for name, (bad, made) in counts.items())
    return f"  {rank:<12}{', '.join(parts)}"


def show_ratio(ratio: tuple[float, float, float] | None) -> str:
    """A ratio with its interval."""
    return "{:.2f} ({:.2f}-{:.2f})".format(*ratio) if ratio else ""


def show_rho(rho: float | None) -> str:
    """A correlation, or a dash without one."""
    return "-" if rho is None or math.isnan(rho) else f"{rho:.2f}"


def mean(values: list[float]) -> float:
    """The mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0
