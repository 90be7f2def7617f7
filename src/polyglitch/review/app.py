"""The web application: a page, its pieces, and the few writes there are."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from msgspec.structs import replace
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from polyglitch.evaluate.study import agreements, mean_kappa
from polyglitch.records import Label
from polyglitch.results.labelled import WRONG
from polyglitch.review.access import (
    REVIEWER_COOKIE,
    YEAR,
    Guard,
    Hosts,
    Sessions,
    client_of,
    name_from_cookie,
    name_to_cookie,
    reviewer_name,
)
from polyglitch.review.evidence import Trees
from polyglitch.review.home import Home
from polyglitch.review.pages import (
    OTHER_SHELVES,
    VERDICTS,
    Form,
    place_of,
    prepare,
    query,
    read_fields,
    render,
    session_of,
    static_files,
    static_folder,
    wanted_of,
    write,
)
from polyglitch.review.queue_view import PAGE, Desks, Opened, QueueView
from polyglitch.review.run_pages import RunPages
from polyglitch.store.labels import QueueFilter, QueueRow, now

WRONG_PASSWORD_PAUSE = 1.0  # seconds, one attempt of an address at a time: guessing takes for ever
MOST_WAITING = (
    4  # attempts of one address: the honest one behind them waits as many seconds at most
)
LONGEST_NOTE = 2000
LONGEST_KIND, MOST_KINDS = 60, 8  # of further kinds that a reviewer names


def make_app(desk: QueueView, trees: Trees, hosts: Hosts, sessions: Sessions) -> Starlette:
    """The application: home, and the pages of any run of the store; those without a name are of the first."""
    prepare()
    desks = Desks(desk)
    review, told = Review(desks, trees), RunPages(desks)
    home = Home(desks)
    of_a_run = [
        ("/", review.page, "GET"),
        ("/rows", review.rows, "GET"),
        ("/issue/{issue}", review.issue, "GET"),
        ("/trees/{issue}", review.draw_trees, "GET"),
        ("/reviewers", review.reviewers, "GET"),
        ("/label", write(review.label), "POST"),
        ("/undo", write(review.undo), "POST"),
        ("/labels", told.labels, "GET"),
        ("/calibrate", write(told.calibrate), "POST"),
        ("/bugs", told.bugs, "GET"),
        ("/bug/{bug}", told.bug, "GET"),
    ]
    return guarded(
        [
            *(
                Route(base + path, handler, methods=[method])
                for base in ("", "/run/{run}")
                for path, handler, method in of_a_run
            ),
            Route("/home", home.page),
            Route("/live/{run}", home.live),
            Route("/live/{run}/piece", home.live_piece),
            Route("/compare", home.compare),
        ],
        hosts,
        sessions,
    )


def guarded(routes: Sequence[Route], hosts: Hosts, sessions: Sessions) -> Starlette:
    """Pages behind the guard, with a door: a name, and a password where one is set."""
    door = Login(sessions)
    return Starlette(
        routes=[
            *routes,
            Route("/name", door.ask_name),
            Route("/name", write(door.take_name), methods=["POST"]),
            Route("/login", door.ask_password),
            Route("/login", door.take_password, methods=["POST"]),
            Route(static_folder() + "/{name}", static),
        ],
        middleware=[Middleware(Guard, hosts=hosts, sessions=sessions)],
        exception_handlers={HTTPException: problem, 500: problem},
    )


class Review:
    """The pages about issues."""

    def __init__(self, desks: Desks, trees: Trees) -> None:
        self.desks, self.trees, self.store = desks, trees, desks.store

    def page(self, request: Request) -> Response:
        """The whole page: filters, the list around a place, and the issue there."""
        who = reviewer(request)
        if not who:
            base = self.desks.base(request)
            return RedirectResponse(f"/name?next={base}/" if base else "/name", 303)
        desk, wanted = self.desks.of(request), wanted_of(request.query_params)
        at = place_of(request.query_params, "at") or 0
        rows, current = desk.window(who, wanted, at)
        return HTMLResponse(
            render(
                "review",
                base=self.desks.base(request),
                desk=desk,
                who=who,
                token=session_of(request).token,
                wanted=wanted,
                lines=desk.lines(rows),
                opened=desk.open(who, current) if current else None,
                # A search through all texts is not made twice where the list shows all it found.
                count=len(rows) if at < 2 and len(rows) < PAGE else desk.count(who, wanted),
                done=desk.done(who),
                kinds=desk.kinds(),
            )
        )

    def rows(self, request: Request) -> Response:
        """More of the list, after or before a place."""
        desk, base = self.desks.of(request), self.desks.base(request)
        who, wanted = named(request), wanted_of(request.query_params)
        after, before = (place_of(request.query_params, name) for name in ("after", "before"))
        rows = desk.page(who, wanted, after=after, before=before)
        lines = desk.lines(rows)
        return HTMLResponse(render("rows", base=base, lines=lines, wanted=wanted, current=None))

    def issue(self, request: Request) -> Response:
        """One issue as a piece of a page."""
        base = self.desks.base(request)
        return HTMLResponse(render("issue", base=base, opened=self.opened(request)))

    def draw_trees(self, request: Request) -> Response:
        """The dependency trees of an issue's worst violation."""
        opened = self.opened(request)
        if opened.card.worst is None:
            raise HTTPException(404, "no case")
        drawn = self.trees.draw(opened.card.worst.trial, self.desks.of(request).languages)
        return HTMLResponse(render("trees", rows=drawn))

    def reviewers(self, request: Request) -> Response:
        """How far everyone is, and how far they agree."""
        desk = self.desks.of(request)
        found = agreements(self.store.labels.joint(desk.run_id, desk.hidden))
        alone = "text/html" in request.headers.get("accept", "")  # no script fetched it
        return HTMLResponse(
            render(
                "reviewers_page" if alone else "reviewers",
                base=self.desks.base(request),
                desk=desk,
                counts=self.store.labels.counts(desk.run_id, desk.hidden),
                found=found,
                mean=mean_kappa(found),
            )
        )

    def label(self, request: Request, form: Form) -> Response:
        """Keep what the reviewer says of an issue."""
        desk, who = self.desks.of(request), named(request)
        row = self.row(request, form.get("issue", ""))
        kind = form.get("kind", "")
        verdict = form.get("verdict") or ("bug" if kind else "")
        allowed = {*desk.open(who, row).kinds, row.kind, ""}
        case = form.get("case", "")
        if verdict not in dict(VERDICTS) or kind not in allowed:
            raise HTTPException(400, "no such verdict or kind")
        if case and case not in row.issue.case_ids:
            raise HTTPException(400, "no such case in this issue")
        wrong = form.get("wrong", "")
        if wrong and wrong not in WRONG:
            raise HTTPException(400, "no such output")
        more = [name.strip()[:LONGEST_KIND] for name in form.get("also", "").split(",")]
        also = tuple(dict.fromkeys(name for name in more if name and name != kind))[:MOST_KINDS]
        note = form.get("note", "")[:LONGEST_NOTE]
        # `verdict` and `wrong` are among those that the record allows, which a type checker cannot see.
        said = (verdict, who, now(), kind, note, case, wrong, also)
        label = Label(row.id, *said)  # type: ignore[arg-type]
        for twin in desk.history.twins.get(row.id, ()):  # the same finding of another method
            self.store.labels.set(desk.run_id, replace(label, issue_id=twin.id, case=""))
        self.store.labels.set(desk.run_id, label)
        told = f"Issue {desk.number(row.position)}: {verdict}" + (f", {kind}" if kind else "")
        return self.answer(request, told, row, row.position + 1)

    def undo(self, request: Request, form: Form) -> Response:
        """Take back the reviewer's last label."""
        desk, who = self.desks.of(request), named(request)
        issue = self.store.labels.undo(desk.run_id, who)
        if issue is None:
            return self.answer(request, "Nothing to undo", None, 0)
        for _ in desk.history.twins.get(issue, ()):  # labelled right before it
            self.store.labels.undo(desk.run_id, who)
        row = self.row(request, issue)
        return self.answer(request, f"Undone: issue {desk.number(row.position)}", row, row.position)

    def answer(self, request: Request, said: str, row: QueueRow | None, onward: int) -> Response:
        """What a write came to: for the script as data, for a browser without it as the next page."""
        if request.headers.get("accept") != "application/json":
            place = {"at": onward} if onward else {}
            onto = self.desks.base(request) + "/" + query(wanted_of(request.query_params), **place)
            return RedirectResponse(onto, 303)
        who, desk = named(request), self.desks.of(request)
        opened = desk.open(who, row) if row else None
        return JSONResponse(
            {
                "said": said,
                "issue": row.id if row else "",
                "verdict": opened.own.verdict if opened and opened.own else "",
                "piece": render("issue", base=self.desks.base(request), opened=opened)
                if opened
                else "",
                "done": desk.done(who),
                "total": desk.total,
            }
        )

    def opened(self, request: Request) -> Opened:
        """The issue that an address names."""
        row = self.row(request, request.path_params["issue"])
        return self.desks.of(request).open(named(request), row)

    def row(self, request: Request, issue: str) -> QueueRow:
        """A row by its id."""
        for shelf in OTHER_SHELVES if ":" in issue else ("issues",):
            found = self.store.queue.row(
                self.desks.of(request).run_id, named(request), QueueFilter(shelf), issue
            )
            if found is not None:
                return found
        raise HTTPException(404, "no such issue in this run")


