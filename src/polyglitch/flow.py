"""A campaign from end to end: corpus -> rank -> mutate -> run -> compare -> issues.

Everything goes through the store, a few seeds at a time: memory does not grow with the campaign, and a run that was
stopped goes on from what is there. While the system answers one batch of cases, the batch before is compared.
"""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import islice
from typing import Any

import msgspec

from polyglitch.campaign import Campaign
from polyglitch.rank.cached_rank import CachedRank, asks_first, open_order, ranks_cases
from polyglitch.records import Case, Input, Output, Seed, Trial, Verdict
from polyglitch.registry import Method
from polyglitch.results.history import History
from polyglitch.results.summary import (
    answer_figures,
    ranked_issues,
    refuse_empty,
    refuse_unfinished,
    run_figures,
)
from polyglitch.results.ways_back import keep_ways_back
from polyglitch.run.asking import Asked, Asker, RoundTrips
from polyglitch.run.budget import CaseQueue, Estimate, Progress, Watch, reckon
from polyglitch.run.flakiness import merge_repeats
from polyglitch.run.plan import Engine, Later, Open, open_engine, open_plan, prompted
from polyglitch.run.workers import Foreman, Settled
from polyglitch.store.store import Store
from polyglitch.systems.answers import relabelled_trial
from polyglitch.systems.spending import Budget
from polyglitch.tools import BudgetedJudge, Toolbox, open_back_lens, open_lens

FIRST_SEEDS = 4  # the system should have work soon; the next chunks double
SEEDS_AT_ONCE = (
    128  # enough for a parser or a proposer to batch, few enough that a kill repeats little
)
QUICK, QUICK_SEEDS = (
    0.25,
    1024,
)  # seconds: seeds that take less are many at once, the store is slower
RANKED_AT_ONCE = 512  # seeds among which a budget is spent on the most promising cases first
CASES_AT_ONCE = 256
JUDGED_AT_ONCE = 64  # enough for a parser to batch, little to judge once the system is done
# Verdicts after which a server is told to look at how its tables grew, and how much more they are the next time: what
# plans for a few rows compares every case with every verdict, until it looks by itself a minute later.
COUNTED_FROM, GROWTH = 1000, 5
HELD = 16  # so many times CASES_AT_ONCE stay in memory from being made to being asked
SAMPLE = 32  # seeds that an estimate looks at
LOOKED_INTO = 1000  # seeds without a case of which a run says why: they are parsed again for it
TELL_EVERY = 0.5  # seconds between two words on how far a slow system is
AHEAD = 768  # cases that the system has to work on while others are made and compared: some seconds' worth


def run(campaign: Campaign, watch: Watch = lambda _: None) -> tuple[str, dict[str, Any]]:
    """Run a campaign, or go on with it; its run id and figures."""
    with finished(campaign, watch) as (history, figures):
        return history.run_id, figures


@contextmanager
def finished(
    campaign: Campaign,
    watch: Watch = lambda _: None,
    open_one: Open | None = None,
    engine: Engine | None = None,
) -> Iterator[tuple[History, dict[str, Any]]]:
    """Run a campaign, or go on with it; what came of it, its store open for as long as it is looked at."""
    flow = Flow(campaign, watch, open_one, engine)
    try:
        figures = flow.run()
        flow.close_systems()
        yield flow.history, figures
    finally:
        flow.close()


def estimate(campaign: Campaign) -> Estimate:
    """What a run would still send and cost, judged by its first seeds; nothing is asked."""
    flow = Flow(campaign, lambda _: None)
    try:
        flow.store.runs.begin(flow.run_id, flow.plan.definition)
        flow.open_askers()
        return flow.estimate()
    finally:
        flow.close()


