"""Threshold curves: what would be reported, and how rightly, were the line drawn elsewhere.

SIT's figure 14 and SemMT's figure 5 are of this kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

import msgspec

WIDTH, HEIGHT, LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT = 380, 240, 48, 30, 310, 160
BOTTOM = TOP + PLOT_HEIGHT
# Distinct in print and to colour-blind readers (Okabe and Ito); the dashes tell them apart without colour.
SHARES = (
    ("precision", "#0072b2", ""),
    ("recall", "#d55e00", "6 3"),
    ("f", "#009e73", "2 3"),
)
MOST_POINTS = 200  # a curve of more would only be a larger file
Line = tuple[str, str, str, list[tuple[float, float]]]  # name, colour, dashes, points


class Point(msgspec.Struct, frozen=True):
    """What a threshold reports; shares where labels tell them."""

    threshold: float
    issues: int
    precision: float | None = None
    recall: float | None = None
    f: float | None = None


class Curve(msgspec.Struct, frozen=True):
    """The points of one method in the order of their thresholds."""

    name: str
    axis: str  # what the threshold is of
    points: tuple[Point, ...]
    marks: tuple[tuple[str, float], ...] = ()  # thresholds worth showing, with what they are
    labelled: int = 0  # issues behind the shares

    @property
    def in_words(self) -> str:
        """For who cannot see it."""
        first, last = self.points[0], self.points[-1]
        return (
            f"{self.name}: {first.issues} issues at a threshold of {first.threshold:g}, "
            f"{last.issues} at {last.threshold:g}"
        )


def issue_points(severities: Sequence[float], judged: Sequence[tuple[float, bool]]) -> list[Point]:
    """For every severity that an issue has, how many are at least as severe, and how many of the labelled are bugs.

    `judged` may hold sentences without an issue too: their severity is below any that is reported.
    """
    order = sorted(set(severities))
    counts = sorted(severities)
    bugs = sum(bug for _, bug in judged)
    points = []
    start = 0
    for value in thin(order):
        while start < len(counts) and counts[start] < value:
            start += 1
        kept = [bug for severity, bug in judged if severity >= value]
        true = sum(kept)
        points.append(
            Point(
                value,
                len(counts) - start,
                true / len(kept) if kept else None,
                true / bugs if bugs else None,
                2 * true / (len(kept) + bugs) if kept and bugs else None,
            )
        )
    return points


def thin(values: Sequence[float]) -> list[float]:
    """At most so many of some values, the first and the last among them."""
    step = max(1, -(-len(values) // MOST_POINTS))
    return list(values[::step]) + ([values[-1]] if (len(values) - 1) % step else [])


def picture(curve: Curve) -> str:
    """The curve as a file of its own: issues on the left, shares on the right where there are labels."""
    panels = svg_panels(curve)
    width = WIDTH * len(panels)
    body = "".join(
        f'<g transform="translate({WIDTH * place} 0)">{panel}</g>'
        for place, panel in enumerate(panels)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" width="{width}" '
        f'height="{HEIGHT}" font-family="sans-serif" font-size="11" role="img">'
        f'<title>{escape(curve.in_words)}</title><rect width="100%" height="100%" fill="#fff"/>{body}</svg>\n'
    )


def svg_panels(curve: Curve) -> list[str]:
    """The insides of one or two pictures, each `WIDTH` by `HEIGHT`."""
    most = max(point.issues for point in curve.points)
    issues = [(point.threshold, point.issues / (most or 1)) for point in curve.points]
    before = [value for _, value in curve.marks if value < issues[0][0]]
    issues = [
        (value, issues[0][1]) for value in sorted(before)
    ] + issues  # nothing falls away there
    panels = [_panel(curve, "issues", f"{most:,}", [("issues", "#0072b2", "", issues)])]
    shares = [
        (name.upper() if name == "f" else name, colour, dash, _share(curve, name))
        for name, colour, dash in SHARES
    ]
    if any(points for _, _, _, points in shares):
        about = f"of {curve.labelled:,} labelled"
        panels.append(_panel(curve, f"precision, recall, F {about}", "1", shares))
    return panels


def _share(curve: Curve, name: str) -> list[tuple[float, float]]:
    pairs = [(point.threshold, getattr(point, name)) for point in curve.points]
    return [(threshold, value) for threshold, value in pairs if value is not None]


def _panel(curve: Curve, title: str, highest: str, lines: Sequence[Line]) -> str:
    low = min([curve.points[0].threshold, *(value for _, value in curve.marks)])
    high = max([curve.points[-1].threshold, *(value for _, value in curve.marks)])
    wide = (high - low) or 1.0

    def across(threshold: float) -> float:
        return LEFT + PLOT_WIDTH * min(max((threshold - low) / wide, 0.0), 1.0)

    return (
        _frame(f"{curve.name}: {title}", curve.axis, highest, low, high)
        + "".join(_mark(name, value, across(value)) for name, value in curve.marks)
        + "".join(
            _line(line, across, place if len(lines) > 1 else None)
            for place, line in enumerate(lines)
            if line[3]
        )
    )


def ends_in_words(low: float, high: float) -> tuple[str, str]:
    """The ends of an axis with as many digits as it takes to tell them apart."""
    for digits in range(2, 9):
        told = f"{low:.{digits}g}", f"{high:.{digits}g}"
        if told[0] != told[1] or low == high:
            break
    return told


def _frame(title: str, axis: str, highest: str, low: float, high: float) -> str:
    right, under = LEFT + PLOT_WIDTH, BOTTOM + 15
    first, last = ends_in_words(low, high)
    return (
        f'<text x="{LEFT}" y="16" font-weight="bold">{escape(title)}</text>'
        f'<rect class="frame" x="{LEFT}" y="{TOP}" width="{PLOT_WIDTH}" height="{PLOT_HEIGHT}" '
        'fill="none" stroke="#999"/>'
        f'<text x="{LEFT - 5}" y="{TOP + 8}" text-anchor="end">{highest}</text>'
        f'<text x="{LEFT - 5}" y="{BOTTOM}" text-anchor="end">0</text>'
        f'<text x="{LEFT}" y="{under}">{first}</text>'
        f'<text x="{right}" y="{under}" text-anchor="end">{last}</text>'
        f'<text x="{LEFT + PLOT_WIDTH / 2:.0f}" y="{under}" text-anchor="middle">{escape(axis)}</text>'
    )


def _mark(name: str, value: float, x: float) -> str:
    late = x > LEFT + PLOT_WIDTH * 0.7  # the words go to the side that has room
    return (
        f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{BOTTOM}" '
        'stroke="#999" stroke-dasharray="3 3"/>'
        f'<text x="{x + (-4 if late else 4):.1f}" y="{BOTTOM - 6}" '
        f'text-anchor="{"end" if late else "start"}">{escape(name)} {value:.4g}</text>'
    )


def _line(line: Line, across: Callable[[float], float], place: int | None) -> str:
    """A curve and, where there are several, its entry in the legend."""
    name, colour, dash, points = line
    style = f'stroke="{colour}" stroke-width="2"' + (f' stroke-dasharray="{dash}"' if dash else "")
    spots = " ".join(f"{across(x):.1f},{BOTTOM - PLOT_HEIGHT * y:.1f}" for x, y in points)
    drawn = f'<polyline class="line" fill="none" {style} points="{spots}"/>'
    if place is None:
        return drawn
    x, y = LEFT + 4 + 90 * place, BOTTOM + 30
    return (
        f'{drawn}<line x1="{x}" x2="{x + 22}" y1="{y}" y2="{y}" {style}/>'
        f'<text x="{x + 27}" y="{y + 4}">{escape(name)}</text>'
    )
