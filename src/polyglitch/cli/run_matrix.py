"""Several prompts and systems in one `polyglitch run`: a run each, and a matrix of what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from polyglitch.cli.say import say, say_json

if TYPE_CHECKING:
    from polyglitch.campaign import Campaign
    from polyglitch.results.matrix import Column, Matrix


def campaigns_of(
    options: dict[str, Any], systems: Sequence[str], prompts: Sequence[str], file: Path | None
) -> list[Campaign]:
    """A campaign for each prompt with each system; a promptfoo configuration brings prompts, systems and rows."""
    from polyglitch.campaign import make_campaign
    from polyglitch.files.promptfoo import ENDINGS, read_promptfoo

    asked: list[str] = []
    for prompt in prompts:
        if not prompt.endswith(ENDINGS):
            asked.append(prompt)
            continue
        config = read_promptfoo(prompt)
        asked += [f"{prompt}#{number}" for number in range(1, len(config.prompts) + 1)]
        systems = systems or config.systems
        if config.rows:
            options = {"corpus": prompt} | options
    prompts = asked
    return [
        make_campaign(
            options
            | ({"system": system} if system else {})
            | ({"prompt": prompt} if prompt else {}),
            file,
        )
        for prompt in prompts or ("",)
        for system in systems or ("",)
    ]


def run_matrix(campaigns: Sequence[Campaign], *, as_json: bool, quiet: bool, verbose: bool) -> int:
    """Run each, show and write the matrix; the exit code is that of the gate of them all."""
    from polyglitch.report.matrix import matrix_writer, write_matrix
    from polyglitch.results.matrix import Matrix

    outputs = [Path(name) for name in campaigns[0].output]
    for path in outputs:  # a wrong extension shows before the runs, not after them
        matrix_writer(path)
    columns: list[Column] = []
    before: list[tuple[str, str, str]] = []
    for campaign in campaigns:
        column, outcomes = run_one(campaign, before, quiet=quiet or as_json, verbose=verbose)
        before = before or outcomes
        columns.append(column)
    matrix = Matrix(tuple(columns))
    for path in outputs:
        write_matrix(path, matrix)
        say(f"report: {path}", err=as_json)
    if as_json:
        say_json(msgspec.to_builtins(matrix))
    elif not quiet:
        show_matrix(matrix)
    return 1 if any(column.passed is False for column in columns) else 0


def run_one(
    campaign: Campaign, before: list[tuple[str, str, str]], *, quiet: bool, verbose: bool
) -> tuple[Column, list[tuple[str, str, str]]]:
    """The column of one campaign, and how its cases came out."""
    from polyglitch.cli.display import progress_bar
    from polyglitch.cli.run import warned
    from polyglitch.evaluate.regression import compare_outcomes
    from polyglitch.flow import finished
    from polyglitch.results.gate import degenerate_of, gate_of
    from polyglitch.results.matrix import Column, make_cells

    with (
        progress_bar(hidden=quiet or verbose) as watch,
        finished(campaign, warned(watch, verbose)) as (history, figures),
    ):
        outcomes = list(history.store.verdicts.case_outcomes(history.run_id))
        against = {}
        if before:
            found = compare_outcomes(before, outcomes)
            against = {"fixed": found.fixed, "broken": found.broken, "p_value": found.p_value}
        gate = gate_of(figures, campaign.fail_under, campaign.max_undecided)
        column = Column(
            prompt=campaign.prompt or "",
            system=history.definition["systems"][0].partition("|")[0],
            run=history.run_id,
            cells=make_cells(figures["by_relation"]),
            latency=figures.get("latency", {}),
            tokens=figures.get("tokens", {}),
            cost=figures.get("cost", 0.0),
            passed=gate.passed,
            alarm=degenerate_of(figures).sentence,
            against=against,
        )
    return column, outcomes


def show_matrix(matrix: Matrix) -> None:
    """The matrix on the terminal, and how to look at each run."""
    from rich.table import Table

    from polyglitch.cli.display import visible, wide_console
    from polyglitch.results.matrix import rows_of

    head, *rows = rows_of(matrix)
    table = Table(*(visible(name) for name in head), box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(visible(text) for text in row))
    wide_console().print(table)
    for column in matrix.columns:
        say(f"{visible(column.name)}: polyglitch report --run {column.run}")
