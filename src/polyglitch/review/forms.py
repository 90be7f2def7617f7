"""What a request brings, read with care: filters from the address, fields from a form with its token."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from polyglitch.review.pages import LABEL_FILTERS
from polyglitch.review.sessions import Session
from polyglitch.store.queue import Shelf, Wanted

LONGEST_BODY = 64 * 1024
LONGEST_FIELD = 200
OTHER_SHELVES: tuple[Shelf, ...] = ("undecided", "held")
TOKEN_HEADER = "x-polyglitch-token"  # noqa: S105 - the name of a header

Form = Mapping[str, str]
Endpoint = Callable[[Request], Awaitable[Response]]


def wanted_of(values: Mapping[str, str]) -> Wanted:
    """The filter in an address; what makes no sense is left out."""
    label = values.get("label", "")
    shelf: Shelf = next((name for name in OTHER_SHELVES if name == values.get("shelf")), "issues")
    return Wanted(
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
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST_BODY:
            raise HTTPException(413, "too long")
    form = dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
    token = request.headers.get(TOKEN_HEADER) or form.get("token", "")
    if not session_of(request).owns(token):
        raise HTTPException(403, "This page is from an earlier session; load it again.")
    return form


def write(handler: Callable[[Request, Form], Response]) -> Endpoint:
    """An endpoint that changes something: it never runs without the token."""

    async def endpoint(request: Request) -> Response:
        form = await read_form(request)
        return await run_in_threadpool(handler, request, form)

    return endpoint
