"""Several systems, prompts or both directions of a pair in one `polyglitch run`: a run each, and one table of them."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from polyglitch.cli.main import say, say_json

if TYPE_CHECKING:
    from polyglitch.campaign import Campaign
    from polyglitch.results.tables import Column, Matrix, SystemColumn

METHODS = ["sit", "transrepair"]  # of `--both` where none is named


def all_campaigns(
    options: dict[str, Any], systems: Sequence[str], prompts: Sequence[str], file: Path | None
) -> list[Campaign]:
    """A campaign for each direction, prompt and system."""
    directions = both_directions(options, systems)
    uris = systems if len(directions) == 1 else ()
    return [one for some in directions for one in campaigns_of(some, uris, prompts, file)]


def both_directions(options: dict[str, Any], systems: Sequence[str]) -> list[dict[str, Any]]:
    """The options of `--both`: those of the system, and those of the way back, each with sentences of its language."""
    from polyglitch.errors import UsageError

    other = options.pop("back_corpus", None)
    if not options.pop("both", False):
        if other:
            raise UsageError(f"--back-corpus {other!r}: it is for --both, which tests --back too")
        return [options]
    back = options.get("back")
    if len(systems) != 1 or not back:
        raise UsageError(
            "--both tests a pair of systems, one for each direction: name one with --system and the other with --back"
        )
    named = {"methods": METHODS} | options
    source, target = options.get("source_language"), options.get("target_language")
    turned = {"system": back, "back": systems[0]}
    turned |= {"source_language": target} if target else {}
    turned |= {"target_language": source} if source else {}
    left = {
        key: value
        for key, value in named.items()
        if key not in ("source_language", "target_language")
    }
    return [
        {
            "system": systems[0],
            **named,
            "corpus": options.get("corpus") or bundled(systems[0], source),
        },
        left | turned | {"corpus": other or bundled(back, target)},
    ]


def bundled(system: str, language: str | None) -> str:
    """The bundled sentences in the language that a system reads."""
    from polyglitch.cli.demo import sentences
    from polyglitch.tools import open_system

    if language is None:
        opened = open_system(system)
        language = opened.languages[0]
        opened.close()
    return sentences(language)


def run_several(
    campaigns: Sequence[Campaign],
    *,
    as_json: bool = False,
    quiet: bool = False,
    verbose: bool = False,
) -> int:
    """Run each system, show them side by side, write the reports; the exit code."""
    from polyglitch.report.html import STDOUT, writer_for

    outputs = campaigns[0].output
    for path in outputs:
        writer_for(Path(path))
    found, columns, names = [], [], file_names([campaign.system for campaign in campaigns])
    for campaign, name in zip(campaigns, names, strict=True):
        data, column = one_system(campaign, name, quiet or as_json, verbose)
        found.append(data)
        columns.append(column)
    err = STDOUT in outputs
    if as_json:
        say_json({"systems": found})
    elif not quiet:
        show_table(columns, err)
    for path in outputs:
        if path != STDOUT:
            write_overview(Path(path), columns, names, err=err or as_json)
    return 1 if any(row["passed"] is False for row in found) else 0


def one_system(
    campaign: Campaign, name: str, hidden: bool, verbose: bool
) -> tuple[dict[str, Any], SystemColumn]:
    """The run of one system: its figures, its column of the table; its own reports are written."""
    from polyglitch.cli.run import as_data, progress_bar, warned
    from polyglitch.flow import finished
    from polyglitch.report.html import STDOUT, write_report
    from polyglitch.results.answer import corpus_in_words, degenerate_of, gate_of
    from polyglitch.results.history import short_id
    from polyglitch.results.summary import capabilities_of, summarise
    from polyglitch.results.tables import SystemColumn, method_results
    from polyglitch.store.store import shown

    with progress_bar(hidden=hidden or verbose) as watch:
        done = finished(campaign, warned(watch, verbose))
        with done as (history, figures):
            if campaign.output:
                command = shlex.join(["polyglitch", *(shown(word) for word in sys.argv[1:])])
                summary = summarise(history, command=command)
            for path in campaign.output:
                own = Path(path) if path == STDOUT else beside(Path(path), name)
                write_report(own, summary, history.findings())
            limits = campaign.fail_under, campaign.max_undecided, campaign.capability_limits
            gate = gate_of(figures, *limits)
            run = short_id(history)
            corpus = corpus_in_words(history.definition["corpus"]["name"])
    system = shown(campaign.system)
    for why in gate.failures:
        say(f"{system}: {why}", err=True)
    if not hidden:
        err = gate.passed is False or STDOUT in campaign.output
        say(f"{system}: {gate.sentence} Run {run}.", err=err)
    results = capabilities_of(figures) or method_results(figures.get("by_method", {}))
    column = SystemColumn(
        system,
        run,
        results,
        gate.cases,
        figures["violations"],
        gate.passed,
        corpus,
        degenerate_of(figures).sentence,
    )
    return {"system": system, **as_data(history.run_id, figures, gate)}, column


def file_names(systems: Sequence[str]) -> list[str]:
    """A name for the files of each system: its URI without what a file name cannot have, no two alike."""
    import re

    made: list[str] = []
    for system in systems:
        base = re.sub(r"[^\w.]+", "-", system).strip("-.")[:60] or "system"
        number = sum(name == base or name.startswith(f"{base}-again-") for name in made)
        made.append(f"{base}-again-{number}" if number else base)
    return made


def beside(path: Path, name: str) -> Path:
    """`report.html` and `vader` as `report-vader.html`."""
    return path.with_name(f"{path.stem}-{name}{path.suffix}")


def show_table(
    columns: Sequence[SystemColumn], err: bool, published: Mapping[str, str] | None = None
) -> None:
    """Failure rates by capability and system, with pass to fail; published rates beside."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from polyglitch.cli.run import visible
    from polyglitch.results.tables import table_rows

    rows = table_rows(columns)
    if not rows:
        return
    table = Table(
        box=None, pad_edge=False, title="Failed, rate (95%), pass to fail", title_justify="left"
    )
    table.add_column("capability")
    for column in columns:
        table.add_column(escape(visible(column.system)), justify="right")
    if published:
        table.add_column("published")
    for title, results in rows:
        beside = [published.get(title, "-")] if published else []
        table.add_row(escape(visible(title)), *(cell(result) for result in results), *beside)
    console, width = Console(stderr=err, emoji=False), 60 + 40 * len(columns)
    wide = Console(stderr=err, emoji=False, width=width + (70 if published else 0))
    (console if console.is_terminal else wide).print(table)


