"""A store on a PostgreSQL server: its address, the driver, and what must not be shown of it."""

from __future__ import annotations

import re
from importlib.util import find_spec

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from polyglitch.errors import Missing, UsageError

DRIVER = "postgresql+psycopg"
NAMES = ("postgresql", "postgres", DRIVER)


def server_url(where: str) -> URL:
    """The address of a server, with the driver that the extra `postgres` brings."""
    try:
        url = make_url(where)
    except (ArgumentError, ValueError):  # a port that is no number is a ValueError
        raise UsageError(
            f"--store {shown(where)!r} is no database URL; use a file, or postgresql://user@host/name"
        ) from None
    if url.drivername not in NAMES:
        raise UsageError(
            f"--store {shown(where)!r}: {url.drivername!r} is no database that a store can be in; "
            "use a file for SQLite, or postgresql://user@host/name"
        )
    if find_spec("psycopg") is None:
        raise Missing("psycopg", "a store on PostgreSQL", "pip install 'polyglitch[postgres]'")
    return url.set(drivername=DRIVER)


def shown(where: str) -> str:
    """A file or URL as it may be printed and kept: without its password."""
    if "://" not in where:
        return where
    where = re.sub(r"([?&]password=)[^&]*", r"\1***", where)
    scheme, _, rest = where.partition("://")
    user, at, host = rest.rpartition("@")
    if not at:
        return where
    name, colon, _ = user.partition(":")
    return f"{scheme}://{name}{':***' if colon else ''}@{host}"