class Attempts:
    """Passwords are tried one at a time by each address: who guesses holds up only itself, and not for long."""

    def __init__(self) -> None:
        self._waiting: Counter[str] = Counter()
        self._turns: dict[str, asyncio.Lock] = {}

    @asynccontextmanager
    async def turn(self, client: str) -> AsyncIterator[bool]:
        """The turn of an address; false where too many of its attempts wait already."""
        if self._waiting[client] >= MOST_WAITING:
            yield False
            return
        self._waiting[client] += 1
        try:
            async with self._turns.setdefault(client, asyncio.Lock()):
                yield True
        finally:
            self._waiting[client] -= 1
            if not self._waiting[client]:  # nobody waits: nothing of this address is kept
                del self._waiting[client], self._turns[client]


class Login:
    """Who comes in: a name, and a password where one is set."""

    def __init__(self, sessions: Sessions) -> None:
        self.sessions, self.attempts = sessions, Attempts()

    def ask_name(self, request: Request) -> Response:
        """The form for the reviewer's name."""
        token, onward = session_of(request).token, own_page(request.query_params.get("next", ""))
        who = reviewer(request)
        return HTMLResponse(render("name", token=token, who=who, problem="", onward=onward))

    def take_name(self, request: Request, form: Form) -> Response:
        """Keep the name in a cookie."""
        name = reviewer_name(form.get("name", ""))
        if not name:
            token = session_of(request).token
            problem = "Labels need a name: write yours."
            onward = own_page(form.get("next", ""))
            page = render("name", token=token, who="", problem=problem, onward=onward)
            return HTMLResponse(page, 400)
        response = RedirectResponse(own_page(form.get("next", "")), 303)
        response.set_cookie(
            REVIEWER_COOKIE, name_to_cookie(name), YEAR, httponly=True, samesite="strict"
        )
        return response

    def ask_password(self, request: Request) -> Response:
        """The form for the password."""
        return HTMLResponse(render("login", wrong=False))

    async def take_password(self, request: Request) -> Response:
        """Sign in, or wait a moment and ask again."""
        client, password = (
            client_of(request.scope),
            (await read_fields(request)).get("password", ""),
        )
        async with self.attempts.turn(client) as free:
            if not free:
                raise HTTPException(429, "Too many attempts from this address; wait a few seconds.")
            found = self.sessions.sign_in(client, password)
            if found is None:
                await asyncio.sleep(WRONG_PASSWORD_PAUSE)
                return HTMLResponse(render("login", wrong=True), 403)
        response = RedirectResponse("/", 303)
        self.sessions.set_cookie(response, found)
        return response


def static(request: Request) -> Response:
    """A style sheet or script of ours."""
    found = static_files().get(request.path_params["name"])
    if found is None:
        raise HTTPException(404, "no such file")
    return Response(found[0], media_type=found[1])


def problem(request: Request, error: Exception) -> Response:
    """An error as a short page."""
    code, text = 500, "Something went wrong here; the terminal says more."
    if isinstance(error, HTTPException):
        code, text = error.status_code, error.detail
    return HTMLResponse(render("problem", code=code, text=text), code)


def own_page(text: str) -> str:
    """Where to go after the name is known: the queue of a run, never elsewhere."""
    return text if re.fullmatch(r"/run/[0-9a-f]{4,64}/", text) else "/"


def reviewer(request: Request) -> str:
    """The reviewer's name, if it is known."""
    return name_from_cookie(request.cookies.get(REVIEWER_COOKIE))


def named(request: Request) -> str:
    """The reviewer's name; without one nothing is shown or changed."""
    name = reviewer(request)
    if not name:
        raise HTTPException(403, "Say who you are first; load the page again.")
    return name
