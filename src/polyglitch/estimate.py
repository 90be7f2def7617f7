"""What a run will send over the network and cost, reckoned from its first seeds before anything is asked."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from polyglitch.protocols import System
from polyglitch.records import Input
from polyglitch.spending import Meter


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
