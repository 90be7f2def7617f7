"""`polyglitch calibrate`: the threshold that labels speak for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from polyglitch.cli.main import one_run, say
from polyglitch.errors import UsageError

if TYPE_CHECKING:
    from polyglitch.evaluate.calibration import Goal, Sample, ThresholdCandidate
    from polyglitch.protocols import Oracle

FEW = 20  # of either word: below it the intervals say more than the figures


@click.command(name="calibrate")
@click.argument("table", required=False, type=click.Path(path_type=Path))
@click.option(
    "--method", default=None, help="Whose threshold; may be left out where a run has one method."
)
@click.option(
    "--goal", default="f", show_default=True, help="f, accuracy, 'precision>=.8' or 'recall>=.9'."
)
@one_run
@click.option(
    "--join",
    type=click.Choice(["majority", "unanimous", "any"]),
    default="majority",
    help="How labels of several reviewers become one.",
)
@click.option(
    "--score", default="score", show_default=True, help="Columns of TABLE with scores, by comma."
)
@click.option(
    "--label", default="label", show_default=True, help="Column of TABLE that says bug or not."
)
@click.option("--group", default=None, help="Column of TABLE whose equal rows stay in one fold.")
@click.option(
    "--report",
    "direction",
    type=click.Choice(["below", "above"]),
    default="below",
    show_default=True,
    help="Which side of TABLE's threshold is reported.",
)
@click.option("--seed", default=0, show_default=True, help="Where the draw of the folds starts.")
@click.option("--single", is_flag=True, help="One score alone, no combination of several.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The curves as a picture: .svg"
)
@click.option("--write", is_flag=True, help="Set the choice in polyglitch.toml.")
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="Instead of the polyglitch.toml found upwards.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    table: Path | None,
    method: str | None,
    goal: str,
    seed: int,
    single: bool,
    output: Path | None,
    write: bool,
    config: Path | None,
    as_json: bool,
    **source: Any,
) -> None:
    """Choose a threshold from labels: those of a run, given in `review`, or those of a TABLE (.csv .tsv .jsonl).

    The held-out figures are of sentences that the choice did not see: expect those, not the fitted ones.
    """
    from polyglitch.evaluate.calibration import calibrate, read_goal
    from polyglitch.evaluate.labelled_scores import settings

    wanted = read_goal(goal)
    if output is not None and output.suffix != ".svg":
        raise UsageError(f"--output {str(output)!r}: the picture is an SVG; give a name in .svg")
    oracle: Oracle | None = None
    if table:
        sample = read_table(table, source)
    else:
        method, oracle, sample = read_run(method, source)
    found, best = calibrate(sample, wanted, seed, not single)
    values = settings(method, best, sample.direction, oracle) if method else {}
    if output is not None:
        draw(output, sample, best, method or (table.stem[:30] if table else ""))
    if as_json:
        say(as_data(sample, found, best, method, values))
    else:
        show(sample, found, best, wanted)
        tell_settings(method, values)
    if output is not None:
        say(f"curves: {output}", err=as_json)
    if write:
        say(write_settings(method, values, config), err=as_json)


def read_table(table: Path, source: dict[str, Any]) -> Sample:
    """The labelled scores of a file."""
    from polyglitch.evaluate.labelled_scores import from_file

    names = [name.strip() for name in source["score"].split(",") if name.strip()]
    return from_file(table, names, source["label"], source["direction"], source["group"])


def read_run(method: str | None, source: dict[str, Any]) -> tuple[str, Oracle, Sample]:
    """The labelled scores of a run, and whose they are: the name of the method, and its oracle."""
    from polyglitch.campaign import make_method
    from polyglitch.evaluate.labelled_scores import from_judgements
    from polyglitch.results.history import open_history
    from polyglitch.results.judgements import Judgements
    from polyglitch.results.reopened import kept_parameters

    history = open_history(source["run_id"] or "", source["store"])
    try:
        names = [str(row["name"]) for row in history.definition["methods"]]
        chosen = method or (names[0] if len(names) == 1 else "")
        if chosen not in names:
            raise UsageError(
                f"--method {method or 'is not given'}: the run has {', '.join(names)}; name one"
            )
        items = Judgements(history, source["join"]).items()
        oracle = make_method(chosen, kept_parameters(history).get(chosen)).compare
        return chosen, oracle, from_judgements(items, chosen)
    finally:
        history.store.close()


def show(
    sample: Sample, found: list[ThresholdCandidate], best: ThresholdCandidate, goal: Goal
) -> None:
    """Every candidate with its fitted and held-out figures."""
    from rich.table import Table

    from polyglitch.cli.run import wide_console

    bugs, others = sum(sample.bugs), len(sample.bugs) - sum(sample.bugs)
    console = wide_console()
    console.print(f"{bugs:,} bugs, {others:,} not; left out: {sample.left_out or 'none'}")
    if min(bugs, others) < FEW:
        console.print(f"few labels (under {FEW} of one word): trust the intervals, not the figures")
    table = Table(box=None, pad_edge=False)
    heads = ("", "score", "threshold", "reported", "precision", "recall", "F", "AUC")
    held_out = ("held-out precision", "held-out recall", "held-out F")
    for name in (*heads, *held_out):
        table.add_column(name, justify="left" if name in ("", "score") else "right", no_wrap=True)
    for one in found:
        cut, held = one.cut, one.held_out
        shares = (cut.precision, cut.recall, cut.f, one.area)
        table.add_row(
            ">" if one is best else "",
            one.metrics[0] if len(one.metrics) == 1 else "together",
            f"{one.threshold:g}",
            f"{cut.reported:,}",
            *(f"{value:.2f}" for value in shares),
            interval(held.precision, held.precision_interval),
            interval(held.recall, held.recall_interval),
            f"{held.f:.2f}",
        )
    console.print(table)
    for one in found:
        if len(one.metrics) > 1:
            console.print(f"together: {one.name}")
    if not best.reached:
        console.print(f"no threshold reaches {goal.target} {goal.at_least}; this comes nearest")


def interval(value: float, ends: tuple[float, float]) -> str:
    """A figure with its 95% interval."""
    return f"{value:.2f} ({ends[0]:.2f}-{ends[1]:.2f})"


def tell_settings(method: str | None, values: dict[str, Any]) -> None:
    """What to set, in polyglitch.toml and on the command line."""
    from polyglitch.files.settings import written

    if method and not values:
        say(f"{method} has no parameter for this; the figures are for you to read")
    if values:
        say(f"\n[parameters.{method}]")
        for key, value in values.items():
            say(f"{key} = {written(value)}")
        given = {
            key: ",".join(map(str, v)) if isinstance(v, list) else v for key, v in values.items()
        }
        say("or: " + " ".join(f"--param {method}.{key}={value}" for key, value in given.items()))


def write_settings(method: str | None, values: dict[str, Any], config: Path | None) -> str:
    """Set the choice in the configuration, if a run can read it back; what was done."""
    from polyglitch.campaign import find_file, make_method, read_file
    from polyglitch.files.settings import set_keys

    if not method or not values:
        raise UsageError(
            "--write: there is no parameter to set; name a method that has a threshold"
        )
    file = config or find_file()
    if file is None or not file.is_file():
        raise UsageError("--write: no polyglitch.toml here or above; `polyglitch init` writes one")
    text = file.read_text("utf-8")
    made = set_keys(text, ("parameters", method), values)
    draft = file.with_name(f".{file.name}.draft")
    try:
        draft.write_text(made, "utf-8")
        make_method(method, read_file(draft)["parameters"][method])
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
    return f"set in {file}; the next `polyglitch run` uses it, on the outputs that are there"


def draw(output: Path, sample: Sample, best: ThresholdCandidate, name: str) -> None:
    """The curves of the chosen score."""
    from polyglitch.evaluate.calibration import sweep, weighted
    from polyglitch.results.curves import Curve, Point, picture

    scores = weighted([sample.columns[metric] for metric in best.metrics], best.weights)
    cuts = sweep(scores, sample.bugs, sample.direction)
    points = sorted(
        (Point(c.threshold, c.reported, c.precision, c.recall, c.f) for c in cuts),
        key=lambda point: point.threshold,
    )
    side = "at most" if sample.direction == "below" else "at least"
    marks = (("chosen", best.threshold),)
    curve = Curve(name, f"{best.name} {side}", tuple(points), marks, len(sample.bugs))
    output.write_text(picture(curve), "utf-8")


def as_data(
    sample: Sample,
    found: list[ThresholdCandidate],
    best: ThresholdCandidate,
    method: str | None,
    values: dict[str, Any],
) -> str:
    """All of it as one JSON object."""
    import msgspec

    rows = [{"name": one.name, **msgspec.to_builtins(one)} for one in found]
    data = {
        "method": method,
        "bugs": sum(sample.bugs),
        "labels": len(sample.bugs),
        "left_out": sample.left_out,
        "candidates": rows,
        "chosen": best.name,
        "settings": values,
    }
    return json.dumps(data, ensure_ascii=False, indent=1)
