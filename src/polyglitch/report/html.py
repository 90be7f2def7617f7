"""A report in the format that the file's extension names, written whole or not at all; above all as one HTML file that
needs nothing else, streamed card by card.
"""

from __future__ import annotations

import base64
import gc
import gzip
import hashlib
import json
import os
import re
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.resources import files
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

from markupsafe import Markup

from polyglitch import registry
from polyglitch.errors import UsageError
from polyglitch.files.foreign import spelled_out
from polyglitch.registry import suggest
from polyglitch.report.cards import Card, card, language_tag, number_in_words, show_violation
from polyglitch.report.marks import marked, visible
from polyglitch.results.answer import capability, day_in_words, relation_in_words
from polyglitch.results.curves import HEIGHT, WIDTH, Curve, svg_panels
from polyglitch.results.findings import Finding, ReportLimits, Summary
from polyglitch.results.history import History
from polyglitch.results.tables import told
from polyglitch.results.ways_back import bring_back

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = "report/templates"
PACKED_TOGETHER = 100  # cards unpacked in one go: a tenth of a second in a browser
Packed = str
COLLECTED_AT = 50_000  # new objects: some megabytes
STDOUT = "-"  # as the name of a report: lines of JSON on standard output
Writer = Callable[[Summary, Iterable[Finding], ReportLimits], Iterator[str]]

# Lazy names, as in the registry: a CSV report has no need of Jinja2.
WRITERS = {
    ".html": "polyglitch.report.html:html_report",
    ".jsonl": "polyglitch.report.text_formats:jsonl_report",
    ".csv": "polyglitch.report.text_formats:csv_report",
    ".md": "polyglitch.report.text_formats:markdown_report",
    ".xml": "polyglitch.report.ci_formats:junit_report",
    ".sarif": "polyglitch.report.ci_formats:sarif_report",
    ".inspect.json": "polyglitch.report.evaluation_logs:inspect_log",
    ".promptfoo.json": "polyglitch.report.evaluation_logs:promptfoo_results",
}


FOR_PEOPLE = (".html", ".md")


