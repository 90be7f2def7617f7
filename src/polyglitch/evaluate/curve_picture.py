"""Fault curves as an SVG picture, written by hand: nothing to install, and readable in any browser."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from polyglitch.evaluate.fault_curve import Order

WIDTH, HEIGHT, LEFT, TOP = 640, 420, 56, 24
PLOT = 360  # both axes
# Distinct in print and to colour-blind readers (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999933", "#882255")
GREY = "#888888"
MOST_POINTS = 400  # a curve of more would only be a larger file


def picture(orders: Sequence[Order], title: str) -> str:
    """The curves with their legend; the initial and the ideal order dashed in grey."""
    lines = [_axes(title)]
    coloured = 0
    for place, order in enumerate(orders):
        plain = order.name in ("initial", "ideal")
        colour = GREY if plain else COLOURS[coloured % len(COLOURS)]
        coloured += not plain
        dash = ' stroke-dasharray="6 4"' if plain else ""
        y = TOP + 18 + 20 * place
        lines.append(
            f'<polyline fill="none" stroke="{colour}" stroke-width="2"{dash} points="{_points(order)}"/>'
            f'<line x1="{LEFT + PLOT + 20}" x2="{LEFT + PLOT + 44}" y1="{y}" y2="{y}" '
            f'stroke="{colour}" stroke-width="2"{dash}/>'
            f'<text x="{LEFT + PLOT + 50}" y="{y + 4}">{escape(order.name)} {order.area:.1f}</text>'
        )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12" role="img">'
        f"<title>{escape(title)}</title>"
    )
    return f"{head}\n" + "\n".join(lines) + "\n</svg>\n"


def _points(order: Order) -> str:
    step = max(1, len(order.curve) // MOST_POINTS)
    chosen = [*order.curve[::step], order.curve[-1]]
    return " ".join(f"{LEFT + PLOT * x:.1f},{TOP + PLOT * (1 - y):.1f}" for x, y in chosen)


def _axes(title: str) -> str:
    marks = []
    for share in (0, 25, 50, 75, 100):
        x, y = LEFT + PLOT * share / 100, TOP + PLOT * (1 - share / 100)
        marks.append(
            f'<text x="{x:.0f}" y="{TOP + PLOT + 16}" text-anchor="middle">{share}</text>'
            f'<text x="{LEFT - 6}" y="{y + 4:.0f}" text-anchor="end">{share}</text>'
        )
    return (
        f'<text x="{LEFT}" y="14" font-weight="bold">{escape(title)}</text>'
        f'<rect x="{LEFT}" y="{TOP}" width="{PLOT}" height="{PLOT}" fill="none" stroke="#333"/>'
        + "".join(marks)
        + f'<text x="{LEFT + PLOT / 2:.0f}" y="{HEIGHT - 4}" text-anchor="middle">% of tests run</text>'
        f'<text x="14" y="{TOP + PLOT / 2:.0f}" text-anchor="middle" '
        f'transform="rotate(-90 14 {TOP + PLOT / 2:.0f})">% of faults found</text>'
    )
