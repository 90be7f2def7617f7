"""Pages and pieces of them from templates; everything from outside is escaped and made visible."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

import msgspec
from jinja2 import ChoiceLoader, Environment, PackageLoader

from polyglitch.records import digest
from polyglitch.report.html import TEMPLATES as REPORT_TEMPLATES
from polyglitch.report.html import environment as report_environment
from polyglitch.review.agreement import in_words
from polyglitch.review.evidence import align, evidence
from polyglitch.store.queue import Wanted

STATIC = {  # the only files there are: a request for anything else finds nothing
    "report.css": (REPORT_TEMPLATES, "report.css", "text/css"),
    "review.css": ("review/static", "review.css", "text/css"),
    "review.js": ("review/static", "review.js", "text/javascript"),
    "icon.svg": ("review/static", "icon.svg", "image/svg+xml"),
    "keys.js": ("review/static", "keys.js", "text/javascript"),
}
VERDICTS = (("bug", "b"), ("not a bug", "n"), ("unsure", "u"))
LABEL_FILTERS = ("unlabelled", "labelled", "bug", "not a bug", "unsure", "disagreement")
SHELVES = {
    "issues": "Issues, worst first",
    "undecided": "Undecided cases",
    "held": "Sentences without an issue, in an order like chance",
}
KEYS = (
    ("j", "next issue"),
    ("k", "previous issue"),
    ("b", "bug, then the next issue"),
    ("n", "not a bug, then the next issue"),
    ("u", "unsure, then the next issue"),
    ("1–9", "bug of that kind, then the next issue"),
    ("c", "the bug is not in the worst case but in the next one"),
    ("z", "undo your last label and go back to it"),
    ("m", "write a note; Enter returns to the issue"),
    ("t", "dependency trees"),
    ("/", "search"),
    ("f", "filters"),
    ("r", "reviewers and agreement"),
    ("?", "this help"),
)


@cache
def environment() -> Environment:
    """The report's filters and macros, with the templates of the review before its own."""
    made = report_environment().overlay(
        loader=ChoiceLoader(
            [
                PackageLoader("polyglitch", "review/templates"),
                PackageLoader("polyglitch", REPORT_TEMPLATES),
            ]
        )
    )
    made.filters = {**made.filters, "query": query, "kappa_in_words": in_words}
    made.globals = {
        **made.globals,
        "VERDICTS": VERDICTS,
        "LABEL_FILTERS": LABEL_FILTERS,
        "KEYS": KEYS,
        "SHELVES": SHELVES,
        "align": align,
        "evidence": evidence,
        "static": static_folder(),
    }
    return made


def render(name: str, **values: Any) -> str:
    """A page or a piece of one."""
    return environment().get_template(f"{name}.html.j2").render(**values)


def query(wanted: Wanted, **more: Any) -> str:
    """A filter as the query of a URL, without what is empty."""
    values = {**msgspec.structs.asdict(wanted), **more}
    if values["shelf"] == "issues":
        del values["shelf"]
    return "?" + urlencode({k: v for k, v in values.items() if v not in ("", None)})


@cache
def static_files() -> dict[str, tuple[bytes, str]]:
    """Our own files with their types."""
    root = files("polyglitch")
    return {
        name: (root.joinpath(*folder.split("/"), file).read_bytes(), kind)
        for name, (folder, file, kind) in STATIC.items()
    }


@cache
def static_folder() -> str:
    """Where our files are: the address changes with what is in them, so a browser may keep them."""
    texts = [content.decode() for content, _ in static_files().values()]
    return f"/static/{digest(texts)}"
