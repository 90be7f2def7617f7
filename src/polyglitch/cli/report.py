"""`polyglitch report`: the findings of a run as files."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from polyglitch.cli.main import one_run, say, say_json

if TYPE_CHECKING:
    from polyglitch.results.findings import Summary
    from polyglitch.results.history import History

PAGE = "report.html"


@click.command(name="report")
@one_run
@click.option(
    "-o",
    "--output",
    multiple=True,
    help="A file by extension: .html .jsonl .csv .md .xml .sarif .inspect.json .promptfoo.json; - prints JSON "
    f"lines.  [default: {PAGE}]",
)
@click.option("--title", default="", help="The heading.", show_default="the system and the corpus")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one JSON object.")
def command(
    store: str | None, run_id: str | None, output: tuple[str, ...], title: str, as_json: bool
) -> None:
    """Write the findings of a run as a page, a table or lines of JSON."""
    from polyglitch.report.html import (
        STDOUT,
        findings_for,
        prepare,
        rarely_collected,
        write_report,
        writer_for,
    )
    from polyglitch.results.history import open_history
    from polyglitch.results.summary import summarise

    files = output or (() if as_json else (PAGE,))
    for path in files:
        writer_for(Path(path))
    history = open_history(run_id or "", store)
    with closing(history.store), rarely_collected():
        prepare(files, history)
        summary = summarise(history, title)
        for path in files:
            write_report(Path(path), summary, findings_for(path, history))
            if path != STDOUT:
                say(f"report: {path}", err=as_json or STDOUT in files)
        for alarm in summary.alarms:
            say(alarm, err=True)
        if as_json:
            say_json(as_data(summary, history))


def as_data(summary: Summary, history: History) -> dict[str, Any]:
    """The figures of a run and the totals of its report."""
    import msgspec

    from polyglitch.results.answer import gate_of, kept_gate
    from polyglitch.results.history import state_of

    totals = msgspec.to_builtins(summary)
    shown = {key: totals[key] for key in totals if key not in ("bugs", "curves")}
    holds = round(gate_of(history.row["figures"]).holds, 6) if summary.cases else None
    gate = kept_gate(history.row["figures"])
    state = {"run": history.run_id, "state": state_of(history.row), "holds": holds}
    state["passed"] = gate.passed if gate else None
    return {**state, **history.row["figures"], **shown}
