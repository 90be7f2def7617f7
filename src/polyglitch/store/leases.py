"""Who asks what: an input is claimed under a lease before it is asked, so that two processes ask nothing twice.

A lease has an expiry, which its holder puts off while it lives, and a token that is higher than that of every lease
before it. A claim counts while its lease lives; then another may take it over, whatever became of the holder: ended,
killed, asleep, cut off. An answer ends its claim in one transaction. One that comes under a lease that lost its claim
to a later one is not kept: the later one's is. What asking may cost is set aside with the claim, in the same
transaction, and made right with the answer, so that a limit holds over all processes and after kills.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache, partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import msgspec
from sqlalchemy import Connection, bindparam, delete, func, select, update

from polyglitch.errors import LeaseLost, LimitReached
from polyglitch.records import Output
from polyglitch.store import schema as s
from polyglitch.store.cases import KNOWN
from polyglitch.store.rows import COUNTED, Array, Rows, by_keys, pages, take_turn
from polyglitch.store.schema import output_record, pack_all, read_output, unpack
from polyglitch.store.verdicts import Fence
from polyglitch.systems.spending import Meter, Spent, add

if TYPE_CHECKING:
    from polyglitch.store.store import Database

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
        values = (Array("bytea[]", keys), token, now)
    done = connection.exec_driver_sql(ADD_CLAIMS[name], values, execution_options=COUNTED)
    return done.rowcount


LEASE = 15.0  # seconds: what a killed process had under way is asked again after so long

Clock = Callable[[], float]


class Claimed(msgspec.Struct, frozen=True):
    """What came of a claim: the inputs to ask, what is set aside for them, which a limit does not pay for, and why."""

    mine: frozenset[str]
    granted: Spent = Spent()
    unpaid: frozenset[str] = frozenset()
    refusal: LimitReached | None = None


class Account:
    """What one process spends on a run; its row in the store always holds the whole of it."""

    def __init__(self, run: str, meter: Meter, lock: AbstractContextManager[Any] | None) -> None:
        self.run, self.meter, self.lock = run, meter, lock or threading.Lock()
        self.name = uuid4().hex
        self.written = False


class Leases(Rows):
    """Leases, the claims under them, and what has been spent on asking."""

    def __init__(
        self, database: Database, clock: Clock | None = None, seconds: float = LEASE
    ) -> None:
        super().__init__(database)
        self._clock, self.seconds = clock, seconds
        self._add_lease, self._put_account = upserts(self._insert)

    def grant(self, holder: str = "") -> int:
        """The token of a new lease."""
        return self.grant_to(holder or uuid4().hex)

    def grant_to(self, holder: str) -> int:
        """The token of the lease of a holder, new where it has none; what others left behind goes."""
        with self._engine.begin() as connection:
            self._write_first(connection)
            now = self._now(connection)
            self._sweep(connection, now)
            row = {"holder": holder, "expires": now + self.seconds}
            connection.execute(self._add_lease, row)
            return int(connection.scalar(TOKEN, {"of": holder}) or 0)

    def renew(self, token: int) -> None:
        """Put off the expiry of a lease that has not come yet."""
        with self._engine.begin() as connection:
            self._renew(connection, token)

    def fence(self, token: int) -> Fence:
        """What a transaction asks first that may only write while a lease lives; LeaseLost where it does not.

        Who ends the lease meanwhile waits for the end of that transaction."""
        return partial(self._renew, token=token)

    def end(self, token: int, account: Account | None = None) -> None:
        """End a lease; what was claimed under it and not answered is free, what was set aside and not sent too."""
        with _locked(account), self._engine.begin() as connection:
            # First the row that a claim needs: no claim can come in behind the deletion of the others.
            connection.execute(END, {"own": token})
            connection.execute(UNCLAIM_ALL, {"own": token})
            if account and account.written:
                self._write(connection, account, account.meter.sent, Spent())

    def claim(
        self,
        token: int,
        keys: Sequence[str],
        account: Account | None = None,
        prices: Mapping[str, Spent] | None = None,
    ) -> Claimed:
        """Claim the inputs that nobody else asks and nobody has answered, as far as the limits pay for them."""
        with _locked(account):
            with self._engine.begin() as connection:
                self._write_first(connection, alone=account is not None)
                now = self._renew(connection, token)
                mine = self._claim(connection, token, keys, now)
                wanted = [key for key in keys if key in mine]
                paid, grant, others, refusal = len(wanted), Spent(), Spent(), None
                if account and prices is not None:
                    costs = [prices[key] for key in wanted]
                    others = self._spent(connection, account.run, account.name)
                    paid = account.meter.affordable(others, costs)
                    grant = total(costs[:paid])
                    if paid < len(wanted):
                        rest = add(others, grant)
                        refusal = account.meter.refusal(rest, costs[paid])
                    self._write(
                        connection, account, account.meter.now, add(account.meter.set_aside, grant)
                    )
                    self._unclaim(connection, token, wanted[paid:])
            if account:  # not before it is written: nothing is sent that the store does not know of
                account.meter.grant(grant, others)
        return Claimed(frozenset(wanted[:paid]), grant, frozenset(wanted[paid:]), refusal)

    def claimed(self, keys: Sequence[str]) -> dict[str, int]:
        """The living leases under which these inputs are claimed."""
        found: dict[str, int] = {}
        with self._engine.connect() as connection:
            now = self._now(connection)
            for some in pages(keys):
                rows = connection.execute(CLAIMED, {"keys": some, "now": now})
                found |= {row.key: row.token for row in rows}
        return found

    def release(self, token: int, keys: Sequence[str], account: Account | None = None) -> None:
        """Give up claims without an answer."""
        self.add_answers(token, {}, keys, account)

    def add_answers(
        self,
        token: int,
        found: dict[str, Output],
        unanswered: Sequence[str] = (),
        account: Account | None = None,
    ) -> dict[str, Output]:
        """Keep outputs and end the claims on them, both or neither; the outputs that the store has now.

        Where somebody was first theirs counts, and where somebody has a later claim theirs is to come."""
        with _locked(account), self._engine.begin() as connection:
            self._write_first(connection)
            later = self._unclaim_answered(connection, token, list(found))
            self._unclaim(connection, token, unanswered)
            kept = self._keep(connection, {k: v for k, v in found.items() if k not in later})
            if account:
                self._write(connection, account, account.meter.now, account.meter.set_aside)
        return kept

    def account(
        self, run: str, meter: Meter, lock: AbstractContextManager[Any] | None = None
    ) -> Account:
        """Have a meter share the limits of a run with all other processes on it."""
        account = Account(run, meter, lock)
        meter.connect(self.spent(run), partial(self.extend, account))
        return account

    def extend(self, account: Account, wanted: Spent) -> None:
        """Set aside what a request costs that was not reckoned with, or say that the limit does not pay for it."""
        with account.lock:
            with self._engine.begin() as connection:
                self._write_first(connection, alone=True)
                others = self._spent(connection, account.run, account.name)
                if not account.meter.affordable(others, [wanted]):
                    raise account.meter.refusal(others, wanted)
                aside = add(account.meter.set_aside, wanted)
                self._write(connection, account, account.meter.now, aside)
            account.meter.grant(wanted, others)

    def spent(self, run: str) -> Spent:
        """What all processes have spent on a run, or set aside and perhaps sent."""
        with self._engine.connect() as connection:
            return self._spent(connection, run)

    def hear(self, account: Account) -> None:
        """Tell a meter what other processes have spent by now."""
        with self._engine.connect() as connection:
            account.meter.hear(self._spent(connection, account.run, account.name))

    def _now(self, connection: Connection) -> float:
        """The time by the one clock that all processes on the store share."""
        if self._clock:
            return self._clock()
        if connection.dialect.name == "postgresql":
            epoch = func.extract("epoch", func.clock_timestamp())
            return float(connection.scalar(select(epoch)) or 0.0)
        return time.time()

    def _write_first(self, connection: Connection, alone: bool = False) -> None:
        """Be a writer from the start: SQLite lets nobody become one who read while another wrote.

        On a server others may write too, unless the sum of what all have spent must stand still."""
        if alone or connection.dialect.name == "sqlite":
            take_turn(connection)

    def _renew(self, connection: Connection, token: int) -> float:
        """Renew a living lease; the time at which it was."""
        now = self._now(connection)
        values = {"own": token, "now": now, "later": now + self.seconds}
        if not connection.execute(RENEW, values).rowcount:
            raise LeaseLost(token)
        return now

    def _sweep(self, connection: Connection, now: float) -> None:
        connection.execute(END_EXPIRED, {"now": now})
        connection.execute(UNCLAIM_EXPIRED, {"now": now})

    def _claim(
        self, connection: Connection, token: int, keys: Sequence[str], now: float
    ) -> set[str]:
        """Claim what is free and not answered."""
        if not keys:
            return set()
        # In one order, whoever writes: else two writers could wait for each other for ever.
        wanted = sorted(keys)
        packed = dict(zip(pack_all(wanted), wanted, strict=True))
        added = add_claims(connection, list(packed), token, now)
        mine = set(packed)
        if added < len(packed):  # some are another's, or were claimed before
            mine = {
                row[0] for rows in by_keys(connection, OWN, list(packed), token) for row in rows
            }
        answered = by_keys(connection, ANSWERED, list(mine))
        known = {row[0] for rows in answered for row in rows}
        for _ in by_keys(connection, UNCLAIM, list(known), token):
            pass
        return {packed[key] for key in mine - known}

    def _unclaim(self, connection: Connection, token: int, keys: Sequence[str]) -> int:
        """Give up claims; how many there were."""
        packed = sorted(pack_all(keys))
        return sum(done.rowcount for done in by_keys(connection, UNCLAIM, packed, token))

    def _unclaim_answered(
        self, connection: Connection, token: int, keys: Sequence[str]
    ) -> set[str]:
        """End the claims on inputs that are answered; which of them have one under a later lease: the fence."""
        if self._unclaim(connection, token, keys) == len(keys):
            return set()  # all were ours to the end
        found = by_keys(connection, LATER, pack_all(keys), token)
        return {unpack(row[0]) for rows in found for row in rows}

    def _keep(self, connection: Connection, found: dict[str, Output]) -> dict[str, Output]:
        """Add outputs; those that the store has now: where one was there before, that one."""
        rows = [
            {"key": key, "status": output.status, "record": output_record(output)}
            for key, output in found.items()
        ]
        if self._add_to(connection, s.outputs, rows) == len(rows):
            return found
        there = by_keys(connection, KNOWN, pack_all(list(found)))
        return {unpack(row[0]): read_output(row[1]) for rows in there for row in rows}

    def _write(self, connection: Connection, account: Account, spent: Spent, aside: Spent) -> None:
        """Put the whole account in the place of what was written of it: the same, however often it is written."""
        account.written = True
        settled = (spent.requests, spent.characters, spent.cost)
        values = zip(AMOUNTS, (*settled, aside.characters, aside.cost), strict=True)
        row = {"run": account.run, "worker": account.name, **dict(values)}
        connection.execute(self._put_account, row)

    def _spent(self, connection: Connection, run: str, but: str = "") -> Spent:
        found = connection.execute(SUMS, {"of": run, "but": but}).one()
        return Spent(int(found[0] or 0), int(found[1] or 0), float(found[2] or 0.0))


def total(parts: Iterable[Spent]) -> Spent:
    """The sum of all."""
    found = Spent()
    for part in parts:
        found = add(found, part)
    return found


def _locked(account: Account | None) -> AbstractContextManager[Any]:
    """One write of an account at a time, so that a later one holds what an earlier one did."""
    return account.lock if account else nullcontext()