class Flow:
    """One run of a campaign, its stages as methods in their order."""

    def __init__(
        self,
        campaign: Campaign,
        watch: Watch,
        open_one: Open | None = None,
        engine: Engine | None = None,
    ) -> None:
        campaign = prompted(campaign)
        self.campaign, self.watch, self.progress = campaign, watch, Progress()
        self.stages: defaultdict[str, float] = defaultdict(float)  # seconds waited for each
        self.judging: deque[tuple[Method, list[Case], list[list[Trial]], Later[list[Verdict]]]]
        self.judging = deque()
        self.counted_from = COUNTED_FROM
        self.askers: list[Asker] = []
        with ExitStack() as opened:  # closed again where a later part cannot be opened
            self.engine = engine or open_engine(campaign)
            opened.callback(self.engine.close)
            self.plan = open_plan(campaign, open_one or self.engine.open_system)
            for system in self.plan.systems:
                opened.callback(system.close)
            if self.plan.judge:
                opened.callback(self.plan.judge.close)
            self.store = Store(campaign.store)
            self.closing = opened.pop_all()
        self.run_id = self.plan.run_id
        self.tools = Toolbox(
            self.store,
            campaign.seed,
            self.plan.languages,
            campaign.parser,
            self.plan.corpus,
            self.plan.systems[0],
            partial(open_lens, campaign.lens) if campaign.lens else None,
            partial(open_back_lens, campaign.back) if campaign.back else None,
            BudgetedJudge(self.plan.judge, campaign.judge_budget) if self.plan.judge else None,
            campaign.foreign_lens,
        )

    def run(self) -> dict[str, Any]:
        """All stages, unless a run of the same definition is done already."""
        if self.campaign.fresh:
            self.store.runs.forget(self.run_id)
        state, before = self.store.runs.begin(self.run_id, self.plan.definition)
        self.history = History(self.store, self.run_id)
        self.progress.about = self.about(state, before)
        self.tell()
        if self.campaign.retry_errors:
            self.store.outputs.forget_failures(self.run_id)
        if state == "done" and not self.campaign.retry_errors:
            before |= self.limits_of_today(before)
            return before | {"queries": 0, "cache_hits": before["queries"] + before["cache_hits"]}
        started = time.monotonic() - before.get("seconds", 0.0)
        self.stages.update(before.get("stages", {}))
        self.open_askers(begin=True)
        self.open_rank()
        if self.plan.meter.limited:
            self.warn(self.estimate())
        issues, answers = 0, dict[str, Any]()
        try:
            self.ask_and_compare()
            self.store.runs.count_rows()
            with self.timed("issues"):
                ranked = ranked_issues(self.plan.methods, self.history)
                issues = self.store.verdicts.set_issues(self.run_id, ranked)
            answers = answer_figures(self.history, self.plan.methods) | self.without_case()
            answers |= keep_ways_back(self.campaign, self.plan, self.history, self.askers)
        finally:
            figures = run_figures(self.plan, self.store, self.askers)
            seconds = round(time.monotonic() - started, 3)
            figures |= {
                "seeds": self.progress.seeds,
                "issues": issues,
                "seconds": seconds,
                "stages": {name: round(spent, 3) for name, spent in self.stages.items()},
                "limits": self.limits,
            } | answers
            self.store.runs.finish(self.run_id, figures, "running")
        refuse_unfinished(figures, self.trips.stopped)
        refuse_empty(figures, self.plan, self.store)
        self.store.runs.finish(self.run_id, figures, "done")
        self.history.reload()
        return figures

    @property
    def limits(self) -> dict[str, Any]:
        """What makes a gate of the run; pages judge it by the same."""
        campaign = self.campaign
        return {
            "fail_under": campaign.fail_under,
            "max_undecided": campaign.max_undecided,
            "by_capability": campaign.capability_limits,
        }

    def limits_of_today(self, before: dict[str, Any]) -> dict[str, Any]:
        """The limits of a finished run that is asked for again with others: they are judged by from now on."""
        if not any(value not in (None, {}) for value in self.limits.values()):
            return {}
        if before.get("limits") != self.limits:
            self.store.runs.note(self.run_id, before | {"limits": self.limits})
            self.history.reload()
        return {"limits": self.limits}

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Count the seconds of a stage; where the system works ahead, those that the run waited for."""
        start = time.monotonic()
        try:
            yield
        finally:
            self.stages[stage] += time.monotonic() - start

    def about(self, state: str, before: dict[str, Any]) -> str:
        """Which run it is, for who wants to know what happens."""
        going = "is done" if state == "done" else "goes on" if before else "starts"
        names = ", ".join(method.name for method in self.plan.methods)
        return (
            f"run {self.run_id} {going}: {names} on {self.plan.systems[0].signature}, "
            f"corpus {self.campaign.corpus}, store {self.store.where}"
        )

    def open_askers(self, begin: bool = False) -> None:
        """Whoever asks the systems, from now on if told; the store has what they were asked before."""
        ready = self.engine.start(self.plan.methods, self.tools)
        patience = self.campaign.timeout + self.engine.grace
        self.account = self.store.leases.account(self.run_id, self.plan.meter)
        self.askers = [
            Asker(system, self.store, self.campaign.jobs, patience, self.account)
            for system in self.plan.systems
        ]
        self.trips = RoundTrips(self.askers, self.plan.languages[1], self.campaign.repeat)
        self.budget = Budget(self.campaign.budget, self.campaign.repeat, self.askers[0].key)
        if begin and self.engine.loads_beside:
            self.ask_originals()
        ready()

    def ask_originals(self) -> None:
        """Let the system begin with the first sentences themselves, which every pair of theirs needs."""
        pairs = all(
            one.task == "translation" and one.route == "direct" for one in self.plan.methods
        )
        if pairs and not self.budget.limited:
            count = min(self.campaign.limit or SEEDS_AT_ONCE, SEEDS_AT_ONCE)
            self.askers[0].submit([seed.input for seed in islice(iter(self.plan.corpus), count)])

    def estimate(self) -> Estimate:
        """What the run will ask, judged by its first seeds; nothing is asked for it."""
        seeds = list(islice(iter(self.plan.corpus), min(self.campaign.limit or SAMPLE, SAMPLE)))
        self.store.cases.add_seeds(self.run_id, 0, seeds)
        asker = self.askers[0]
        new: dict[str, Input] = {}
        for _, pending in self.mutated([seeds]):
            for cases in pending:
                new |= {asker.key(item): item for case in cases for item in case.inputs}
        known = self.store.outputs.get(list(new))
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
        self.progress.seeds_total = corpus.count(limit)
        stream = islice(iter(corpus), limit)
        size = RANKED_AT_ONCE if self.queued else FIRST_SEEDS
        if self.queued and asks_first(self.campaign.rank, self.tools):
            size = min(size, self.budget.most_seeds or size)
        while chunk := list(islice(stream, size)):
            self.store.cases.add_seeds(self.run_id, self.progress.seeds, chunk)
            self.progress.seeds_out += len(chunk)
            started = time.monotonic()
            yield chunk
            if time.monotonic() - started < QUICK:
                size = max(size, min(2 * size, QUICK_SEEDS))
            elif not self.queued:
                size = min(2 * size, SEEDS_AT_ONCE)
            self.progress.seeds += len(chunk)
            self.tell()

    # rank
    @property
    def queued(self) -> bool:
        """Whether a budget is spent case by case in the order of a rank, rather than along the corpus."""
        return self.budget.limited and self.campaign.rank != "none"

    def open_rank(self) -> None:
        """Give the tools the rank of words that the campaign names; what it asks goes through the store."""
        if self.campaign.rank != "none" and not ranks_cases(self.campaign.rank):
            self.tools.rank = CachedRank(self.campaign.rank, self.plan.systems[0], self.ask_first)

    def ask_first(self, inputs: Sequence[Input]) -> list[Output]:
        """Answers to originals before their cases are chosen; they are asked anyway, and paid for."""
        asker = self.askers[0]
        self.budget.pay(inputs)
        answers = asker.gather(asker.submit(inputs))
        if asker.stopped:
            raise asker.stopped
        return [answers[asker.key(item)] for item in inputs]

    def ask_in_order(self) -> None:
        """The cases of many seeds and of all methods in the order of the rank, until the budget is spent."""
        methods, place = {method.name: method for method in self.plan.methods}, 0
        for seeds in self.seeds():
            for _, pending in self.mutated([seeds]):
                deque(
                    pending, maxlen=0
                )  # made and kept; they are read back with those of earlier runs
            cases = [
                case
                for name in methods
                for case in self.store.cases.of_seeds(self.run_id, name, seeds)
            ]
            with self.timed("rank"):
                order = open_order(self.campaign.rank, seeds, cases, self.tools, self.ask_first)
            queue = CaseQueue(order, self.budget, self.store, self.run_id, place)
            for batch in queue.batches():
                for name, method in methods.items():
                    if some := [case for case in batch if case.method == name]:
                        self.compare(method, some, self.trips.send(some))
                self.keep_verdicts(0)
                if self.trips.stopped:
                    return
            place = queue.place
            if self.budget.paid_out:
                return

    # mutate
    def mutated(
        self, chunks: Iterable[list[Seed]]
    ) -> Iterator[tuple[Method, Iterator[list[Case]]]]:
        """Each method with some seeds at a time and their pending cases; an engine elsewhere works ahead."""
        coming: deque[tuple[Method, list[Seed], list[Seed], Later[Iterable[Case]]]] = deque()
        for seeds in chunks:
            for method in self.plan.methods:
                ready = self.store.cases.generated(self.run_id, method.name, seeds)
                todo = [seed for seed in seeds if seed.id not in ready]
                coming.append((method, seeds, todo, self.engine.mutate(method, todo)))
                while len(coming) > self.engine.ahead:
                    yield self.keep_cases(*coming.popleft())
        while coming:
            yield self.keep_cases(*coming.popleft())

    def keep_cases(
        self, method: Method, seeds: list[Seed], todo: list[Seed], cases: Later[Iterable[Case]]
    ) -> tuple[Method, Iterator[list[Case]]]:
        """Keep the cases of the seeds that an earlier run did not make them of."""
        with self.timed("mutate"):
            return self.make_cases(method, seeds, todo, cases)

    def make_cases(
        self, method: Method, seeds: list[Seed], todo: list[Seed], cases: Later[Iterable[Case]]
    ) -> tuple[Method, Iterator[list[Case]]]:
        """Walk through new cases into the store; those that wait for a verdict."""
        stream = (msgspec.structs.replace(case, method=method.name) for case in cases())
        place = self.store.cases.count(self.run_id, method.name)
        known = {seed.id: seed for seed in seeds}
        add = partial(self.store.cases.add, self.run_id, method.name, seeds=known)
        held: list[list[Case]] = []
        new, some = len(todo) == len(seeds), list(islice(stream, CASES_AT_ONCE))
        while len(some) == CASES_AT_ONCE:
            new = add(place, some) and new and len(held) < HELD
            held, place = [*held, some] if new else [], place + len(some)
            some = list(islice(stream, CASES_AT_ONCE))
        new = add(place, some, [seed.id for seed in todo]) and new
        if new:  # nobody else has made any of them: they need not be read back
            return method, filter(None, [*held, some])
        pending = self.store.cases.pending(self.run_id, method.name, seeds, CASES_AT_ONCE)
        return method, pending

    def without_case(self) -> dict[str, Any]:
        """Why methods made no case of some seeds, of those that were looked into."""
        reasons: dict[str, dict[str, int]] = {}
        for method in self.plan.methods:
            seeds = self.store.cases.without_case(self.run_id, method.name, LOOKED_INTO)
            why = self.engine.without_case(method, seeds) if seeds else {}
            reasons |= {method.name: why} if why else {}
        return {"without_case_reasons": reasons}

    # run, represent, compare
    def ask_and_compare(self) -> None:
        """Every pending case to its verdict, the system always some cases ahead."""
        if self.queued:
            return self.ask_in_order()
        if foreman := self.engine.foreman(self.run_id, self.store, self.plan.languages):
            return self.hand_over(foreman)
        waiting: deque[tuple[Method, list[Case], Asked]] = deque()
        if self.budget.limited:
            self.budget.charge(self.store.cases.judged(self.run_id))
        for method, pending in self.mutated(self.seeds()):
            for cases in pending:
                for chosen in self.pieces(self.budget.choose(cases)):
                    waiting.append((method, chosen, self.trips.send(chosen)))
                while sum(len(cases) for _, cases, _ in list(waiting)[1:]) >= AHEAD:
                    self.compare(*waiting.popleft())
            last = method is self.plan.methods[-1]  # all methods have had their turn on these seeds
            if (last and self.budget.paid_out) or self.trips.stopped:
                break
        while waiting:
            self.compare(*waiting.popleft())
        self.keep_verdicts(0)
        return None

    def pieces(self, cases: list[Case]) -> Iterator[list[Case]]:
        """Cases of a quick system together; else in pieces, so that most are judged before the last is answered."""
        size = CASES_AT_ONCE if self.askers[0].quick else JUDGED_AT_ONCE
        for start in range(0, len(cases), size):
            yield cases[start : start + size]

    def hand_over(self, foreman: Foreman) -> None:
        """Every pending case to its verdict by workers that ask, judge and keep; this process plans and counts."""
        under_way: deque[tuple[Method, list[Case], Future[Settled]]] = deque()
        if self.budget.limited:
            self.budget.charge(self.store.cases.judged(self.run_id))
        try:
            for method, pending in self.mutated(self.seeds()):
                for cases in pending:
                    for some in foreman.pieces(self.budget.choose(cases)):
                        under_way.append((method, some, foreman.hand(method.name, some)))
                        if len(under_way) >= foreman.most:
                            self.count_settled(foreman, *under_way.popleft())
                last = method is self.plan.methods[-1]
                if (last and self.budget.paid_out) or self.trips.stopped:
                    break
            while under_way:
                self.count_settled(foreman, *under_way.popleft())
        finally:
            foreman.close()
            self.store.leases.hear(self.account)

    def count_settled(
        self, foreman: Foreman, method: Method, cases: list[Case], settled: Future[Settled]
    ) -> None:
        """Wait for what became of some cases; those on which a worker hangs are asked from here."""
        with self.timed("ask"):
            self.wait_for([[settled]])
        if isinstance(settled.exception(), TimeoutError):
            self.compare(method, cases, self.trips.send(cases))
            return self.keep_verdicts(0)
        found = settled.result()
        foreman.learn(len(cases), found.seconds)
        self.askers[0].count_elsewhere(found.queries, found.cache_hits, found.errors, found.stopped)
        self.progress.cases += found.cases
        self.progress.violations += found.violations
        self.progress.undecided += found.undecided
        self.count_early()
        return self.tell()

    def compare(self, method: Method, cases: list[Case], asked: Asked) -> None:
        """Wait for the outputs of some cases, of each time they were asked for, and have them judged."""
        with self.timed("ask"):
            self.wait_for(asked)
            cases, rounds = self.trips.trials(cases, asked, back=method.route == "round trip")
        names = self.campaign.labels
        rounds = [[relabelled_trial(trial, names) for trial in trials] for trials in rounds]
        with self.timed("compare"):
            later = self.engine.compare(method, rounds[0])
        self.judging.append((method, cases, rounds, later))
        self.keep_verdicts(max(self.engine.ahead, int(method.begins)))

    def wait_for(self, asked: Sequence[Sequence[Future[Any]]]) -> None:
        """Wait for what a slow system is asked, telling how far it is."""
        left = {future for futures in asked for future in futures}
        while left:
            left = self.askers[0].wait(left, TELL_EVERY)
            if left:
                self.tell()

    def keep_verdicts(self, under_way: int) -> None:
        """Keep the verdicts that are there, and wait for others until only so many are under way."""
        while len(self.judging) > under_way:
            method, cases, rounds, first = self.judging.popleft()
            with self.timed("compare"):
                verdicts = first()
                if len(rounds) > 1:
                    verdicts = merge_repeats(rounds, verdicts, partial(self.judge, method))
            pairs = list(zip(cases, verdicts, strict=True))
            self.store.verdicts.add(self.run_id, method.name, pairs)
            self.progress.cases += len(cases)
            self.progress.violations += sum(v.outcome == "violated" for v in verdicts)
            self.progress.undecided += sum(v.outcome == "undecided" for v in verdicts)
            self.count_early()
            self.tell()

    def count_early(self) -> None:
        """Have the store look at how its tables grew, now and then."""
        if self.progress.cases >= self.counted_from:
            self.store.runs.count_rows()
            self.counted_from = GROWTH * self.progress.cases

    def judge(self, method: Method, trials: Sequence[Trial]) -> list[Verdict]:
        """The verdicts on some trials, waited for."""
        return self.engine.compare(method, trials)()

    def tell(self) -> None:
        """Tell the watcher how far the run is."""
        self.progress.stage = "run"
        self.progress.warning = self.progress.warning or self.plan.remark
        self.progress.queries = sum(asker.queries for asker in self.askers)
        waiting = sum(asker.under_way for asker in self.askers)
        self.progress.queries_known = self.progress.queries + waiting
        self.progress.queries_expected = self.expected_queries()
        self.progress.cache_hits = sum(asker.cache_hits for asker in self.askers)
        self.progress.errors = sum(asker.errors for asker in self.askers)
        self.watch(self.progress)

    def expected_queries(self) -> int:
        """What the whole run will ask: known for the seeds that are out, like them for the others."""
        if not self.askers:
            return self.progress.queries
        known = self.askers[0].queries + self.askers[0].under_way
        total, out = self.progress.seeds_total, self.progress.seeds_out
        expected = known * total / out if total and out else known
        if self.campaign.budget:
            expected = min(expected, self.campaign.budget)
        return max(round(expected * len(self.askers)), self.progress.queries_known)

    def close_systems(self) -> None:
        """Let go of systems and machines; the store stays open."""
        for asker in self.askers:
            asker.close()
        self.askers = []
        self.closing.close()

    def close(self) -> None:
        """Let go of everything that was opened."""
        self.close_systems()
        self.store.close()
