"""A campaign from end to end: corpus -> rank -> mutate -> run -> compare -> issues.

Everything goes through the store, a few seeds at a time: memory does not grow with the campaign, and a run that was
stopped goes on from what is there. While the system answers one batch of cases, the batch before is compared.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

import msgspec

from polyglitch.campaign import Campaign
from polyglitch.engine import Later, open_engine
from polyglitch.errors import LimitReached, NothingToTest, SystemFailed
from polyglitch.estimate import Estimate, reckon
from polyglitch.history import History
from polyglitch.method import Method
from polyglitch.plan import open_plan, signature
from polyglitch.rank.kept import KeptRank
from polyglitch.rank.words import mean_score
from polyglitch.records import Case, Input, Issue, Output, Seed, Trial, Verdict
from polyglitch.repeats import UNSTABLE, settle
from polyglitch.run.ask import Asker
from polyglitch.run.trips import Asked, Trips
from polyglitch.store.store import Store
from polyglitch.tools import Toolbox

FIRST_SEEDS = 4  # the system should have work soon; the next chunks double
SEEDS_AT_ONCE = 32  # enough for a parser to batch, few enough that a kill repeats little
RANKED_AT_ONCE = 256  # seeds among which a budget is spent on the most promising first
CASES_AT_ONCE = 256
SAMPLE = 32  # seeds that an estimate looks at
AHEAD = 768  # cases that the system has to work on while others are made and compared: some seconds' worth


class Progress(msgspec.Struct):
    """How far a run is; the watcher is told after every step."""

    stage: str = "start"
    seeds: int = 0
    seeds_total: int | None = None
    cases: int = 0
    queries: int = 0
    cache_hits: int = 0
    violations: int = 0
    undecided: int = 0
    errors: int = 0
    warning: str = ""  # what a person should know before the first question


Watch = Callable[[Progress], None]


def run(campaign: Campaign, watch: Watch = lambda _: None) -> tuple[str, dict[str, Any]]:
    """Run a campaign, or go on with it; its run id and figures."""
    flow = Flow(campaign, watch)
    try:
        return flow.run_id, flow.run()
    finally:
        flow.close()


def estimate(campaign: Campaign) -> Estimate:
    """What a run would still send and cost, judged by its first seeds; nothing is asked."""
    flow = Flow(campaign, lambda _: None)
    try:
        flow.store.begin(flow.run_id, flow.plan.definition)
        flow.open_askers()
        return flow.estimate()
    finally:
        flow.close()


class Flow:
    """One run of a campaign, its stages as methods in their order."""

    def __init__(self, campaign: Campaign, watch: Watch) -> None:
        self.campaign, self.watch, self.progress = campaign, watch, Progress()
        self.engine = open_engine(campaign)
        try:
            self.plan = open_plan(campaign, self.engine.open_system)
        except BaseException:
            self.engine.close()
            raise
        self.run_id = self.plan.run_id
        self.store = Store(campaign.store)
        self.tools = Toolbox(
            self.store,
            campaign.seed,
            self.plan.languages,
            campaign.parser,
            self.plan.corpus,
            self.plan.systems[0],
        )
        self.askers: list[Asker] = []
        self.spent: set[str] = set()
        self.judging: deque[tuple[Method, list[Case], list[list[Trial]], Later[list[Verdict]]]]
        self.judging = deque()
        # A budget is of queries; asked several times, each input costs as many.
        self.affordable = campaign.budget // campaign.repeat if campaign.budget else None

    def run(self) -> dict[str, Any]:
        """All stages, unless a run of the same definition is done already."""
        if self.campaign.fresh:
            self.store.forget(self.run_id)
        state, before = self.store.begin(self.run_id, self.plan.definition)
        if self.campaign.retry_errors:
            self.store.forget_failures(self.run_id)
        if state == "done" and not self.campaign.retry_errors:
            return before | {"queries": 0, "cache_hits": before["queries"] + before["cache_hits"]}
        started = time.monotonic() - before.get("seconds", 0.0)
        self.open_askers()
        self.open_rank()
        self.plan.meter.start(self.store.spent(self.run_id))
        if self.plan.meter.limited:
            self.warn(self.estimate())
        issues = 0
        try:
            self.ask_and_compare()
            issues = self.store.set_issues(self.run_id, self.issues())
        finally:
            figures = self.figures(time.monotonic() - started, issues)
            self.store.finish(self.run_id, figures, "running")
        self.refuse_unfinished()
        self.refuse_empty(figures)
        self.store.finish(self.run_id, figures, "done")
        return figures

    def open_askers(self) -> None:
        """Whoever asks the systems; the store has what they were asked before."""
        self.engine.start(self.plan.methods, self.tools)
        patience = self.campaign.timeout + self.engine.grace
        self.askers = [
            Asker(system, self.store, self.campaign.jobs, patience) for system in self.plan.systems
        ]
        self.trips = Trips(self.askers, self.plan.languages[1], self.campaign.repeat)

    def estimate(self) -> Estimate:
        """What the run will ask, judged by its first seeds; nothing is asked for it."""
        seeds = list(islice(iter(self.plan.corpus), min(self.campaign.limit or SAMPLE, SAMPLE)))
        self.store.add_seeds(self.run_id, 0, seeds)
        asker = self.askers[0]
        new: dict[str, Input] = {}
        for method, some in self.mutated([seeds]):
            for cases in self.store.pending(self.run_id, method.name, some, CASES_AT_ONCE):
                new |= {asker.key(item): item for case in cases for item in case.inputs}
        known = self.store.outputs(list(new))
        inputs = [item for key, item in new.items() if key not in known]
        total = sum(1 for _ in islice(self.plan.corpus, self.campaign.limit))
        hops = 1 + any(method.route == "round trip" for method in self.plan.methods)
        return reckon(self.plan.systems[0], self.plan.meter, inputs, len(seeds), total, hops)

    def warn(self, estimate: Estimate) -> None:
        """Say before the first question that the limits will not do."""
        meter = self.plan.meter
        self.progress.warning = estimate.shortfall(meter)
        if self.progress.warning:
            self.tell()

    # corpus
    def seeds(self) -> Iterator[list[Seed]]:
        """The corpus in order, some seeds at a time, kept in the store as they come."""
        corpus, limit = self.plan.corpus, self.campaign.limit
        self.progress.seeds_total = sum(1 for _ in islice(corpus, limit))
        stream = islice(iter(corpus), limit)
        choosy = self.campaign.budget is not None and self.tools.rank is not None
        size = RANKED_AT_ONCE if choosy else FIRST_SEEDS
        while chunk := list(islice(stream, size)):
            size = max(size, min(2 * size, SEEDS_AT_ONCE))
            self.store.add_seeds(self.run_id, self.progress.seeds, chunk)
            yield self.most_promising(chunk) if choosy else chunk
            self.progress.seeds += len(chunk)
            self.tell()

    # rank
    def open_rank(self) -> None:
        """Give the tools the rank that the campaign names; what it asks goes through the store."""
        if self.campaign.rank == "none":
            return
        asker = self.askers[0]

        def ask(inputs: Sequence[Input]) -> list[Output]:
            answers = asker.gather(asker.submit(inputs))
            if asker.stopped:
                raise asker.stopped
            return [answers[asker.key(item)] for item in inputs]

        self.tools.rank = KeptRank(self.campaign.rank, self.plan.systems[0], ask)

    def most_promising(self, seeds: list[Seed]) -> list[Seed]:
        """Seeds by the mean score of their words, so that a budget is spent where the rank says."""
        parser = self.tools.parser(self.plan.languages[0])
        ranks = self.tools.word_ranks(seeds, parser.parse([seed.input.text for seed in seeds]))
        worth = [mean_score(scores) for scores in ranks or []]
        order = sorted(range(len(seeds)), key=lambda number: -worth[number])
        return [seeds[number] for number in order]

    # mutate
    def mutated(self, chunks: Iterable[list[Seed]]) -> Iterator[tuple[Method, list[Seed]]]:
        """Each method with some seeds at a time, their cases made; an engine elsewhere works ahead."""
        coming: deque[tuple[Method, list[Seed], list[Seed], Later[Iterable[Case]]]] = deque()
        for seeds in chunks:
            for method in self.plan.methods:
                ready = self.store.generated(self.run_id, method.name, seeds)
                todo = [seed for seed in seeds if seed.id not in ready]
                coming.append((method, seeds, todo, self.engine.mutate(method, todo)))
                while len(coming) > self.engine.ahead:
                    yield self.keep_cases(*coming.popleft())
        while coming:
            yield self.keep_cases(*coming.popleft())

    def keep_cases(
        self, method: Method, seeds: list[Seed], todo: list[Seed], cases: Later[Iterable[Case]]
    ) -> tuple[Method, list[Seed]]:
        """Keep the cases of the seeds that an earlier run did not make them of."""
        made: list[Case] = []
        place = self.store.case_count(self.run_id, method.name)
        for case in cases():
            made.append(msgspec.structs.replace(case, method=method.name))
            if len(made) == CASES_AT_ONCE:
                self.store.add_cases(self.run_id, method.name, place, made)
                place, made = place + len(made), []
        self.store.add_cases(self.run_id, method.name, place, made, [seed.id for seed in todo])
        return method, seeds

    # run, represent, compare
    def ask_and_compare(self) -> None:
        """Every pending case to its verdict, the system always some cases ahead."""
        waiting: deque[tuple[Method, list[Case], Asked]] = deque()
        if self.campaign.budget is not None:  # what an earlier, interrupted run has spent already
            for case in self.store.judged(self.run_id):
                self.spent |= {self.askers[0].key(item) for item in case.inputs}
        for method, seeds in self.mutated(self.seeds()):
            for cases in self.store.pending(self.run_id, method.name, seeds, CASES_AT_ONCE):
                chosen = self.within_budget(cases)
                waiting.append((method, chosen, self.trips.send(chosen)))
                while sum(len(cases) for _, cases, _ in list(waiting)[1:]) >= AHEAD:
                    self.compare(*waiting.popleft())
            last = method is self.plan.methods[-1]  # all methods have had their turn on these seeds
            if (last and self.paid_out) or self.trips.stopped:
                break
        while waiting:
            self.compare(*waiting.popleft())
        self.keep_verdicts(0)

    def compare(self, method: Method, cases: list[Case], asked: Asked) -> None:
        """Wait for the outputs of some cases, of each time they were asked for, and have them judged."""
        cases, rounds = self.trips.trials(cases, asked, back=method.route == "round trip")
        self.store.set_spent(self.run_id, self.askers[0].worker, self.plan.meter.now)
        self.judging.append((method, cases, rounds, self.engine.compare(method, rounds[0])))
        self.keep_verdicts(self.engine.ahead)

    def keep_verdicts(self, under_way: int) -> None:
        """Keep the verdicts that are there, and wait for others until only so many are under way."""
        while len(self.judging) > under_way:
            method, cases, rounds, first = self.judging.popleft()
            verdicts = settle(rounds, first(), partial(self.judge, method))
            pairs = list(zip(cases, verdicts, strict=True))
            self.store.add_verdicts(self.run_id, method.name, pairs)
            self.progress.cases += len(cases)
            self.progress.violations += sum(v.outcome == "violated" for v in verdicts)
            self.progress.undecided += sum(v.outcome == "undecided" for v in verdicts)
            self.tell()

    def judge(self, method: Method, trials: Sequence[Trial]) -> list[Verdict]:
        """The verdicts on some trials, waited for."""
        return self.engine.compare(method, trials)()

    @property
    def paid_out(self) -> bool:
        """Whether the budget is spent."""
        return self.affordable is not None and len(self.spent) >= self.affordable

    def within_budget(self, cases: list[Case]) -> list[Case]:
        """The cases that the budget still pays for. An answer from the store costs as much as a new
        one, so that a campaign has the same cases whatever was asked before."""
        if self.affordable is None:
            return cases
        chosen: list[Case] = []
        for case in cases:
            new = {self.askers[0].key(item) for item in case.inputs} - self.spent
            if len(self.spent) + len(new) <= self.affordable:
                self.spent |= new
                chosen.append(case)
        return chosen

    # issues
    def issues(self) -> Iterator[Issue]:
        """The issues of all methods; each method's worst first, the methods taking turns."""
        history = History(self.store, self.run_id)
        ranked: list[tuple[int, int, Issue]] = []
        for turn, method in enumerate(self.plan.methods):
            found: list[Issue] = []
            for seed_id in self.store.violated_seeds(self.run_id, method.name):
                pairs = self.store.verdicts(self.run_id, method.name, seed=seed_id)
                violations = [(history.trial(case), verdict) for case, verdict in pairs]
                found += method.issues(self.store.seed(self.run_id, seed_id), violations)
            found.sort(key=lambda issue: (-issue.severity, issue.id))
            ranked += [(place, turn, issue) for place, issue in enumerate(found)]
        yield from (issue for _, _, issue in sorted(ranked, key=lambda item: item[:2]))

    def figures(self, seconds: float, issues: int) -> dict[str, Any]:
        """The numbers of the run so far."""
        total = {"holds": 0, "violated": 0, "undecided": 0}
        for (_, outcome), count in self.store.outcomes(self.run_id).items():
            total[outcome] += count
        return {
            "seeds": self.progress.seeds,
            "cases": sum(total.values()),
            "queries": sum(asker.queries for asker in self.askers),
            "cache_hits": sum(asker.cache_hits for asker in self.askers),
            "violations": total["violated"],
            "undecided": total["undecided"],
            "flaky": self.store.undecided_reasons(self.run_id).get(UNSTABLE, 0),
            "errors": sum(asker.errors for asker in self.askers),
            "issues": issues,
            **msgspec.structs.asdict(self.plan.meter.total),
            "seconds": round(seconds, 3),
            "skipped": {row.reason: row.count for row in self.plan.corpus.skipped},
            "signature": signature(self.plan.definition),
        }

    def refuse_unfinished(self) -> None:
        """A run that a limit stopped is not done, and goes on with a higher one."""
        if self.trips.stopped:
            waiting = self.store.pending_count(self.run_id)
            raise LimitReached(f"{self.trips.stopped}; {waiting:,} cases made so far wait for it")

    def refuse_empty(self, figures: dict[str, Any]) -> None:
        """A run that tested nothing did not succeed."""
        if not figures["cases"]:
            raise NothingToTest(
                f"nothing to test: {figures['seeds']} seeds gave no case; rows skipped: "
                f"{figures['skipped'] or 'none'}"
            )
        if figures["undecided"] == figures["cases"] and figures["errors"]:
            reason = next(iter(self.store.undecided_reasons(self.run_id)), "")
            raise SystemFailed(
                f"the system {self.plan.systems[0].signature} failed on every case, most often with: {reason}"
            )

    def tell(self) -> None:
        """Tell the watcher how far the run is."""
        self.progress.stage = "run"
        self.progress.queries = sum(asker.queries for asker in self.askers)
        self.progress.cache_hits = sum(asker.cache_hits for asker in self.askers)
        self.progress.errors = sum(asker.errors for asker in self.askers)
        self.watch(self.progress)

    def close(self) -> None:
        """Let go of everything that was opened."""
        for asker in self.askers:
            asker.close()
        for system in self.plan.systems:
            system.close()
        self.engine.close()
        self.store.close()
