"""What systems over the network may use and have used: limits, a price, and the meter that stops a run."""

from __future__ import annotations

import threading

import msgspec

from polyglitch.errors import LimitReached, UsageError

MILLION = 1_000_000
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
    """Counts what is spent and refuses what would go over a limit; safe from several threads."""

    def __init__(self, limits: Limits | None = None) -> None:
        limits = limits or Limits()
        self.price = parse_price(limits.price)
        self.max_chars, self.max_cost = limits.max_chars, limits.max_cost
        if self.max_cost is not None and self.price == Price():
            raise UsageError(
                "--max-cost needs a price: --price 20 for a million characters, or --price 0.15/0.60 for a "
                "million tokens read and written"
            )
        self._lock = threading.Lock()
        self._before = self._now = self._reserved = Spent()

    @property
    def limited(self) -> bool:
        """Whether there is a limit to keep."""
        return self.max_chars is not None or self.max_cost is not None

    @property
    def now(self) -> Spent:
        """What this process has spent."""
        return self._now

    @property
    def total(self) -> Spent:
        """What the run has spent, with what earlier processes did."""
        return add(self._before, self._now)

    def start(self, before: Spent) -> None:
        """Count on from what a run has spent already."""
        self._before = before

    def reserve(self, characters: int, answer_tokens: int = 0) -> Spent:
        """Set aside what a request may cost, or say that the limit does not pay for it."""
        wanted = Spent(1, characters, self.price.expected(characters, answer_tokens))
        with self._lock:
            after = add(add(self.total, self._reserved), wanted)
            if self.max_chars is not None and after.characters > self.max_chars:
                raise LimitReached(
                    f"the run has sent {self.total.characters:,} of at most {self.max_chars:,} characters; "
                    "raise --max-chars and run again to go on"
                )
            if self.max_cost is not None and after.cost > self.max_cost:
                raise LimitReached(
                    f"the run has cost {self.total.cost:.4f} of at most {self.max_cost:g}; "
                    "raise --max-cost and run again to go on"
                )
            self._reserved = add(self._reserved, wanted)
        return wanted

    def settle(
        self, reserved: Spent, *, billed: bool, tokens: tuple[int, int] | None = None
    ) -> None:
        """Put what a request did cost in the place of what was set aside for it."""
        used = reserved if billed else Spent(1)
        if billed and tokens is not None:
            used = Spent(1, reserved.characters, self.price.of(reserved.characters, *tokens))
        with self._lock:
            self._reserved = add(self._reserved, reserved, -1)
            self._now = add(self._now, used)


def add(one: Spent, other: Spent, sign: int = 1) -> Spent:
    """The sum of two, or their difference."""
    return Spent(
        one.requests + sign * other.requests,
        one.characters + sign * other.characters,
        one.cost + sign * other.cost,
    )
