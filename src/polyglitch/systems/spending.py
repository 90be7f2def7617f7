"""What systems over the network may use and have used: limits, a price, and the meter that stops a run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence

import msgspec

from polyglitch.errors import LimitReached, UsageError
from polyglitch.records import Case, Input

MILLION = 1_000_000
MOST_CHARACTERS_A_TOKEN = (
    32  # of any text: a service that counts fewer tokens makes itself too cheap
)
MOST_TOKENS = 10_000_000  # of a request or an answer: no model reads or writes more
ROUNDING = 1e-9  # that sums of the same costs in another order may differ by
CHARACTERS_A_TOKEN = 4  # of English text, for reckoning before an answer says how many there were


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How hard a system over the network may be asked, and how much may be spent on it."""

    concurrency: int = 32
    rate: float | None = None  # requests a second
    char_rate: float | None = None  # characters a second
    retries: int = 8
    price: str | None = None
    max_chars: int | None = None
    max_cost: float | None = None


class Spent(msgspec.Struct, frozen=True):
    """Requests sent, characters in them that the service counts, and what they cost."""

    requests: int = 0
    characters: int = 0
    cost: float = 0.0


class Price(msgspec.Struct, frozen=True):
    """The price of a million characters sent, or of a million tokens read and written."""

    characters: float = 0.0
    read: float = 0.0
    written: float = 0.0

    def expected(self, characters: int, answer_tokens: int) -> float:
        """The most that a request will cost, before its answer tells the tokens."""
        return self.of(characters, characters / CHARACTERS_A_TOKEN, answer_tokens)

    def of(self, characters: int, read: float, written: float) -> float:
        """The cost of what was sent, in the currency of the price."""
        total = self.characters * characters + self.read * read + self.written * written
        return total / MILLION


def parse_price(text: str | None) -> Price:
    """`20` is the price of a million characters, `0.15/0.60` of a million tokens read and written."""
    if text is None:
        return Price()
    try:
        numbers = [float(number) for number in text.split("/")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2) or not all(0 <= number < float("inf") for number in numbers):
        raise UsageError(
            f"--price {text!r}: write the price of a million characters, such as 20, or of a million tokens "
            "read and written, such as 0.15/0.60"
        )
    return Price(numbers[0]) if len(numbers) == 1 else Price(read=numbers[0], written=numbers[1])


class Meter:
    """Counts what is spent and refuses what would go over a limit; safe from several threads.

    Alone it knows of this process only. On a store, `connect` has all processes of a run share its limits: what a batch
    may cost is granted by the store beforehand, requests draw on that, and what is lacking is asked of the store."""

    def __init__(self, limits: Limits | None = None) -> None:
        limits = limits or Limits()
        self.price = parse_price(limits.price)
        self.max_chars, self.max_cost = limits.max_chars, limits.max_cost
        if self.max_cost is not None and self.price == Price():
            raise UsageError(
                "--max-cost needs a price: --price 20 for a million characters, or --price 0.15/0.60 for a "
                "million tokens read and written"
            )
        self.remark = ""  # what a person should know of the service's counts
        self._lock = threading.Lock()
        self._others = self._now = self._under_way = self._granted = Spent()
        self._batches: list[Spent] = []
        self._extend: Callable[[Spent], None] = self._extend_alone

    @property
    def limited(self) -> bool:
        """Whether there is a limit to keep."""
        return self.max_chars is not None or self.max_cost is not None

    @property
    def now(self) -> Spent:
        """What this process has spent."""
        return self._now

    @property
    def sent(self) -> Spent:
        """What this process has spent, with the requests that are not answered yet."""
        with self._lock:
            return add(self._now, self._under_way)

    @property
    def set_aside(self) -> Spent:
        """What this process may yet spend of what it was granted, or has sent without an answer."""
        with self._lock:
            return add(self._under_way, self._granted)

    @property
    def total(self) -> Spent:
        """What the run has spent, with what other processes did."""
        with self._lock:
            return add(self._others, self._now)

    def connect(self, others: Spent, extend: Callable[[Spent], None]) -> None:
        """Count on from what a run has spent already, and ask somebody for what was not granted."""
        self._others, self._extend = others, extend

    def hear(self, others: Spent) -> None:
        """Count what others have spent, with what they have set aside."""
        with self._lock:
            self._others = others

    def affordable(self, others: Spent, wanted: Sequence[Spent]) -> int:
        """How many of these, from the first on, the limits pay for besides all that is spent and set aside."""
        with self._lock:
            after = add(add(others, self._now), add(self._under_way, self._granted))
        for count, part in enumerate(wanted):
            after = add(after, part)
            if self.max_chars is not None and after.characters > self.max_chars:
                return count
            if self.max_cost is not None and after.cost > self.max_cost * (1 + ROUNDING):
                return count
        return len(wanted)

    def refusal(self, others: Spent, wanted: Spent) -> LimitReached:
        """Why this is not sent."""
        used = add(add(others, self.now), self.set_aside)
        if self.max_chars is not None and used.characters + wanted.characters > self.max_chars:
            return LimitReached(
                f"the run has sent {used.characters:,} of at most {self.max_chars:,} characters; "
                "raise --max-chars and run again to go on"
            )
        return LimitReached(
            f"the run has cost {used.cost:.4f} of at most {self.max_cost:g}; "
            "raise --max-cost and run again to go on"
        )

    def grant(self, amount: Spent, others: Spent) -> None:
        """Have so much more to draw on, now that others have spent so much."""
        with self._lock:
            self._others = others
            self._granted = add(self._granted, Spent(0, amount.characters, amount.cost))

    def open_batch(self, amount: Spent) -> None:
        """What is granted stays while the batch that it is for is asked."""
        with self._lock:
            self._batches.append(amount)

    def close_batch(self, amount: Spent) -> bool:
        """Let go of what a batch did not use; whether there was any."""
        with self._lock:
            self._batches.remove(amount)
            most, before = Spent(), self._granted
            for batch in self._batches:
                most = add(most, batch)
            self._granted = Spent(
                0, min(before.characters, most.characters), min(before.cost, most.cost)
            )
            return self._granted != before

    def reserve(self, characters: int, answer_tokens: int = 0) -> Spent:
        """Set aside what a request may cost, or say that the limit does not pay for it."""
        wanted = Spent(1, characters, self.price.expected(characters, answer_tokens))
        while not self._draw(wanted):
            self._extend(wanted)
        return wanted

    def covers(self, characters: int, answer_tokens: int = 0) -> bool:
        """Whether a request can be paid of what is granted, without asking anybody."""
        cost = self.price.expected(characters, answer_tokens)
        granted = self._granted
        return granted.characters >= characters and granted.cost >= cost * (1 - ROUNDING)

    def settle(
        self,
        reserved: Spent,
        *,
        billed: bool,
        tokens: tuple[object, object] | None = None,
        written: int = 0,
    ) -> None:
        """Put what a request did cost in the place of what was set aside for it.

        `tokens` are read and written as the service says, `written` the characters of its answer."""
        used = reserved if billed else Spent(1)
        if billed and tokens is not None:
            counts = believable(tokens, reserved.characters, written)
            if counts:
                used = Spent(1, reserved.characters, self.price.of(reserved.characters, *counts))
            elif self.price.read or self.price.written:
                self.remark = (
                    f"the service counts {_shown(tokens[0])} tokens read and {_shown(tokens[1])} written, which "
                    "cannot be; the cost is reckoned by what was sent and the longest answer"
                )
        with self._lock:
            self._under_way = add(self._under_way, reserved, -1)
            self._now = add(self._now, used)
            if not billed and self._batches:  # the next try is paid for already
                back = Spent(0, reserved.characters, reserved.cost)
                self._granted = add(self._granted, back)

    def _draw(self, wanted: Spent) -> bool:
        with self._lock:
            granted = self._granted
            enough = granted.cost >= wanted.cost * (1 - ROUNDING)
            if granted.characters < wanted.characters or not enough:
                return False
            left = max(granted.cost - wanted.cost, 0.0)
            self._granted = Spent(0, granted.characters - wanted.characters, left)
            self._under_way = add(self._under_way, wanted)
            return True

    def _extend_alone(self, wanted: Spent) -> None:
        if not self.affordable(self._others, [wanted]):
            raise self.refusal(self._others, wanted)
        self.grant(wanted, self._others)


