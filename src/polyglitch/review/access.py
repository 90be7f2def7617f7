"""What stands before every request: the host must be ours, a write must come from our own page.

Who is at the other end: a session in a cookie, a token for its writes, a password where one is set.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import quote, unquote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Not "no-referrer": with it, browsers send "Origin: null" with the forms of our own pages.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


class Hosts:
    """The names under which this server may be asked for, against DNS rebinding."""

    def __init__(self, host: str, port: int, more: Iterable[str] = ()) -> None:
        named = f"[{host}]" if ":" in host and not host.startswith("[") else host
        names = {*LOOPBACK, named.lower(), *(name.lower() for name in more)}
        self._known = {f"{name}:{port}" for name in names} | (names if port == 80 else set())
        self._known |= {name.lower() for name in more}  # behind a proxy the port is another
        self._any_address = host in ("0.0.0.0", "::", "[::]")  # noqa: S104 - told apart, not bound
        self._port = port

    def know(self, header: str) -> bool:
        """Whether a Host header names us. Where all addresses listen, any bare address does: only a
        name can be made to point elsewhere."""
        if header.lower() in self._known:
            return True
        if not self._any_address:
            return False
        host, _, port = header.rpartition(":")
        try:
            ipaddress.ip_address(host.strip("[]"))
        except ValueError:
            return False
        return port == str(self._port)


class Guard:
    """Checks the host and the origin, finds the session, and sets the headers of every response."""

    def __init__(self, app: ASGIApp, hosts: Hosts, sessions: Sessions) -> None:
        self.app, self.hosts, self.sessions = app, hosts, sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or answer it here."""
        if scope["type"] != "http":  # no websockets here
            return
        session = self.sessions.find(session_cookie(scope, self.sessions.cookie))
        fresh = session is None
        headers = Headers(scope=scope)
        refusal = self.refuse(scope["method"], headers)
        if refusal is None and session is None and not self.sessions.guarded:
            session = self.sessions.start(client_of(scope))
        if refusal is None and not self.may_enter(scope["path"], session):
            refusal = RedirectResponse("/login", 303)
        scope.setdefault("state", {})["session"] = session

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                set_headers(MutableHeaders(scope=message), message["status"], scope["path"])
                if fresh and session:
                    self.hand_out(message, session)
            await send(message)

        await (refusal or self.app)(scope, receive, send_safely)

    def hand_out(self, message: Message, session: Session) -> None:
        """Give a browser the cookie of its new session."""
        response = Response()
        self.sessions.set_cookie(response, session)
        cookies = [pair for pair in response.raw_headers if pair[0] == b"set-cookie"]
        message["headers"] = [*message["headers"], *cookies]

    def refuse(self, method: str, headers: Headers) -> Response | None:
        """Why a request is not answered, whoever sends it."""
        host = headers.get("host", "")
        if not self.hosts.know(host):
            return PlainTextResponse(
                "This server is not known by that name; start it with --allow-host NAME.", 421
            )
        if method in ("GET", "HEAD"):
            return None
        if method != "POST":
            return PlainTextResponse("Only GET and POST are answered.", 405)
        if urlsplit(headers.get("origin", "")).netloc.lower() != host.lower():
            return PlainTextResponse("A write must come from a page of this server.", 403)
        return None

    def may_enter(self, path: str, session: Session | None) -> bool:
        """Whether a page is open to a visitor: before the password, the form that asks for it."""
        return session is not None or path == "/login" or path.startswith("/static/")


def client_of(scope: Scope) -> str:
    """The address that a request comes from."""
    return str(scope["client"][0]) if scope.get("client") else ""


def session_cookie(scope: Scope, name: str) -> str | None:
    """The session's identity in a request, if it carries one."""
    try:
        cookies = SimpleCookie(Headers(scope=scope).get("cookie", ""))
    except CookieError:
        return None
    return cookies[name].value if name in cookies else None


def set_headers(headers: MutableHeaders, status: int, path: str) -> None:
    """The headers of every response; pages are never kept, our own files always."""
    for name, value in HEADERS.items():
        headers[name] = value
    ours = status == 200 and path.startswith("/static/")
    headers["cache-control"] = "max-age=31536000, immutable" if ours else "no-store"


MOST_SESSIONS = 2000  # the oldest is forgotten, so that memory stays bounded
MOST_OF_CLIENT = 100  # of one address: who opens more pushes out its own, nobody else's
LONGEST_NAME = 60
REVIEWER_COOKIE = "polyglitch_reviewer"
YEAR = 365 * 24 * 3600


@dataclass
class Session:
    """A browser; the token is in its pages and comes back with every write."""

    id: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    client: str = ""  # the address that opened it
    used: bool = False  # whether its cookie ever came back

    def owns(self, token: str) -> bool:
        """Whether a write comes from a page of this session."""
        return hmac.compare_digest(self.token.encode(), token.encode("utf-8", "replace"))


class Sessions:
    """The open sessions of a server, in memory: a restart signs everyone out."""

    def __init__(self, port: int, password: str = "") -> None:
        # Cookies are shared between the ports of a host, and several reviews may be open at once.
        self.cookie = f"polyglitch_session_{port}"
        self._password = password
        self._open: OrderedDict[str, Session] = OrderedDict()

    @property
    def guarded(self) -> bool:
        """Whether a password is asked for."""
        return bool(self._password)

    def find(self, identity: str | None) -> Session | None:
        """The session of a cookie."""
        found = self._open.get(identity) if identity else None
        if found:
            self._open.move_to_end(found.id)
            found.used = True
        return found

    def start(self, client: str) -> Session:
        """A new session of an address; where a password is set, `sign_in` alone asks for one."""
        own = [one for one in self._open.values() if one.client == client]
        if len(own) >= MOST_OF_CLIENT:
            self._open.pop(next((one for one in own if not one.used), own[0]).id)
        elif len(self._open) >= MOST_SESSIONS:
            self._open.popitem(last=False)
        made = Session(client=client)
        self._open[made.id] = made
        return made

    def sign_in(self, client: str, password: str) -> Session | None:
        """A fresh session for who knows the password."""
        if not hmac.compare_digest(
            self._password.encode("utf-8", "replace"), password.encode("utf-8", "replace")
        ):
            return None
        return self.start(client)

    def set_cookie(self, response: Response, session: Session) -> None:
        """The session in a cookie that scripts cannot read and other sites cannot send."""
        response.set_cookie(self.cookie, session.id, httponly=True, samesite="strict", path="/")


def reviewer_name(text: str) -> str:
    """A name as it is kept: one line, printable, not too long; empty where nothing is left."""
    shown = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(shown.split())[:LONGEST_NAME].strip()


def name_to_cookie(name: str) -> str:
    """A name in the characters that a cookie may have."""
    return quote(name, safe="")


def name_from_cookie(value: str | None) -> str:
    """The name in a cookie, cleaned again: a cookie is input like any other."""
    return reviewer_name(unquote(value, errors="replace")) if value else ""
