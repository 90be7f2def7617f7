"""`polyglitch compare`: an old and a new run on the same cases."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from polyglitch.cli.main import say

if TYPE_CHECKING:
    from polyglitch.evaluate.regression import CapabilityChange
    from polyglitch.results.history import History


@click.command(name="compare")
@click.argument("old")
@click.argument("new")
@click.option("--store", default=None, help="The store of both runs, where RUN is an id alone.")
@click.option(
    "--max-broken", type=int, default=None, help="Exit 1 when more cases broke than this."
)
@click.option(
    "--max-worse", type=float, default=None, help="Exit 1 when the violated share grew by more."
)
@click.option("--show", default=10, show_default=True, help="So many broken cases are shown.")
@click.option("-o", "--output", default=None, help="The comparison as a page: .html")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    old: str,
    new: str,
    store: str | None,
    max_broken: int | None,
    max_worse: float | None,
    show: int,
    output: str | None,
    as_json: bool,
) -> None:
    """Say what NEW fixed and broke against OLD: a run id, or STORE:RUN, or STORE: for its newest run."""
    from polyglitch.errors import UsageError
    from polyglitch.evaluate.regression import compare_outcomes
    from polyglitch.records import encode
    from polyglitch.results.history import open_history

    if output is not None and not output.lower().endswith(".html"):
        raise UsageError(f"--output {output!r}: the comparison is a page; give a name in .html")
    before, after = open_history(old, store), open_history(new, store)
    for history in (before, after):
        if not history.finished:
            raise UsageError(
                f"run {history.run_id} did not finish, so its cases are not all there to compare; repeat its "
                "`polyglitch run` to go on with it, and compare then"
            )
    found = compare_outcomes(
        before.store.verdicts.case_outcomes(before.run_id),
        after.store.verdicts.case_outcomes(after.run_id),
        dict(after.store.verdicts.case_capabilities(after.run_id)),
    )
    if as_json:
        say(json.dumps({**json.loads(encode(found)), "old": before.run_id, "new": after.run_id}))
    else:
        say(f"old {before.run_id} {before.row['created']} {before.definition['systems'][0]}")
        say(f"new {after.run_id} {after.row['created']} {after.definition['systems'][0]}")
        for fate, count in found.fates.items():
            say(f"{fate:<14}{count:>8,}")
        low, high = found.interval
        say(
            f"violated share: {found.change:+.2%} (95% {low:+.2%} to {high:+.2%}), McNemar p = {found.p_value:.3g}"
        )
        show_capabilities(found.by_capability)
        show_broken(after, found.broken_cases[:show])
    limited = max_worse is not None or max_broken is not None
    worse = max_worse is not None and found.change > max_worse
    worse = worse or (max_broken is not None and found.broken > max_broken)
    if output is not None:
        from polyglitch.report.comparison import write_comparison

        write_comparison(output, found, before, after, passed=not worse if limited else None)
        say(f"report: {output}", err=as_json)
    if worse:
        say("the new run is worse than allowed", err=True)
        sys.exit(1)


def show_capabilities(changes: tuple[CapabilityChange, ...]) -> None:
    """What changed for each capability, a line each."""
    from polyglitch.files.foreign import spelled_out

    for change in changes:
        before, after = change.rates
        say(
            f"  {spelled_out(change.title)}: {before:.1%} -> {after:.1%} of {change.both:,} violated, "
            f"{change.fixed:,} fixed, {change.broken:,} broken"
        )


def show_broken(history: History, cases: tuple[tuple[str, str], ...]) -> None:
    """The broken cases, each with its inputs and outputs."""
    from polyglitch.files.foreign import spelled_out
    from polyglitch.report.ci_formats import told

    for method, case_id in cases:
        for case, verdict in history.store.verdicts.get(history.run_id, method, ids=[case_id]):
            say(f"\nbroken in {method}:")
            for line in told(history.trial(case), verdict).raw.split("\n"):
                say(f"  {spelled_out(line)}")
