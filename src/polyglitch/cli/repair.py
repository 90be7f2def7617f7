"""`polyglitch repair`: outputs that would end the issues of a run."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from polyglitch.cli.main import reopened, say, say_json

if TYPE_CHECKING:
    from polyglitch.repair.mend import Mended


@click.command(name="repair")
@click.argument("run", default="")
@click.option("--store", default=None, help="The store of the run.")
@reopened
@click.option("--limit", type=int, default=None, help="At most so many issues, the worst first.")
@click.option(
    "--choose",
    type=click.Choice(["similarity", "probability"]),
    default="similarity",
    show_default=True,
    help="Believe the translation most like the others, or (white box) the likeliest.",
)
@click.option(
    "-o", "--output", multiple=True, help="Corrected outputs: .jsonl .tsv .tmx (repeatable)."
)
@click.option("--confirmed", is_flag=True, help="Export only issues that a reviewer called a bug.")
@click.option("--augment", multiple=True, help="All mutants with agreed outputs: .jsonl .tsv .tmx.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    run: str,
    store: str | None,
    system: str | None,
    parser: str | None,
    params: tuple[str, ...],
    limit: int | None,
    choose: str,
    output: tuple[str, ...],
    confirmed: bool,
    augment: tuple[str, ...],
    as_json: bool,
) -> None:
    """Propose outputs that end the issues of RUN (an id, or STORE:RUN; default the newest).

    What -o writes is a set to train on, and a table for `hotfix:FILE,SYSTEM`; `repaired:SYSTEM` repairs as it goes.
    """
    from polyglitch.cli.run import nested
    from polyglitch.records import encode
    from polyglitch.repair.export import agreed, corrected, write_rows
    from polyglitch.repair.mend import repair_run
    from polyglitch.results.history import open_history
    from polyglitch.results.reopened import Reopened

    history = open_history(run, store)
    opened = Reopened(history, system, parser=parser, parameters=nested(params))
    try:
        mended = list(repair_run(history, opened, choose, limit))  # type: ignore[arg-type]
    finally:
        opened.close()
    if as_json:
        say_json({"run": history.run_id, "issues": json.loads(encode(mended))})
    else:
        show(mended)
    for path in output:
        count = write_rows(Path(path), corrected(history, mended, confirmed), opened.languages)
        say(f"{count} corrected outputs: {path}", err=as_json)
    for path in augment:
        count = write_rows(Path(path), agreed(history), opened.languages)
        say(f"{count} agreed outputs: {path}", err=as_json)


def show(mended: list[Mended]) -> None:
    """The proposals, each under what it replaces, and the count."""
    for each in mended:
        if each.fixes:
            say(f"\n{each.method} {each.issue_id}: {each.gone} of {each.violations} violations end")
        for fix in each.fixes:
            for mark, text in ((" ", fix.source), ("-", fix.before), ("+", fix.after)):
                say(f"  {mark} {text}")
    repaired = sum(each.repaired for each in mended)
    share = f" ({repaired / len(mended):.0%})" if mended else ""
    say(f"\n{repaired} of {len(mended)} issues end{share}")
    for reason, count in Counter(each.reason for each in mended if each.reason).most_common():
        say(f"not repaired: {count:,} x {reason}")
