"""`polyglitch evaluate priority`: how early each rank would have found the faults of a run."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import click

from polyglitch.cli.options import one_run
from polyglitch.cli.say import say
from polyglitch.errors import UsageError

DEFAULT = "gri,wali,noise,similarity,doubt,combined"


@click.command(name="priority")
@one_run
@click.option("--method", default="qaqa", show_default=True, help="Whose cases to order.")
@click.option("--rank", "ranks", default=DEFAULT, show_default=True, help="Ranks, by comma.")
@click.option("--system", help="The system of the run, for ranks that look into it.")
@click.option(
    "--shuffles",
    default=20,
    show_default=True,
    type=click.IntRange(1),
    help="Draws of initial orders and ties.",
)
@click.option("--seed", default=0, show_default=True, help="Where random draws start.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The fault curves as a picture: .svg"
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    store: str | None,
    run_id: str | None,
    method: str,
    ranks: str,
    system: str | None,
    shuffles: int,
    seed: int,
    output: Path | None,
    as_json: bool,
) -> None:
    """Print the area under the fault curve (APFD) of each order, the initial and the ideal one."""
    from polyglitch.evaluate.efficiency import need_matplotlib
    from polyglitch.evaluate.priority import evaluate_priority, picture
    from polyglitch.rank.cases import CASE_RANKS
    from polyglitch.results.history import open_history
    from polyglitch.systems.uri import open_system
    from polyglitch.tools import Toolbox

    if output is not None and output.suffix != ".svg":
        raise UsageError(f"--output {str(output)!r}: the picture is an SVG; give a name in .svg")
    if output is not None:
        need_matplotlib()
    history = open_history(run_id or "", store)
    with closing(history.store):
        orders, cases, faults = evaluate_priority(
            history,
            Toolbox(history.store, seed),
            [name.strip() for name in ranks.split(",") if name.strip()],
            system=open_system(system) if system else None,
            method=method,
            shuffles=shuffles,
        )
    title = f"{method}: {faults} faults in {cases} cases"
    if output is not None:
        output.write_text(picture(orders, title), "utf-8")
    if as_json:
        rows = {
            order.name: {"auc": round(order.area, 2), "sd": round(order.spread, 2)}
            for order in orders
        }
        say(json.dumps({"run": history.run_id, "cases": cases, "faults": faults, "orders": rows}))
        return
    say(f"{title}, {shuffles} shuffles\n{'order':<12} {'AUC %':>6}  {'sd':>4}  over initial")
    for order in orders:
        gain = order.area - orders[0].area
        say(f"{order.name:<12} {order.area:6.1f}  {order.spread:4.1f}  {gain:+.1f}")
    best = max((order for order in orders if order.name in CASE_RANKS), key=lambda one: one.area)
    why = (CASE_RANKS[best.name].__doc__ or "").partition("\n")[0]
    say(f"first in line: {best.name}. {why}")
