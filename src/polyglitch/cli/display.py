"""What a run shows on the terminal: progress while it goes, a table when it ends."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from polyglitch.results.findings import Summary
from polyglitch.results.history import History
from polyglitch.run.budget import Progress as Step


@contextmanager
def progress_bar(hidden: bool = False) -> Iterator[Callable[[Step], None]]:
    """A bar over the seeds with counts of cases, queries a second, violations and errors."""
    if hidden:
        yield lambda _: None
        return
    bar = Progress(
        SpinnerColumn(),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("seeds · {task.fields[told]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
    with bar:
        task = bar.add_task("", total=None, told="loading")

        def watch(step: Step) -> None:
            seconds = bar.tasks[0].elapsed or 1e-9
            told = (
                f"{step.cases:,} cases · {step.queries:,} queries ({step.queries / seconds:,.0f}/s) · "
                f"{step.violations:,} violated"
            )
            if step.errors:
                told += f" · [red]{step.errors:,} errors[/red]"
            bar.update(task, completed=step.seeds, total=step.seeds_total, told=told)

        yield watch


def show_figures(summary: Summary, history: History, worst: int = 5) -> None:
    """What was found, in a short table, and the worst of it."""
    console = Console()
    table = Table(title=escape(summary.title), title_justify="left", box=None, pad_edge=False)
    for name in ("method", "cases", "hold", "violated", "undecided", "issues"):
        table.add_column(name, justify="left" if name == "method" else "right")
    for row in summary.methods:
        counts = (row.cases, row.holds, row.violated, row.undecided, row.issues)
        table.add_row(row.method, *(f"{count:,}" for count in counts))
    console.print(table)
    if summary.bugs:
        console.print(f"\n{summary.groups:,} suspected bugs; behind several issues:")
    for bug in summary.bugs[:worst]:
        told = f"  {len(bug.numbers):,} issues: {escape(visible(bug.title))}"
        console.print(told, highlight=False)
    for finding in islice(history.findings(), worst):
        trial, verdict = finding.violations[0]
        console.print()
        for item, output in zip(trial.case.inputs, trial.outputs, strict=True):
            console.print(f"  {escape(visible(item.text))}", highlight=False)
            console.print(f"    -> {escape(visible(output.text))}", style="cyan", highlight=False)
        why = "; ".join(verdict.reasons[:3])
        console.print(
            f"  {finding.issue.method}: {escape(visible(why))}", style="dim", highlight=False
        )
    console.print(
        f"\n{summary.queries:,} queries, {summary.cache_hits:,} from the store, {summary.errors:,} errors, "
        f"{summary.seconds:.1f} s",
        highlight=False,
    )
    for reason, count in list(summary.undecided_reasons.items())[:5]:
        console.print(f"undecided: {count:,} x {escape(visible(reason))}", highlight=False)
    for reason, count in summary.skipped.items():
        console.print(f"skipped rows: {count:,} x {escape(reason)}", highlight=False)
    for method, count in summary.without_case.items():
        console.print(f"{method} made no case of {count:,} seeds", highlight=False)
    if summary.unasked:
        console.print(f"not asked for want of budget: {summary.unasked:,} cases", highlight=False)
    if summary.issues:
        store = escape(shlex.quote(history.store.where))
        console.print(
            f"why each was raised, and is it a bug: polyglitch review --store {store}\n"
            f"fewer false alarms, from your labels: polyglitch calibrate --store {store}",
            style="dim",
            highlight=False,
            soft_wrap=True,
        )


def wide_console() -> Console:
    """A console for tables of figures: in a pipe they are not folded to 80 columns."""
    console = Console(highlight=False, markup=False)
    return console if console.is_terminal else Console(highlight=False, markup=False, width=140)


def visible(text: str) -> str:
    """Text without control characters, so that a system's output cannot drive the terminal."""
    return "".join(c if c.isprintable() else f"<{ord(c):04X}>" for c in text[:400])
