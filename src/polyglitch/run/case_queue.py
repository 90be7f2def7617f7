"""Cases in the order of a rank, as far as a budget pays, each batch chosen after the verdicts of those before it.

The order follows from the cases, the campaign's seed and the verdicts alone. A run that was stopped makes the same
choices again, and takes the verdicts that are there from the store: it goes on exactly where it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from polyglitch.rank.orders import CaseOrder
from polyglitch.records import Case, digest
from polyglitch.run.budget import Budget
from polyglitch.store.store import Store

Name = tuple[str, str]  # method and case


class CaseQueue:
    """The waiting cases of some seeds, of all methods."""

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
