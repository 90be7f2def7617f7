"""`polyglitch minimise`: shrink the failing pairs of a run."""

from __future__ import annotations

import json

import click

from polyglitch.cli.main import reopened, say, say_json


@click.command(name="minimise")
@click.argument("run", default="")
@click.option("--store", default=None, help="The store of the run.")
@reopened
@click.option("--limit", type=int, default=None, help="At most so many issues, the worst first.")
@click.option("--budget", type=int, default=60, show_default=True, help="Queries an issue.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    run: str,
    store: str | None,
    system: str | None,
    parser: str | None,
    params: tuple[str, ...],
    limit: int | None,
    budget: int,
    as_json: bool,
) -> None:
    """Find for each issue of RUN (default the newest) the smallest pair that still fails.

    RUN is an id, or STORE:RUN. Reports and reviews of the run show the pair beside the issue from then on.
    """
    from polyglitch.cli.run import nested
    from polyglitch.records import encode
    from polyglitch.repair.minimise import Shrunk, median_share, minimise_run, reasons
    from polyglitch.results.history import open_history
    from polyglitch.results.reopened import Reopened

    history = open_history(run, store)
    opened = Reopened(history, system, parser=parser, parameters=nested(params))

    def tell(each: Shrunk) -> None:
        if not as_json:
            told = each.reason or f"{each.queries} queries"
            say(f"{each.issue_id}  {each.words_before:>3} -> {each.words_after:>3}  {told}")

    try:
        done = minimise_run(history, opened, limit, budget, tell)
    finally:
        opened.close()
    share = median_share(done)
    if as_json:
        rows = [json.loads(encode(each)) for each in done]
        say_json({"run": history.run_id, "median_share": share, "issues": rows})
        return
    say(f"{len(done)} issues; the median pair keeps {share:.0%} of the original's words")
    for reason, count in reasons(done).most_common():
        say(f"left as they were: {count:,} x {reason}")
