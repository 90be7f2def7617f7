"""`polyglitch judge`: verdicts on saved outputs, without any system."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import click

from polyglitch.cli.main import say
from polyglitch.errors import UsageError


@click.command(name="judge")
@click.option(
    "-i",
    "--input",
    "source",
    required=True,
    help='.jsonl or .csv with "id", "source", "followup", "source_output", "followup_output"; - for JSONL on stdin.',
)
@click.option(
    "-o", "--output", "target", default="-", help=".jsonl or .csv; - for JSONL on stdout."
)
@click.option("--oracle", "name", default="witnesses", help="As `list oracles` names it.")
@click.option("--threshold", type=float, help="Instead of the oracle's own, where it has one.")
@click.option(
    "--lens",
    help="A model that says how likely it finds the outputs, for oracles that ask one: firefox:en-pt, gguf:FILE.",
)
@click.option(
    "--back",
    help="A model of the other direction, for oracles that ask one: firefox:pt-en; none for none.",
    show_default="that of the lens, where it has both directions",
)
@click.option("--judge", "adviser", help="A language model for a second opinion: openai:MODEL@URL.")
@click.option(
    "--judge-budget",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="Questions to it at most.",
)
@click.option(
    "--quality",
    help="A function that says how good translations of their sources are: python:my_metric.py:estimate.",
)
@click.option("-q", "--quiet", is_flag=True, help="No figures at the end.")
def command(
    source: str,
    target: str,
    name: str,
    threshold: float | None,
    lens: str | None,
    back: str | None,
    adviser: str | None,
    judge_budget: int,
    quality: str | None,
    quiet: bool,
) -> None:
    """Say of saved pairs of outputs which violate their relation, how surely, and why."""
    from polyglitch import registry
    from polyglitch.compare.judge import judge_all, read_csv, read_jsonl
    from polyglitch.systems.python_call import open_quality
    from polyglitch.tools import BudgetedJudge, Toolbox, open_back_lens, open_lens, open_system

    if source != "-" and not Path(source).is_file():
        raise UsageError(f"--input {source!r}: no such file")
    make = maker(registry.load("oracles", name), name, threshold)
    tools = Toolbox(
        lens=partial(open_lens, lens) if lens else None,
        back=partial(open_back_lens, back) if back else None,
        quality=open_quality(quality) if quality else None,
        judge=BudgetedJudge(open_system(adviser), judge_budget) if adviser else None,
    )
    table = source.endswith(".csv")
    with click.open_file(
        source, "r" if table else "rb", encoding="utf-8" if table else None
    ) as lines:
        pairs = read_csv(lines, source) if table else read_jsonl(lines, source)
        counts = write(judge_all(pairs, make, tools), target)
    if not quiet:
        say(
            f"{counts['pairs']} pairs: {counts['violated']} violated, {counts['undecided']} undecided "
            f"({make(None).signature})",
            err=True,
        )


def maker(factory: Any, name: str, threshold: float | None) -> Callable[[str | None], Any]:
    """The oracle for outputs of a language."""
    taken = signature(factory).parameters
    if threshold is not None and "threshold" not in taken:
        raise UsageError(
            f"--threshold {threshold}: the oracle {name!r} has no such setting; leave it out"
        )
    given = {} if threshold is None else {"threshold": threshold}

    def make(language: str | None) -> Any:
        return factory(**given, **({"language": language} if "language" in taken else {}))

    make(None)  # a bad threshold shows before any work
    return make


def write(rows: Iterable[dict[str, Any]], target: str) -> dict[str, int]:
    """Write the rows and count them."""
    from polyglitch.compare.judge import COLUMNS, as_cells

    counts = {"pairs": 0, "violated": 0, "undecided": 0}
    with click.open_file(target, "w", encoding="utf-8", atomic=target != "-") as out:
        table = csv.writer(out) if target.endswith(".csv") else None
        if table:
            table.writerow(COLUMNS)
        for row in rows:
            if table:
                table.writerow(as_cells(row))
            else:
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
            counts["pairs"] += 1
            counts["violated"] += row["violated"] is True
            counts["undecided"] += row["violated"] is None
    return counts
