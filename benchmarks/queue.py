"""What a budget finds in the order of each rank: the cases of a finished run taken again in every order.

    polyglitch run --system firefox:en-pt --corpus sentences.txt --method sit,cat --store queue.sqlite
    python -m benchmarks.queue queue.sqlite

The verdicts of the run are there, so that an order costs only what it looks at: nothing is asked again. Printed is, for
each method and at some shares of its tests, what each order found and how many times what the plain order (along the
corpus, its sentences in twenty orders, since any one has luck of its own) and random orders of all cases found, with
95% intervals from resampled sentences.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

from polyglitch.campaign import make_campaign, make_method
from polyglitch.evaluate.efficiency import Test, Violation, first_tests, found_at_budget, with_bugs
from polyglitch.flow import run
from polyglitch.protocols import System
from polyglitch.rank.cached_rank import CachedRank, open_order, ranks_cases
from polyglitch.records import Case, Input, Output, Seed
from polyglitch.results.history import History
from polyglitch.store.store import Store
from polyglitch.tools import Toolbox, open_lens, open_system

DRAWS = 20
SHARES = (0.1, 0.25, 0.5)


class Replay:
    """Finished runs of one method as one: their decided cases with verdicts and answers."""

    def __init__(self, histories: Sequence[History], method: str) -> None:
        self.history, self.method = histories[0], method
        self.cases: list[Case] = []
        self.violated: dict[str, bool] = {}
        self.answers: dict[Input, Output] = {}
        self.seeds: dict[str, Seed] = {}
        self.found: list[Violation] = []
        for history in histories:
            self.add(history)

    def add(self, history: History) -> None:
        """Take in what one run has."""
        pairs = history.store.verdicts.get(history.run_id, self.method)
        decided = [pair for pair in pairs if pair[1].outcome != "undecided"]
        trials = history.trials([case for case, _ in decided])
        for trial, (case, verdict) in zip(trials, decided, strict=True):
            if case.seed_id not in self.seeds:
                self.seeds[case.seed_id] = history.store.cases.seed(history.run_id, case.seed_id)
            self.cases.append(case)
            self.violated[case.id] = verdict.outcome == "violated"
            self.answers[case.inputs[0]] = trial.outputs[0]
            if verdict.outcome == "violated":
                self.found.append((self.seeds[case.seed_id], trial, verdict))

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


def sentences_shuffled(cases: Sequence[Case], draw: int) -> list[Case]:
    """The plain method along a corpus whose sentences stand in another order, each with its cases as they were made."""
    own: dict[str, list[Case]] = {}
    for case in cases:
        own.setdefault(case.seed_id, []).append(case)
    return [
        case
        for seed in random.Random(f"plain {draw}").sample(list(own), len(own))
        for case in own[seed]
    ]


def compared(replay: Replay, ranks: Sequence[str], tools: Toolbox, system: System) -> list[Test]:
    """All orders of a method as tests, with the distinct bug of each violation."""
    tests: list[Test] = []
    for draw in range(DRAWS):
        tests += replay.tests("none", sentences_shuffled(replay.cases, draw), draw)
        tests += replay.tests(
            "random", random.Random(draw).sample(replay.cases, len(replay.cases)), draw
        )
    for rank in ranks:
        tests += replay.tests(rank, replay.order(rank, tools, system))
    source, target = replay.history.definition["languages"]
    return with_bugs(tests, replay.found, make_method(replay.method), (source, target))


def show(tests: Sequence[Test], ranks: Sequence[str], method: str) -> None:
    """The table of one method."""
    total = sum(test.rank == "none" and test.draw == 0 for test in tests)
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


def made(system: str) -> str:
    """A store with a run of SIT and CAT on the bundled sentences."""
    store = str(Path(tempfile.mkdtemp()) / "queue.sqlite")
    run(
        make_campaign(
            {"system": system, "corpus": "sample", "methods": ["sit", "cat"], "store": store}
        )
    )
    return store


def main() -> None:
    """Replay a run in every order."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "store", nargs="?", help="by default a run on the bundled sentences is made"
    )
    parser.add_argument(
        "--run", action="append", help="by default the newest; several are one corpus in parts"
    )
    parser.add_argument("--system", default="firefox:en-pt")
    parser.add_argument("--lens", default="", help="a model that stands in for the system")
    parser.add_argument("--ranks", default="ahead,adaptive")
    options = parser.parse_args()
    store, system = Store(options.store or made(options.system)), open_system(options.system)
    histories = [History(store, run) for run in options.run or [""]]
    source, target = histories[0].definition["languages"]
    lens = (lambda: open_lens(options.lens)) if options.lens else None
    ranks = [name for name in options.ranks.split(",") if name]
    for method in histories[0].definition["methods"]:
        tools = Toolbox(
            store, 0, (source, target), system=system, lens=lens, foreign_lens=bool(options.lens)
        )
        replay = Replay(histories, method["name"])
        show(compared(replay, ranks, tools, system), ranks, replay.method)


if __name__ == "__main__":
    main()
