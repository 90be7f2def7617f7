"""`polyglitch explain`: which words made a classifier say what it said."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

import click

from polyglitch.cli.main import say, say_json

if TYPE_CHECKING:
    from polyglitch.evaluate.explanation import Effort, Explanation
    from polyglitch.results.history import History
    from polyglitch.results.reopened import Reopened

WIDTH = 24  # of the longest bar


@click.command(name="explain")
@click.argument("text", default="")
@click.option(
    "--system", default=None, help="The classifier, by URI: vader, hf:..., python:mod:fn."
)
@click.option("--run", default=None, help="Explain the issues of this run (an id, or `last`).")
@click.option("--store", default=None, help="With --run: the store of the run.")
@click.option("--parser", default=None, help="With --run: the parser, where the run named a model.")
@click.option("--limit", type=int, default=20, help="With --run: so many issues, the worst first.")
@click.option(
    "--samples", default=500, help="Sentences with words left out, for the contributions."
)
@click.option("--fills", default=1000, help="Random fillings of each template.")
@click.option("--threshold", default=0.9, help="How often fillings must keep the prediction.")
@click.option("--seed", default=0, help="Where random choices start.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(
    text: str,
    system: str | None,
    run: str | None,
    store: str | None,
    parser: str | None,
    limit: int,
    samples: int,
    fills: int,
    threshold: float,
    seed: int,
    as_json: bool,
) -> None:
    """Show what each word of TEXT contributes, and the shortest template that keeps the prediction.

    With --run the worst violation of each issue is explained and kept: reports and reviews of the run draw it.
    """
    from polyglitch.errors import UsageError
    from polyglitch.evaluate.explanation import Effort

    effort = Effort(samples, fills, threshold, seed)
    if bool(text) == (run is not None):
        raise UsageError("explain takes either a TEXT or --run, and has both or neither")
    if run is not None:
        from polyglitch.results.history import open_history
        from polyglitch.results.reopened import Reopened

        history = open_history(run, store)
        explain_issues(history, Reopened(history, system, parser=parser), limit, effort, as_json)
    elif system is None:
        raise UsageError("explain TEXT needs --system: which classifier to ask, such as vader")
    else:
        explain_text(text, system, effort, as_json)


def explain_text(text: str, uri: str, effort: Effort, as_json: bool) -> None:
    """One text."""
    from polyglitch.evaluate.explanation import explain
    from polyglitch.tools import open_system

    opened = open_system(uri)
    try:
        found = explain(opened, text, effort.samples, effort.fills, effort.threshold, effort.seed)
    finally:
        opened.close()
    if as_json:
        row = dataclasses.asdict(found)
        say_json(row)
    else:
        show(found)


def show(found: Explanation) -> None:
    """Words with bars, the gradient of each where there is one, and the template."""
    say(f"label: {found.label}")
    most = max((abs(value) for value in found.contributions), default=0.0) or 1.0
    longest = max(map(len, found.words), default=0)
    for place, (word, value) in enumerate(zip(found.words, found.contributions, strict=True)):
        bar = ("+" if value > 0 else "-") * round(WIDTH * abs(value) / most)
        slope = f"  gradient {found.gradients[place]:.3f}" if found.gradients else ""
        say(f"{word:<{longest}} {value:+.3f}{slope} {bar}".rstrip())
    say(f"template: {found.template_text}")
    say(f"kept by {found.kept:.1%} of random fillings")


def explain_issues(
    history: History, opened: Reopened, limit: int, effort: Effort, as_json: bool
) -> None:
    """The issues of a run."""
    from polyglitch.evaluate.explanation import Explained, explain_run
    from polyglitch.records import encode

    def tell(each: Explained) -> None:
        if not as_json:
            told = each.reason or f"{each.label}: {each.template} ({each.kept:.0%})"
            say(f"{each.issue_id}  {told}")

    try:
        done = explain_run(history, opened, limit, effort, tell)
    finally:
        opened.close()
    if as_json:
        rows = [json.loads(encode(each)) for each in done]
        say_json({"run": history.run_id, "issues": rows})
        return
    left = sum(bool(each.reason) for each in done)
    say(f"{len(done) - left} issues explained, {left} left without")
