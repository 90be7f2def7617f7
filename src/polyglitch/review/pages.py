"""Pages and pieces of them from templates; everything from outside is escaped and made visible.

What a request brings, read with care: filters from the address, fields from a form with its token.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl, urlencode

import msgspec
from jinja2 import ChoiceLoader, Environment, PackageLoader
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from polyglitch.evaluate.study import in_words
from polyglitch.records import digest
from polyglitch.report.html import TEMPLATES as REPORT_TEMPLATES
from polyglitch.report.html import environment as report_environment
from polyglitch.review.access import Session
from polyglitch.review.evidence import align, evidence
from polyglitch.store.labels import QueueFilter, Tab

STATIC = {  # the only files there are: a request for anything else finds nothing
    "report.css": (REPORT_TEMPLATES, "report.css", "text/css"),
    "review.css": ("review/static", "review.css", "text/css"),
    "review.js": ("review/static", "review.js", "text/javascript"),
    "icon.svg": ("review/static", "icon.svg", "image/svg+xml"),
    "keys.js": ("review/static", "keys.js", "text/javascript"),
    "live.js": ("review/static", "live.js", "text/javascript"),
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


FIRST_PAGE = ("base", "review", "rows", "issue", "judge", "proof", "parts")  # its templates


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
    made.filters = {**made.filters, "query": query, "kappa_in_words": in_words, "step": matrix_step}
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


def prepare() -> None:
    """Compile what the first page is made of before anybody waits for it: two thirds of its time."""
    for name in FIRST_PAGE:
        environment().get_template(f"{name}.html.j2")


def render(name: str, **values: Any) -> str:
    """A page or a piece of one."""
    return environment().get_template(f"{name}.html.j2").render(**values)


def matrix_step(share: float) -> int:
    """The colour of a share in a matrix, from bad to good: a translator that holds in 90% is not good yet."""
    return sum(share >= bound for bound in (0.5, 0.8, 0.9, 0.97))


def query(wanted: QueueFilter, **more: Any) -> str:
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


LONGEST_BODY = 64 * 1024
LONGEST_FIELD = 200
OTHER_SHELVES: tuple[Tab, ...] = ("undecided", "held")
TOKEN_HEADER = "x-polyglitch-token"  # noqa: S105 - the name of a header

Form = Mapping[str, str]
Endpoint = Callable[[Request], Awaitable[Response]]


def wanted_of(values: Mapping[str, str]) -> QueueFilter:
    """The filter in an address; what makes no sense is left out."""
    label = values.get("label", "")
    shelf: Tab = next((name for name in OTHER_SHELVES if name == values.get("shelf")), "issues")
    return QueueFilter(
        shelf=shelf,
        method=values.get("method", "")[:LONGEST_FIELD],
        kind=values.get("kind", "")[:LONGEST_FIELD],
        least=number_of(values.get("least", "")),
        label=label if label in LABEL_FILTERS else "",
        search=values.get("search", "").strip()[:LONGEST_FIELD],
    )


def number_of(text: str) -> float | None:
    """A finite number, or nothing."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def place_of(values: Mapping[str, str], name: str) -> int | None:
    """A position in the queue, or nothing."""
    text = values.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def session_of(request: Request) -> Session:
    """The session that the guard found."""
    session = request.state.session
    if not isinstance(session, Session):
        raise HTTPException(403, "no session")
    return session


async def read_form(request: Request) -> Form:
    """The fields of a form, refused unless its token is that of the session."""
    form = await read_fields(request)
    token = request.headers.get(TOKEN_HEADER) or form.get("token", "")
    if not session_of(request).owns(token):
        raise HTTPException(403, "This page is from an earlier session; load it again.")
    return form


async def read_fields(request: Request) -> Form:
    """The fields of a form, whoever sends it."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST_BODY:
            raise HTTPException(413, "too long")
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))


def write(handler: Callable[[Request, Form], Response]) -> Endpoint:
    """An endpoint that changes something: it never runs without the token."""

    async def endpoint(request: Request) -> Response:
        form = await read_form(request)
        return await run_in_threadpool(handler, request, form)

    return endpoint
