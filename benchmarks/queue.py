"""What a budget finds in the order of each rank: the cases of a finished run taken again in every order.

    polyglitch run --system firefox:en-pt --corpus sentences.txt --method sit,cat --store queue.sqlite
    python -m benchmarks.queue queue.sqlite

The verdicts of the run are there, so that an order costs only what it looks at: nothing is asked again. Printed is, for
each method and at some shares of its tests, what each order found and how many times what the plain order (along the
corpus) and random orders found, with 95% intervals from resampled sentences.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence

from polyglitch.campaign import make_method
from polyglitch.evaluate.distinct import found_at_budget, with_bugs
from polyglitch.evaluate.efficiency import Test, first_tests
from polyglitch.protocols import System
from polyglitch.rank.cached_rank import CachedRank, open_order, ranks_cases
from polyglitch.records import Case, Input, Output, Seed
from polyglitch.results.history import History
from polyglitch.store.store import Store
from polyglitch.systems.uri import open_system
from polyglitch.systems.witness_models import open_lens
from polyglitch.tools import Toolbox

DRAWS = 20
SHARES = (0.1, 0.25, 0.5)


class Replay:
    """A finished run of one method: its decided cases with their verdicts and answers."""

    def __init__(self, history: History, method: str) -> None:
        self.history, self.method = history, method
        pairs = history.store.verdicts.get(history.run_id, method)
        decided = [pair for pair in pairs if pair[1].outcome != "undecided"]
        self.cases = [case for case, _ in decided]
        self.violated = {case.id: verdict.outcome == "violated" for case, verdict in decided}
        trials = history.trials(self.cases)
        self.answers = {t.case.inputs[0]: t.outputs[0] for t in trials}
        seeds = {case.seed_id for case in self.cases}
        self.seeds = {name: history.store.cases.seed(history.run_id, name) for name in seeds}
        self.found = [
            (self.seeds[trial.case.seed_id], trial, verdict)
            for trial, (_, verdict) in zip(trials, decided, strict=True)
            if verdict.outcome == "violated"
        ]

    def ask(self, inputs: Sequence[Input]) -> list[Output]:
        """The answers of the run."""
        return [self.answers[item] for item in inputs]

    def order(self, rank: str, tools: Toolbox, system: System) -> list[Case]:
        """The cases as a rank takes them, each batch after the verdicts of those before it."""
        seeds: list[Seed] = list(
            {case.seed_id: self.seeds[case.seed_id] for case in self.cases}.values()
        )
        if not ranks_cases(rank):
            tools.rank = CachedRank(rank, system, self.ask)
        queue = open_order(rank, seeds, self.cases, tools, self.ask)
        taken: list[Case] = []
        while batch := queue.take():
            for case in batch:
                queue.tell(case, self.violated[case.id])
            taken += batch
        return taken

    def tests(self, rank: str, cases: Sequence[Case], draw: int = 0) -> list[Test]:
        """An order as `evaluate efficiency` counts it."""
        return [
            Test(
                self.method, rank, draw, case.seed_id, case.edit.start if case.edit else 0,
                case.edit.old if case.edit else "", "", 0, self.violated[case.id],
            )
            for case in cases
        ]  # fmt: skip


def compared(replay: Replay, ranks: Sequence[str], tools: Toolbox, system: System) -> list[Test]:
    """All orders of a method as tests, with the distinct bug of each violation."""
    tests = replay.tests("none", replay.cases)
    for draw in range(DRAWS):
        tests += replay.tests(
            "random", random.Random(draw).sample(replay.cases, len(replay.cases)), draw
        )
    for rank in ranks:
        tests += replay.tests(rank, replay.order(rank, tools, system))
    source, target = replay.history.definition["languages"]
    return with_bugs(tests, replay.found, make_method(replay.method), (source, target))


def show(tests: Sequence[Test], ranks: Sequence[str], method: str) -> None:
    """The table of one method."""
    total = sum(test.rank == "none" for test in tests)
    bad = {test.seed_id for test in tests if test.violated}
    print(
        f"\n{method}: {total} tests, {len({t.seed_id for t in tests})} sentences, {len(bad)} buggy"
    )
    for share in SHARES:
        bought = first_tests(tests, max(1, int(share * total)))
        print(f" {share:.0%} of the tests: count, times plain, times random")
        for rank in ("none", "random", *ranks):
            for name, row in found_at_budget(bought, rank).items():
                counts = sum(row["count"]) / len(row["count"])
                ratios = [
                    "{:.2f} ({:.2f}-{:.2f})".format(*row[key]) if row[key] else "-"
                    for key in ("to_none", "to_random")
                ]
                print(f"  {rank:<10}{name:<12}{counts:>7.1f}{ratios[0]:>20}{ratios[1]:>20}")


def main() -> None:
    """Replay a run in every order."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store")
    parser.add_argument("--run", default="")
    parser.add_argument("--system", default="firefox:en-pt")
    parser.add_argument("--lens", default="", help="a model that stands in for the system")
    parser.add_argument("--ranks", default="ahead,adaptive")
    options = parser.parse_args()
    store, system = Store(options.store), open_system(options.system)
    history = History(store, options.run)
    source, target = history.definition["languages"]
    lens = (lambda: open_lens(options.lens)) if options.lens else None
    ranks = [name for name in options.ranks.split(",") if name]
    for method in history.definition["methods"]:
        tools = Toolbox(
            store, 0, (source, target), system=system, lens=lens, foreign_lens=bool(options.lens)
        )
        replay = Replay(history, method["name"])
        show(compared(replay, ranks, tools, system), ranks, replay.method)


if __name__ == "__main__":
    main()
