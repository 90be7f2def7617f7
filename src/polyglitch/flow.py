"""A campaign from end to end: corpus -> rank -> mutate -> run -> compare -> issues.

Everything goes through the store, a few seeds at a time: memory does not grow with the campaign, and a run that was
stopped goes on from what is there. While the system answers one batch of cases, the batch before is compared.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from itertools import islice
from typing import Any

import msgspec

from polyglitch.campaign import Campaign
from polyglitch.engine import Later, open_engine
from polyglitch.errors import NothingToTest, SystemFailed
from polyglitch.history import History
from polyglitch.method import Method
from polyglitch.plan import open_plan, signature
from polyglitch.rank.kept import KeptRank
from polyglitch.rank.words import mean_score
from polyglitch.records import Case, Input, Issue, Output, Seed, Trial, Verdict
from polyglitch.run.ask import Answers, Asker
from polyglitch.store.store import Store
from polyglitch.tools import Toolbox

FIRST_SEEDS = 4  # the system should have work soon; the next chunks double
SEEDS_AT_ONCE = 32  # enough for a parser to batch, few enough that a kill repeats little
RANKED_AT_ONCE = 256  # seeds among which a budget is spent on the most promising first
CASES_AT_ONCE = 256
AHEAD = 2  # batches of cases that the system works on while another is compared


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


Watch = Callable[[Progress], None]


def run(campaign: Campaign, watch: Watch = lambda _: None) -> tuple[str, dict[str, Any]]:
    """Run a campaign, or go on with it; its run id and figures."""
    flow = Flow(campaign, watch)
    try:
        return flow.run_id, flow.run()
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
            self.store, campaign.seed, self.plan.languages, campaign.parser, self.plan.corpus
        )
        self.askers: list[Asker] = []
        self.spent: set[str] = set()
        self.judging: deque[tuple[Method, list[Case], Later[list[Verdict]]]] = deque()

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
        self.engine.start(self.plan.methods, self.tools)
        patience = self.campaign.timeout + self.engine.grace
        self.askers = [
            Asker(system, self.store, self.campaign.jobs, patience) for system in self.plan.systems
        ]
        self.open_rank()
        issues = 0
        try:
            self.ask_and_compare()
            issues = self.store.set_issues(self.run_id, self.issues())
        finally:
            figures = self.figures(time.monotonic() - started, issues)
            self.store.finish(self.run_id, figures, "running")
        self.refuse_empty(figures)
        self.store.finish(self.run_id, figures, "done")
        return figures

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
    def mutated(self) -> Iterator[tuple[Method, list[Seed]]]:
        """Each method with some seeds at a time, their cases made; an engine elsewhere works ahead."""
        coming: deque[tuple[Method, list[Seed], list[Seed], Later[Iterable[Case]]]] = deque()
        for seeds in self.seeds():
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
        """Every pending case to its verdict, the system always a few batches ahead."""
        waiting: deque[tuple[Method, list[Case], list[Future[Answers]]]] = deque()
        if self.campaign.budget is not None:  # what an earlier, interrupted run has spent already
            for case in self.store.judged(self.run_id):
                self.spent |= {self.askers[0].key(item) for item in case.inputs}
        for method, seeds in self.mutated():
            for cases in self.store.pending(self.run_id, method.name, seeds, CASES_AT_ONCE):
                chosen = self.within_budget(cases)
                inputs = [item for case in chosen for item in case.inputs]
                waiting.append((method, chosen, self.askers[0].submit(inputs)))
                while len(waiting) > AHEAD:
                    self.compare(*waiting.popleft())
            last = method is self.plan.methods[-1]  # all methods have had their turn on these seeds
            if last and len(self.spent) == self.campaign.budget:
                break
        while waiting:
            self.compare(*waiting.popleft())
        self.keep_verdicts(0)

    def compare(self, method: Method, cases: list[Case], asked: list[Future[Answers]]) -> None:
        """Wait for the outputs of some cases and have them judged."""
        hops = [self.askers[0].gather(asked)]
        if method.route == "round trip":
            hops.append(self.send_back(hops[0]))
        trials = [
            Trial(case, tuple(self.chain(item, hops) for item in case.inputs)) for case in cases
        ]
        self.judging.append((method, cases, self.engine.compare(method, trials)))
        self.keep_verdicts(self.engine.ahead)

    def keep_verdicts(self, under_way: int) -> None:
        """Keep the verdicts that are there, and wait for others until only so many are under way."""
        while len(self.judging) > under_way:
            method, cases, found = self.judging.popleft()
            verdicts = found()
            pairs = list(zip(cases, verdicts, strict=True))
            self.store.add_verdicts(self.run_id, method.name, pairs)
            self.progress.cases += len(cases)
            self.progress.violations += sum(v.outcome == "violated" for v in verdicts)
            self.progress.undecided += sum(v.outcome == "undecided" for v in verdicts)
            self.tell()

    def send_back(self, answers: Answers) -> Answers:
        """What comes back when the outputs are sent the other way."""
        target = self.plan.languages[1]
        there = [Input(output.text, language=target) for output in answers.values() if output.ok]
        return self.askers[1].gather(self.askers[1].submit(there))

    def chain(self, item: Input, hops: list[Answers]) -> tuple[Output, ...]:
        """The outputs of an input, one a hop, ending early where one failed."""
        chain = [hops[0][self.askers[0].key(item)]]
        for asker, answers in zip(self.askers[1:], hops[1:], strict=False):
            if not chain[-1].ok:
                break
            chain.append(answers[asker.key(Input(chain[-1].text, language=self.plan.languages[1]))])
        return tuple(chain)

    def within_budget(self, cases: list[Case]) -> list[Case]:
        """The cases that the budget still pays for. An answer from the store costs as much as a new
        one, so that a campaign has the same cases whatever was asked before."""
        if self.campaign.budget is None:
            return cases
        chosen: list[Case] = []
        for case in cases:
            new = {self.askers[0].key(item) for item in case.inputs} - self.spent
            if len(self.spent) + len(new) <= self.campaign.budget:
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
            "errors": sum(asker.errors for asker in self.askers),
            "issues": issues,
            "seconds": round(seconds, 3),
            "skipped": {row.reason: row.count for row in self.plan.corpus.skipped},
            "signature": signature(self.plan.definition),
        }

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