def cell(result: Any) -> str:
    """A result in short: `12 of 107: 11.2% (6.5 to 18.6), p2f 1`."""
    if result is None or result.rate is None:
        return "-"
    grown = f", p2f {result.pass_to_fail:,}" if result.expansions else ""
    return f"{result.failed:,} of {result.decided:,}: {result.rate_in_words}{grown}"


def write_overview(
    path: Path, columns: Sequence[SystemColumn], names: Sequence[str], err: bool
) -> None:
    """The table as the named file where its format has tables, with links to the report of each system."""
    from polyglitch.report.html import replacing
    from polyglitch.report.side_by_side import OVERVIEWS

    if write := OVERVIEWS.get(path.suffix.lower()):
        files = [beside(path, name).name for name in names]
        with replacing(path) as stream:
            stream.write(write(columns, files))
        say(f"report: {path}", err=err)
    else:
        for name in names:
            say(f"report: {beside(path, name)}", err=err)


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
    from polyglitch.report.side_by_side import matrix_writer, write_matrix
    from polyglitch.results.tables import Matrix

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
    from polyglitch.cli.run import progress_bar, warned
    from polyglitch.evaluate.regression import compare_outcomes
    from polyglitch.flow import finished
    from polyglitch.results.answer import degenerate_of, gate_of, look_at
    from polyglitch.results.tables import Column, make_cells

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
            look=look_at(history),
        )
    return column, outcomes


def show_matrix(matrix: Matrix) -> None:
    """The matrix on the terminal, and how to look at each run."""
    from rich.table import Table

    from polyglitch.cli.run import visible, wide_console
    from polyglitch.results.tables import rows_of

    head, *rows = rows_of(matrix)
    table = Table(*(visible(name) for name in head), box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(visible(text) for text in row))
    wide_console().print(table)
    for column in matrix.columns:
        say(f"{visible(column.name)}: {column.look}")
