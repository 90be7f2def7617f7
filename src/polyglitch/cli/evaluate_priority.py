"""`polyglitch evaluate priority`: how early each rank would have found the faults of a run."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import click

from polyglitch.cli.main import one_run, say
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
    from polyglitch.tools import Toolbox, open_system

    if output is not None and output.suffix != ".svg":
        raise UsageError(f"--output {str(output)!r}: the picture is an SVG; give a name in .svg")
    if output is not None:
        need_matplotlib()
    history = open_history(run_id or "", store)
    with closing(history.store):
        found = evaluate_priority(
            history,
            Toolbox(history.store, seed),
            [name.strip() for name in ranks.split(",") if name.strip()],
            system=open_system(system) if system else None,
            method=method,
            shuffles=shuffles,
        )
    orders = found.orders
    title = f"{method}: {found.faults} faults in {found.cases} cases"
    if output is not None:
        output.write_text(picture(orders, title), "utf-8")
    if as_json:
        rows = {
            order.name: {
                "auc": round(order.area, 2),
                "sd": round(order.spread, 2),
                "interval": order.interval and [round(end, 2) for end in order.interval],
            }
            for order in orders
        }
        counts = {"cases": found.cases, "faults": found.faults, **found.profile}
        say(json.dumps({"run": history.run_id, **counts, "orders": rows}))
        return
    head = f"{'order':<12} {'AUC %':>6}  {'95%':<14} {'sd':>4}  over initial  faults it says nothing of"
    say(f"{title}, {shuffles} shuffles\n{head}")
    for order in orders:
        gain = order.area - orders[0].area
        ends = "{:.1f} to {:.1f}".format(*order.interval) if order.interval else ""
        missed = found.profile["missed"].get(order.name, "")
        line = f"{order.name:<12} {order.area:6.1f}  {ends:<14} {order.spread:4.1f}  {gain:+12.1f}  {missed}"
        say(line.rstrip())
    for name, about in (("question_words", "words of the question"), ("noise_ratio", "noise")):
        row, bands = found.profile[name], found.profile[f"by_{name}"]
        say(f"{about}: {row['faulty']} on average in faulty cases, {row['held']} in the others")
        shares = (f"{band}: {bad} of {made}" for band, (bad, made) in bands.items())
        rho = found.profile[f"{name}_rho"]
        say(f"  faulty {', '.join(shares)}; Spearman's rho {'-' if rho is None else f'{rho:.2f}'}")
    best = max((order for order in orders if order.name in CASE_RANKS), key=lambda one: one.area)
    why = (CASE_RANKS[best.name].__doc__ or "").partition("\n")[0]
    say(f"first in line: {best.name}. {why}")
