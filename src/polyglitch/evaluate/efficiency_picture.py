"""Pictures of how tests were spent: the cumulative curve, and which tokens which ranks replaced (UpSet)."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from polyglitch.errors import Missing
from polyglitch.evaluate.efficiency import Test, by_draw, curve, shared_tokens

FORMATS = (".svg", ".png")
# Okabe and Ito's palette: told apart by the colour-blind.
COLOURS = ("#000000", "#999999", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")


def need_matplotlib() -> None:
    """Say what is missing before anything runs."""
    if not find_spec("matplotlib"):
        raise Missing("matplotlib", "pictures", "pip install 'polyglitch[plot]'")


def draw_pictures(
    tests: Sequence[Test], ranks: Sequence[str], method: str, folder: Path
) -> list[Path]:
    """Write both pictures as SVG and PNG; the files."""
    need_matplotlib()
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcParams["svg.hashsalt"] = method  # the same figures give the same file
    folder.mkdir(parents=True, exist_ok=True)
    return [
        *save(curves(tests, ranks, method), folder / f"{method}-curve"),
        *save(upset(shared_tokens(tests), ranks, method), folder / f"{method}-tokens"),
    ]


def curves(tests: Sequence[Test], ranks: Sequence[str], method: str) -> Any:
    """Bugs found against tests run, a line a rank; every draw of chance is drawn thinly."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for place, rank in enumerate(ranks):
        draws = by_draw([test for test in tests if test.rank == rank])
        for number, draw in enumerate(draws):
            line = [0, *curve(draw)]
            axes.plot(
                line,
                color=COLOURS[place % len(COLOURS)],
                linewidth=1.8 if len(draws) == 1 else 0.8,
                label=rank if not number else None,
            )
    axes.set(xlabel="tests", ylabel="violations", title=method)
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def upset(shared: dict[tuple[str, ...], int], ranks: Sequence[str], method: str) -> Any:
    """How many tokens each combination of ranks replaced: bars over a matrix of dots."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    bars, dots = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    columns = range(len(shared))
    drawn = bars.bar(columns, list(shared.values()), color=COLOURS[2])
    bars.bar_label(drawn, fontsize=8)
    bars.set(ylabel="replaced tokens", title=method)
    bars.spines[["top", "right"]].set_visible(False)
    for column, names in enumerate(shared):
        rows = [row for row, rank in enumerate(ranks) if rank in names]
        dots.scatter([column] * len(ranks), range(len(ranks)), color="#dddddd", s=40)
        dots.plot([column] * len(rows), rows, "o-", color="#000000", markersize=6)
    dots.set(yticks=range(len(ranks)), yticklabels=list(ranks), xticks=[])
    dots.invert_yaxis()
    dots.spines[:].set_visible(False)
    return figure


def save(figure: Any, stem: Path) -> list[Path]:
    """The figure in every format."""
    files = [stem.with_suffix(ending) for ending in FORMATS]
    for path in files:
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
    return files
