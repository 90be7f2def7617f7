"""What each process is asking right now: claimed by key for a while, so that no other asks it as well.

A claim ends with its output, in the same transaction. One whose process is gone lapses: at once where that can be
seen, after its time where the process was on another machine. Times are those of the database's clock.
"""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, bindparam, delete, select, text, update

from polyglitch.records import digest
from polyglitch.store import schema as s
from polyglitch.store.database import Database, pages

CLOCK: dict[str, Any] = {
    "sqlite": text("(julianday('now') - 2440587.5) * 86400.0"),
    "postgresql": text("extract(epoch from clock_timestamp())"),
}


class Claims(Database):
    """The claims of all processes on a store."""

    def claim(self, keys: Sequence[str], owner: str, seconds: float) -> set[str]:
        """Claim what nobody has; which of the keys are now the owner's."""
        mine: set[str] = set()
        c = s.claims
        with self._engine.begin() as connection:
            now = self._now(connection)
            for some in pages(sorted(keys)):
                held = {
                    row.key: row for row in connection.execute(select(c).where(c.c.key.in_(some)))
                }
                lapsed = [k for k, row in held.items() if row.until < now or is_gone(row.owner)]
                if lapsed:
                    # Named with the owner that was seen: another process may have taken it over by now.
                    gone = delete(c).where(c.c.key == bindparam("k"), c.c.owner == bindparam("o"))
                    rows = [{"k": key, "o": held[key].owner} for key in lapsed]
                    connection.execute(gone, rows)
                new = [{"key": key, "owner": owner, "until": now + seconds} for key in some]
                connection.execute(self._insert(c).on_conflict_do_nothing(), new)
                own = select(c.c.key).where(c.c.key.in_(some), c.c.owner == owner)
                mine |= set(connection.scalars(own))
        return mine

    def renew(self, owner: str, seconds: float) -> None:
        """Say that the owner is still at work."""
        with self._engine.begin() as connection:
            until = self._now(connection) + seconds
            connection.execute(
                update(s.claims).where(s.claims.c.owner == owner).values(until=until)
            )

    def release(self, owner: str, keys: Iterable[str] | None = None) -> None:
        """Give up some claims of an owner, or all of them."""
        with self._engine.begin() as connection:
            if keys is None:
                connection.execute(delete(s.claims).where(s.claims.c.owner == owner))
            for some in pages(sorted(keys or ())):
                mine = (s.claims.c.owner == owner) & s.claims.c.key.in_(some)
                connection.execute(delete(s.claims).where(mine))

    def _now(self, connection: Connection) -> float:
        return float(connection.scalar(select(CLOCK[self._engine.dialect.name])) or 0.0)


def new_owner() -> str:
    """A name for whoever claims: machine, process, and a word of its own."""
    return f"{_machine()}:{os.getpid()}:{secrets.token_hex(4)}"


def is_gone(owner: str) -> bool:
    """Whether the process of an owner has surely ended; of other machines this cannot be seen."""
    machine, pid, _ = owner.split(":")
    if os.name != "posix" or machine != _machine():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _machine() -> str:
    # Containers may share a name; the space of process numbers is what `is_gone` relies on.
    space = Path("/proc/self/ns/pid")
    return digest([socket.gethostname(), os.readlink(space) if space.is_symlink() else ""])
