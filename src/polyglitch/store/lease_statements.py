"""The statements of leases, claims and accounts, built once: every batch that is asked needs them."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import bindparam, delete, func, select, update

from polyglitch.store import schema as s

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
OWN = select(s.claims.c.key).where(s.claims.c.token == OWN_TOKEN, s.claims.c.key.in_(KEYS))
LATER = select(s.claims.c.key).where(s.claims.c.token > OWN_TOKEN, s.claims.c.key.in_(KEYS))
UNCLAIM = delete(s.claims).where(s.claims.c.token == OWN_TOKEN, s.claims.c.key.in_(KEYS))
ANSWERED = select(s.outputs.c.key).where(s.outputs.c.key.in_(KEYS))
SUMS = select(
    func.sum(s.spending.c.requests),
    func.sum(s.spending.c.characters + s.spending.c.reserved_characters),
    func.sum(s.spending.c.cost + s.spending.c.reserved_cost),
).where(s.spending.c.run == bindparam("of"), s.spending.c.worker != bindparam("but"))


@cache
def upserts(insert: Any) -> tuple[Any, Any, Any, Any]:
    """In a database's own dialect: add a lease, a claim where none lives, outputs that are new, an account."""
    claim, account = insert(s.claims), insert(s.spending)
    return (
        insert(s.leases).on_conflict_do_nothing(),
        claim.on_conflict_do_update(
            index_elements=["key"],
            set_={"token": claim.excluded.token},
            where=s.claims.c.token.not_in(ALIVE),
        ),
        insert(s.outputs).on_conflict_do_nothing().returning(s.outputs.c.key),
        account.on_conflict_do_update(
            index_elements=["run", "worker"],
            set_={name: account.excluded[name] for name in AMOUNTS},
        ),
    )
