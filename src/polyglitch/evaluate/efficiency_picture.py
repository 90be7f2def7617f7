"""Pictures of how tests were spent: the cumulative curve, and which tokens which ranks replaced (UpSet)."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from polyglitch.errors import Missing
from polyglitch.evaluate.efficiency import Test, by_draw, curve, first_tests, shared_tokens

FORMATS = (".svg", ".png")
MOST_COLUMNS = 20  # combinations of ranks in a picture; the table has them all
# Okabe and Ito's palette: told apart by the colour-blind.
COLOURS = ("#000000", "#999999", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")


def need_matplotlib() -> None:
    """Say what is missing before anything runs."""
    if not find_spec("matplotlib"):
        raise Missing("matplotlib", "pictures", "pip install 'polyglitch[plot]'")


def draw_pictures(
    tests: Sequence[Test], ranks: Sequence[str], method: str, budget: int, folder: Path
) -> list[Path]:
    """Write both pictures as SVG and PNG; the files. The tokens are those that the budget bought."""
    need_matplotlib()
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcParams["svg.hashsalt"] = method  # the same figures give the same file
    folder.mkdir(parents=True, exist_ok=True)
    shared = shared_tokens(first_tests(tests, budget))
    title = f"{method}: tokens replaced by the first {budget} tests of each rank"
    return [
        *save(curves(tests, ranks, method, budget), folder / f"{method}-curve"),
        *save(upset(shared, ranks, title), folder / f"{method}-tokens"),
    ]


def curves(tests: Sequence[Test], ranks: Sequence[str], method: str, budget: int) -> Any:
    """Bugs found against tests run, a line a rank; every draw of chance is drawn thinly."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    axes.axvline(budget, color="#bbbbbb", linewidth=0.8, linestyle="--")
    for place, rank in enumerate(ranks):
        draws = by_draw([test for test in tests if test.rank == rank])
        several = len(draws) > 1
        for number, draw in enumerate(draws):
            name = f"{rank}, {len(draws)} draws" if several else rank
            axes.plot(
                [0, *curve(draw)],
                color=COLOURS[place % len(COLOURS)],
                linewidth=0.8 if several else 1.8,
                label=None if number else name,
            )
    axes.set(xlabel="tests", ylabel="violations", title=method, xlim=(0, None), ylim=(0, None))
    axes.legend(frameon=False, loc="upper left")
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def upset(shared: dict[tuple[str, ...], int], ranks: Sequence[str], title: str) -> Any:
    """How many tokens each combination of ranks replaced: bars over a matrix of dots, the largest first."""
    from matplotlib.figure import Figure

    rest = list(shared.values())[MOST_COLUMNS:]
    shared = dict(list(shared.items())[:MOST_COLUMNS])
    if rest:
        title += f"\nand {sum(rest)} more in {len(rest)} smaller combinations"
    figure = Figure(figsize=(max(6.0, 0.3 * len(shared) + 1.5), 4), layout="constrained")
    bars, dots = figure.subplots(2, 1, sharex=True, height_ratios=(3, 0.3 * len(ranks)))
    columns = range(len(shared))
    drawn = bars.bar(columns, list(shared.values()), color=COLOURS[2], width=0.7)
    bars.bar_label(drawn, fontsize=8)
    bars.set(ylabel="replaced tokens", xlim=(-0.6, len(shared) - 0.4))
    bars.set_title(title, fontsize=10)
    bars.tick_params(axis="x", bottom=False)
    bars.spines[["top", "right"]].set_visible(False)
    for column, names in enumerate(shared):
        rows = [row for row, rank in enumerate(ranks) if rank in names]
        dots.scatter([column] * len(ranks), range(len(ranks)), color="#dddddd", s=40)
        dots.plot([column] * len(rows), rows, "o-", color="#000000", markersize=6)
    dots.set(yticks=range(len(ranks)), yticklabels=list(ranks), xticks=[])
    dots.set_ylim(len(ranks) - 0.5, -0.5)  # the first rank on top, no dot cut
    dots.tick_params(axis="y", length=0)
    dots.spines[:].set_visible(False)
    return figure


def save(figure: Any, stem: Path) -> list[Path]:
    """The figure in every format."""
    files = [stem.with_suffix(ending) for ending in FORMATS]
    for path in files:
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
    return files