@cache
def environment() -> Environment:
    """Templates with escaping on, and the filters that show hostile text."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

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
        answered=answered,
        language=language_tag,
        panels=panels,
        day=day_in_words,
        about_method=about_method,
        tested=relation_in_words,
        capability=capability,
        command=command,
        told=told,
    )
    made.globals.update(panel_size=(WIDTH, HEIGHT))
    return made


def html_report(
    summary: Summary, findings: Iterable[Finding], limits: ReportLimits
) -> Iterator[str]:
    """The page in pieces: the worst findings as cards, the rest packed; no more than a pack is held at a time."""
    style, script = asset("report.css"), asset("filter.js")
    shown = islice(findings, limits.cards + limits.packed)
    made = (card(n, found, summary.languages, limits) for n, found in enumerate(shown, 1))
    total = summary.findings or summary.issues
    at_once = limits.cards if total <= limits.cards else min(limits.cards, limits.first)
    worst = next(made, None)
    cards = chain(filter(None, [worst]), made)
    page = environment().get_template("page.html.j2")
    return page.generate(
        summary=summary,
        worst=worst,
        cards=islice(cards, at_once),
        packs=packs(cards),
        bugs=[
            (bug, bug.shown and show_violation(*bug.shown, summary.languages, limits.characters))
            for bug in summary.bugs
        ],
        folded=max(total - at_once, 0),
        total=total,
        limits=limits,
        style=style,
        script=script,
        policy=(
            f"default-src 'none'; style-src {source_hash(style)}; "
            f"script-src {source_hash(script)}; base-uri 'none'; form-action 'none'"
        ),
    )


def packs(cards: Iterator[Card]) -> Iterator[tuple[int, Packed, Packed]]:
    """The cards that are left, some at a time: how many, what they are filtered by, and themselves."""
    drawn = environment().get_template("parts.html.j2").module.finding  # type: ignore[attr-defined]
    while some := list(islice(cards, PACKED_TOGETHER)):
        index = [{"words": words_of(one), **json.loads(one.index)} for one in some]
        yield len(some), packed(index), packed([drawn(one) for one in some])


def packed(value: Any) -> Packed:
    """Data as a page carries it until it is wanted: JSON, compressed, in letters that mean nothing to HTML."""
    raw = json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")
    # Without the time of day: the same findings make the same page.
    return base64.b64encode(gzip.compress(raw, compresslevel=6, mtime=0)).decode()


def words_of(shown: Card) -> str:
    """What a search looks through of a card that is not drawn yet."""
    found = shown.finding
    parts = [found.issue.id, found.seed.id, found.issue.kind, *found.methods]
    for trial, verdict in found.violations:
        parts += [verdict.reason, *verdict.reasons, *(item.text for item in trial.case.inputs)]
        parts += [output.said for output in trial.outputs]
    return spelled_out(" ".join(dict.fromkeys(parts))).lower()


def about_method(name: str) -> str:
    """What a method does, in a line; nothing for one that is not installed here."""
    try:
        return registry.entry("methods", name).about
    except UsageError:
        return ""


OPTION = re.compile(r"(?<!\S)--?[\w-]+")


def command(text: str) -> Markup:
    """A command to copy, of which no line ends inside an option."""
    # As a plain string: joined as markup the new tags would be escaped.
    shown = OPTION.sub(r'<span class="option">\g<0></span>', str(visible(text)))
    return Markup(shown)  # noqa: S704 - escaped before, and an option has nothing to escape


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


SOON = 0.05  # seconds: an answer that is rounded to 0.0 took none that matter


def answered(latency: Mapping[str, float]) -> str:
    """How long an answer took, as a sentence."""
    middle, slow = latency.get("p50", 0.0), latency.get("p95", 0.0)
    if slow < SOON:
        return "An answer took less than 0.1 s."
    told = "less than 0.1 s" if middle < SOON else duration(middle)
    return f"An answer took {told}, one in twenty {duration(slow)} or more."


def duration(seconds: float) -> str:
    """How long something took, in the two largest units that matter."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def writer_for(path: Path) -> Writer:
    """The writer that a file's extension names, or an error that names the known ones."""
    extension = ".jsonl" if str(path) == STDOUT else path.suffix.lower()
    if extension == ".json":  # of several kinds: the name before it tells which
        extension = "".join(path.suffixes[-2:]).lower()
    if extension not in WRITERS:
        raise UsageError(
            f"cannot write a report to {str(path)!r}: no format has the extension "
            f"{extension!r}{suggest(extension, tuple(WRITERS))}"
        )
    module, _, name = WRITERS[extension].partition(":")
    return cast(Writer, getattr(import_module(module), name))


def findings_for(path: str | Path, history: History) -> Iterator[Finding]:
    """A run's findings as a format wants them: for people, what several methods found on the same inputs is one."""
    return history.merged_findings() if read_by_people(path) else history.findings()


def prepare(paths: Iterable[str | Path], history: History) -> None:
    """Have ready what reports for people show of a run beside its results; before its summary, which tells of it."""
    if any(map(read_by_people, paths)):
        bring_back(history)


def read_by_people(path: str | Path) -> bool:
    """Whether a report is a page and no data."""
    return Path(path).suffix.lower() in FOR_PEOPLE


def write_report(
    path: str | Path,
    summary: Summary,
    findings: Iterable[Finding],
    limits: ReportLimits | None = None,
) -> Path:
    """Write a campaign's findings, worst first as they come, each read when it is written."""
    path = Path(path)
    pieces = writer_for(path)(summary, findings, limits or ReportLimits())
    if str(path) == STDOUT:
        for piece in pieces:
            sys.stdout.buffer.write(piece.encode("utf-8", "backslashreplace"))
        sys.stdout.flush()
        return path
    with rarely_collected(), replacing(path) as stream:
        for piece in pieces:
            stream.write(piece)
    return path


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Look for unused cycles only now and then: a report makes millions of objects, and they go by themselves.

    Every few hundred objects, as is usual, looking takes a tenth of a report's time (`python -m benchmarks.scale`)."""
    before = gc.get_threshold()
    gc.set_threshold(COLLECTED_AT, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """A text file that takes its place only when all of it is written."""
    # Not tempfile: its files are readable by their owner alone, and a report is to be shared.
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = draft.open("x", encoding="utf-8", errors="backslashreplace", newline="")
    except OSError as error:
        raise UsageError(
            f"cannot write a report to {str(path)!r}: {error}; name a file in a folder that "
            "you may write to"
        ) from error
    try:
        with stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
