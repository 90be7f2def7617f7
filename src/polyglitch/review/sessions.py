"""Who is at the other end: a session in a cookie, a token for its writes, a password where one is set."""

from __future__ import annotations

import hmac
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from starlette.responses import Response

MOST_SESSIONS = 2000  # the oldest is forgotten: a stranger without cookies cannot fill the memory
LONGEST_NAME = 60
REVIEWER_COOKIE = "polyglitch_reviewer"
YEAR = 365 * 24 * 3600


@dataclass
class Session:
    """A browser; the token is in its pages and comes back with every write."""

    id: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    signed_in: bool = False

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
        return found

    def start(self) -> Session:
        """A new session, signed in where there is no password."""
        made = Session(signed_in=not self.guarded)
        self._open[made.id] = made
        while len(self._open) > MOST_SESSIONS:
            self._open.popitem(last=False)
        return made

    def sign_in(self, old: Session, password: str) -> Session | None:
        """A fresh session for who knows the password: an identity known before is worth nothing."""
        if not hmac.compare_digest(
            self._password.encode("utf-8", "replace"), password.encode("utf-8", "replace")
        ):
            return None
        self._open.pop(old.id, None)
        made = self.start()
        made.signed_in = True
        return made

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