def believable(tokens: tuple[object, object], sent: int, answered: int) -> tuple[int, int] | None:
    """The tokens that a service says it read and wrote, unless no such text has so few, or no model so many."""
    read, written = tokens
    if type(read) is not int or type(written) is not int:
        return None
    least_read, least_written = (
        -(-sent // MOST_CHARACTERS_A_TOKEN),
        answered // MOST_CHARACTERS_A_TOKEN,
    )
    if least_read <= read <= MOST_TOKENS and least_written <= written <= MOST_TOKENS:
        return read, written
    return None


def _shown(count: object) -> str:
    """What a service said, however long it is."""
    if isinstance(count, int | float):
        return f"{count:,}" if abs(count) <= MOST_TOKENS else "absurdly many"
    return "no" if count is None else f"{str(count)[:20]!r}"


def add(one: Spent, other: Spent, sign: int = 1) -> Spent:
    """The sum of two, or their difference."""
    return Spent(
        one.requests + sign * other.requests,
        one.characters + sign * other.characters,
        one.cost + sign * other.cost,
    )


class Budget:
    """So many distinct inputs, each asked `repeat` times. An answer from the store costs as much as a new one, so
    that a campaign has the same cases whatever was asked before."""

    def __init__(self, queries: int | None, repeat: int, key: Callable[[Input], str]) -> None:
        self._affordable = queries // repeat if queries else None
        self._key = key
        self._spent: set[str] = set()

    @property
    def limited(self) -> bool:
        """Whether there is a limit at all."""
        return self._affordable is not None

    @property
    def paid_out(self) -> bool:
        """Whether the budget is spent."""
        return self._affordable is not None and len(self._spent) >= self._affordable

    def charge(self, cases: Iterable[Case]) -> None:
        """Count what an earlier, interrupted run has spent already."""
        for case in cases:
            self._spent |= {self._key(item) for item in case.inputs}

    @property
    def most_seeds(self) -> int | None:
        """How many seeds may be asked before any test, so that at least half is left for follow-ups."""
        return None if self._affordable is None else max(1, self._affordable // 2)

    def pay(self, inputs: Iterable[Input]) -> None:
        """Count inputs that are asked before their cases are chosen."""
        self._spent |= {self._key(item) for item in inputs}

    def choose(self, cases: list[Case]) -> list[Case]:
        """The cases that the budget still pays for, paid."""
        if self._affordable is None:
            return cases
        chosen: list[Case] = []
        for case in cases:
            new = {self._key(item) for item in case.inputs} - self._spent
            if len(self._spent) + len(new) <= self._affordable:
                self._spent |= new
                chosen.append(case)
        return chosen
