"""Which cases a run asks: what it will send over the network and cost, reckoned from its first seeds; cases as far as a
budget pays, in the order of a rank; and how far a run is, as its watcher is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from polyglitch.protocols import System
from polyglitch.rank.orders import CaseOrder
from polyglitch.records import Case, Input, digest
from polyglitch.store.store import Store
from polyglitch.systems.spending import Budget, Meter


class Estimate(msgspec.Struct, frozen=True):
    """Queries that are still to be asked, their characters and their cost; from so many seeds of so many."""

    queries: int
    characters: int
    cost: float
    seeds: int
    of_seeds: int

    def shortfall(self, meter: Meter) -> str:
        """What a person should know where the limits will stop the run before its end, else nothing."""
        spent = meter.total
        short = []
        if meter.max_chars is not None and spent.characters + self.characters > meter.max_chars:
            short.append(f"--max-chars {meter.max_chars:,}")
        if meter.max_cost is not None and spent.cost + self.cost > meter.max_cost:
            short.append(f"--max-cost {meter.max_cost:g}")
        return f"{self}; {' and '.join(short)} will stop the run before its end" if short else ""

    def __str__(self) -> str:
        cost = f", a cost of about {self.cost:.2f}" if self.cost else ""
        return (
            f"about {self.queries:,} queries with {self.characters:,} characters are still to be sent{cost} "
            f"(by {self.seeds:,} of {self.of_seeds:,} seeds)"
        )


def reckon(
    system: System, meter: Meter, inputs: Sequence[Input], seeds: int, of_seeds: int, hops: int
) -> Estimate:
    """The estimate from the new inputs of some seeds; each hop of a round trip sends about as much."""
    api = getattr(system, "api", None)  # a service counts what it bills for, prompt and all
    lengths = [api.characters(item) if api else len(item.text) for item in inputs]
    tokens = api.answer_tokens if api else 0
    cost = sum(meter.price.expected(length, tokens) for length in lengths)
    share = hops * of_seeds / seeds if seeds else 0.0
    return Estimate(
        round(len(inputs) * share), round(sum(lengths) * share), cost * share, seeds, of_seeds
    )


class Progress(msgspec.Struct):
    """How far a run is; the watcher is told after every step."""

    stage: str = "start"
    seeds: int = 0
    seeds_out: int = 0  # those whose cases are being made and asked
    seeds_total: int | None = None
    cases: int = 0
    queries: int = 0
    queries_known: int = 0  # asked or waiting to be, of the cases made so far
    queries_expected: int = 0  # of the whole run, as far as its first seeds tell
    cache_hits: int = 0
    violations: int = 0
    undecided: int = 0
    errors: int = 0
    about: str = ""  # which run it is, and of what
    warning: str = ""  # what a person should know before the first question


Watch = Callable[[Progress], None]


Name = tuple[str, str]  # method and case


class CaseQueue:
    """The waiting cases of some seeds, of all methods, in the order of a rank, as far as a budget pays.

    Each batch is chosen after the verdicts of those before it. The order follows from the cases, the campaign's seed
    and the verdicts alone. A run that was stopped makes the same choices again, and takes the verdicts that are there
    from the store: it goes on exactly where it was.
    """

    def __init__(
        self, order: CaseOrder, budget: Budget, store: Store, run: str, first: int
    ) -> None:
        self._order, self._budget, self._store, self._run = order, budget, store, run
        self.place = first  # of the next case in the order of the run

    def batches(self) -> Iterator[list[Case]]:
        """Some cases at a time that have no verdict yet; they have one when the next are asked for."""
        while batch := self._order.take():
            chosen = self._budget.choose(batch)
            self._keep_places(chosen)
            known = self._outcomes(chosen)
            if todo := [case for case in chosen if (case.method, case.id) not in known]:
                yield todo
                known = self._outcomes(chosen)
            for case in chosen:
                outcome = known.get((case.method, case.id), "undecided")
                self._order.tell(case, None if outcome == "undecided" else outcome == "violated")
            if self._budget.paid_out:
                return

    def _outcomes(self, cases: Sequence[Case]) -> dict[Name, str]:
        """What is known of some cases."""
        found: dict[Name, str] = {}
        for method in {case.method for case in cases}:
            ids = [case.id for case in cases if case.method == method]
            found |= {
                (method, case): outcome
                for case, outcome in self._store.verdicts.outcomes_of(self._run, method, ids)
            }
        return found

    def _keep_places(self, cases: Sequence[Case]) -> None:
        """Keep in which order cases were asked, for whoever compares orders."""
        places = {place_key(case): self.place + n for n, case in enumerate(cases)}
        self._store.outputs.keep(order_kind(self._run), places)
        self.place += len(cases)


def order_kind(run: str) -> str:
    """Under what the store keeps the order of a run's cases."""
    return f"order:{run}"


def place_key(case: Case) -> str:
    """Under what the place of a case is kept."""
    return digest([case.method, case.id], 32)


def in_order(store: Store, run: str, cases: Sequence[Case]) -> list[int]:
    """The numbers of some cases in the order in which they were asked; as they come where no order was kept."""
    keys = [place_key(case) for case in cases]
    places = store.outputs.remember(order_kind(run), keys)
    return sorted(range(len(cases)), key=lambda n: (places.get(keys[n], len(cases) + n), n))
