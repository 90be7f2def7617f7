"""The statements of leases, claims and accounts, built once: every batch that is asked needs them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, select, update

from polyglitch.store import schema as s
from polyglitch.store.rows import COUNTED

AMOUNTS = ("requests", "characters", "cost", "reserved_characters", "reserved_cost")

KEYS: Any = bindparam("keys", expanding=True)
OWN_TOKEN: Any = bindparam("own")
NOW: Any = bindparam("now")
ALIVE = select(s.leases.c.token).where(s.leases.c.expires > NOW)  # the leases that live
RENEW = (
    update(s.leases)
    .where(s.leases.c.token == OWN_TOKEN, s.leases.c.expires > NOW)
    .values(expires=bindparam("later"))
)
TOKEN = select(s.leases.c.token).where(s.leases.c.holder == bindparam("of"))
END = delete(s.leases).where(s.leases.c.token == OWN_TOKEN)
END_EXPIRED = delete(s.leases).where(s.leases.c.expires <= NOW)
UNCLAIM_ALL = delete(s.claims).where(s.claims.c.token == OWN_TOKEN)
UNCLAIM_EXPIRED = delete(s.claims).where(s.claims.c.token.not_in(ALIVE))
CLAIMED = select(s.claims).where(s.claims.c.key.in_(KEYS), s.claims.c.token.in_(ALIVE))
# Of every batch, so in the driver's own words.
OWN = "select key from claims where token = {value} and key {keys}"
LATER = "select key from claims where token > {value} and key {keys}"
UNCLAIM = "delete from claims where token = {value} and key {keys}"
ANSWERED = "select key from outputs where key {keys}"
FREE = """
on conflict (key) do update set token = excluded.token
where claims.token not in (select token from leases where expires > {})
"""
ADD_CLAIMS = {
    "sqlite": "insert into claims (key, token) values (?, ?)" + FREE.format("?"),  # noqa: S608 - no text of others
    "postgresql": "insert into claims (key, token) select unnest(%s::bytea[]), %s"
    + FREE.format("%s"),
}
SUMS = select(
    func.sum(s.spending.c.requests),
    func.sum(s.spending.c.characters + s.spending.c.reserved_characters),
    func.sum(s.spending.c.cost + s.spending.c.reserved_cost),
).where(s.spending.c.run == bindparam("of"), s.spending.c.worker != bindparam("but"))


@cache
def upserts(insert: Any) -> tuple[Any, Any]:
    """In a database's own dialect: add a lease, an account."""
    account = insert(s.spending)
    return (
        insert(s.leases).on_conflict_do_nothing(),
        account.on_conflict_do_update(
            index_elements=["run", "worker"],
            set_={name: account.excluded[name] for name in AMOUNTS},
        ),
    )


def add_claims(connection: Connection, keys: Sequence[bytes], token: int, now: float) -> int:
    """Claim what nobody alive has claimed; how many claims were made."""
    name = connection.dialect.name
    values: Any = [(key, token, now) for key in keys]
    if name == "postgresql":
        values = (list(keys), token, now)
    done = connection.exec_driver_sql(ADD_CLAIMS[name], values, execution_options=COUNTED)
    return done.rowcount
