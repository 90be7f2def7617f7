"""What a run shows on the terminal: progress while it goes, a table when it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from polyglitch.results.answer import degenerate_of
from polyglitch.results.findings import Summary
from polyglitch.results.history import History
from polyglitch.results.tables import CapabilityResult
from polyglitch.run.budget import Progress as Step


@contextmanager
def progress_bar(hidden: bool = False) -> Iterator[Callable[[Step], None]]:
    """A bar over the queries, those that are done of those that are known; nothing where it goes into a pipe."""
    console = Console(stderr=True, emoji=False)
    if hidden or not console.is_terminal:
        yield lambda _: None
        return
    bar = Progress(
        SpinnerColumn(),
        BarColumn(),
        TextColumn("{task.fields[told]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=None, told="loading")

        def watch(step: Step) -> None:
            if step.stage == "run":
                total = step.queries_expected or None
                bar.update(task, completed=step.queries, total=total, told=how_far(step))

        yield watch


def how_far(step: Step, plain: bool = False) -> str:
    """A run's progress in words: `12/250 queries`, or `12/~900` while seeds are still to come."""
    guess = "~" if step.queries_expected > step.queries_known else ""
    told = (
        f"{step.queries:,}/{guess}{step.queries_expected:,} queries · {step.cases:,} cases judged · "
        f"{step.violations:,} violated"
    )
    errors = f"{step.errors:,} errors" if plain else f"[red]{step.errors:,} errors[/red]"
    return f"{told} · {errors}" if step.errors else told


def show_figures(summary: Summary, history: History, worst: int = 5, err: bool = False) -> None:
    """What was found, in a short table, and the worst of it; first of all what makes it void."""
    console = Console(stderr=err, emoji=False)
    for alarm in summary.alarms:
        console.print(escape(visible(alarm)), style="bold red", highlight=False, soft_wrap=True)
    example = degenerate_of(history.row["figures"]).example
    if summary.alarms and example:
        console.print(f"  most often: {escape(visible(example))}", highlight=False)
    table = Table(title=escape(summary.title), title_justify="left", box=None, pad_edge=False)
    for name in ("method", "cases", "hold", "violated", "undecided", "issues"):
        table.add_column(name, justify="left" if name == "method" else "right")
    for row in summary.methods:
        counts = (row.cases, row.holds, row.violated, row.undecided, row.issues)
        table.add_row(row.method, *(f"{count:,}" for count in counts))
    console.print(table)
    if summary.capabilities:
        console.print()
        wide = console if console.is_terminal else Console(stderr=err, emoji=False, width=140)
        wide.print(capability_table(summary.capabilities))
        if len(summary.capabilities) > MOST_CAPABILITIES:
            more = len(summary.capabilities) - MOST_CAPABILITIES
            console.print(f"and {more} that fail less: in the report", highlight=False)
    if summary.bugs:
        bugs = "bug" if summary.groups == 1 else "bugs"
        console.print(f"\n{summary.groups:,} suspected {bugs}; behind several issues:")
    for bug in summary.bugs[:worst]:
        told = f"  {len(bug.numbers):,} issues: {escape(visible(bug.title))}"
        console.print(told, highlight=False)
    for finding in islice(history.merged_findings(), worst):
        trial, verdict = finding.violations[0]
        console.print()
        for item, output in zip(trial.case.inputs, trial.outputs, strict=True):
            console.print(f"  {escape(visible(item.text))}", highlight=False, soft_wrap=True)
            console.print(
                f"    -> {escape(visible(output.said))}",
                style="cyan",
                highlight=False,
                soft_wrap=True,
            )
        why = "; ".join(verdict.reasons[:3]) or verdict.reason
        tested = str(trial.case.data.get("title") or ", ".join(finding.methods))
        console.print(
            f"  {escape(visible(tested))}: {escape(visible(why))}",
            style="dim",
            highlight=False,
            soft_wrap=True,
        )
    stages = ", ".join(
        f"{name} {spent:.1f}" for name, spent in summary.stages.items() if spent >= 0.05
    )
    console.print(
        f"\n{summary.queries:,} queries, {summary.cache_hits:,} from the store, {summary.errors:,} errors, "
        f"{summary.seconds:.1f} s{f' ({stages})' if stages else ''}",
        highlight=False,
    )
    for reason, count in list(summary.undecided_reasons.items())[:5]:
        console.print(
            f"undecided: {count:,} x {escape(visible(reason))}", highlight=False, soft_wrap=True
        )
    for reason, count in summary.skipped.items():
        console.print(f"skipped rows: {count:,} x {escape(reason)}", highlight=False)
    for note in summary.without_case_notes:
        console.print(escape(note), highlight=False, soft_wrap=True)
    if summary.unasked:
        console.print(f"not asked for want of budget: {summary.unasked:,} cases", highlight=False)


MOST_CAPABILITIES = 16  # rows on a screen; those that fail most


def capability_table(results: Sequence[CapabilityResult]) -> Table:
    """The capabilities that fail most, under their titles."""
    table = Table(box=None, pad_edge=False)
    for name in ("capability", "cases", "failed", "rate (95%)", "undecided", "pass to fail"):
        left = name == "capability"
        table.add_column(name, justify="left" if left else "right", no_wrap=not left)
    worst = sorted(results, key=lambda row: -1.0 if row.rate is None else -row.rate)
    kept = {id(row) for row in worst[:MOST_CAPABILITIES]}
    for row in results:
        if id(row) in kept:
            counts = (f"{row.cases:,}", f"{row.failed:,}", row.rate_in_words, f"{row.undecided:,}")
            title = escape(visible(row.title))
            table.add_row(title, *counts, row.pass_to_fail_in_words)
    return table


def wide_console() -> Console:
    """A console for tables of figures: in a pipe they are not folded to 80 columns."""
    console = Console(highlight=False, markup=False, emoji=False)
    return (
        console
        if console.is_terminal
        else Console(highlight=False, markup=False, emoji=False, width=140)
    )


def visible(text: str) -> str:
    """Text without control characters, so that a system's output cannot drive the terminal."""
    return "".join(c if c.isprintable() else f"<{ord(c):04X}>" for c in text[:400])
