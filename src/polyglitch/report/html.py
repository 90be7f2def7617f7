"""The report as one HTML file that needs nothing else, streamed card by card."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import islice

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from polyglitch.files.foreign import spelled_out
from polyglitch.report.cards import card, language_tag, number_in_words, show_violation
from polyglitch.report.marks import marked, visible
from polyglitch.results.curves import HEIGHT, WIDTH, Curve, svg_panels
from polyglitch.results.findings import Finding, ReportLimits, Summary
from polyglitch.results.matrix import told

TEMPLATES = "report/templates"


@cache
def environment() -> Environment:
    """Templates with escaping on, and the filters that show hostile text."""
    made = Environment(
        loader=PackageLoader("polyglitch", TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        visible=visible,
        plain=spelled_out,
        marked=marked,
        figure=number_in_words,
        amount=amount,
        percent=percent,
        duration=duration,
        language=language_tag,
        panels=panels,
        told=told,
    )
    made.globals.update(panel_size=(WIDTH, HEIGHT))
    return made


def html_report(
    summary: Summary, findings: Iterable[Finding], limits: ReportLimits
) -> Iterator[str]:
    """The page in pieces; no more than one card is held at a time."""
    shown = islice(findings, limits.cards)
    style, script = asset("report.css"), asset("filter.js")
    page = environment().get_template("page.html.j2")
    return page.generate(
        summary=summary,
        cards=(card(n, found, summary.languages, limits) for n, found in enumerate(shown, 1)),
        bugs=[
            (bug, bug.shown and show_violation(*bug.shown, summary.languages, limits.characters))
            for bug in summary.bugs
        ],
        unseen=max(summary.issues - limits.cards, 0),
        limits=limits,
        style=style,
        script=script,
        policy=(
            f"default-src 'none'; style-src {source_hash(style)}; "
            f"script-src {source_hash(script)}; base-uri 'none'; form-action 'none'"
        ),
    )


def panels(curve: Curve) -> list[Markup]:
    """The pictures of a curve, to be set into the page as they are."""
    return [Markup(panel) for panel in svg_panels(curve)]  # noqa: S704 - escaped where it is drawn


def asset(name: str) -> Markup:
    """A style sheet or script of ours, to be set into the page as it is."""
    text = files("polyglitch").joinpath(*TEMPLATES.split("/"), name).read_text("utf-8")
    return Markup(text)  # noqa: S704 - shipped with the package, never from outside


def source_hash(text: str) -> str:
    """How a content security policy names an inline style or script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def amount(count: int) -> str:
    """A count with its thousands set apart."""
    return f"{count:,}"


def percent(part: float, whole: float) -> float:
    """A share in percent, fit for the width of a bar."""
    return round(min(max(part / whole, 0.0), 1.0) * 100, 1) if whole > 0 else 0.0


def duration(seconds: float) -> str:
    """How long something took, in the two largest units that matter."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
