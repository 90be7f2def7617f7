"""A campaign from end to end: corpus -> mutate -> run -> compare -> issues.

Everything goes through the store, a few seeds at a time: memory does not grow with the campaign, and a run that was
stopped goes on from what is there. While the system answers one batch of cases, the batch before is compared.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from itertools import islice
from typing import Any

import msgspec

from polyglitch import __version__
from polyglitch.campaign import Campaign, make_method
from polyglitch.corpus.read import Corpus, open_corpus
from polyglitch.errors import NothingToTest, SystemFailed, UsageError
from polyglitch.method import Method
from polyglitch.protocols import System
from polyglitch.records import Case, Input, Issue, Output, Seed, Trial, digest, encode
from polyglitch.run.ask import Answers, Asker
from polyglitch.store.store import Store
from polyglitch.systems.uri import open_system
from polyglitch.tools import Toolbox

SEEDS_AT_ONCE = 32  # enough for a parser to batch, few enough that a kill repeats little
CASES_AT_ONCE = 256
AHEAD = 2  # batches of cases that the system works on while another is compared


class Progress(msgspec.Struct):
    """How far a run is; the watcher is told after every step."""

    seeds: int = 0
    seeds_total: int | None = None
    cases: int = 0
    queries: int = 0
    cache_hits: int = 0
    violations: int = 0
    undecided: int = 0
    errors: int = 0
    stage: str = "start"


Watch = Callable[[Progress], None]


def run(campaign: Campaign, watch: Watch = lambda _: None) -> tuple[str, dict[str, Any]]:
    """Run a campaign, or go on with it; its run id and figures."""
    flow = Flow(campaign, watch)
    try:
        return flow.run()
    finally:
        flow.close()


class Flow:
    """One run of a campaign: the parts, opened and checked, and the stages as methods in their order."""

    def __init__(self, campaign: Campaign, watch: Watch) -> None:
        self.campaign, self.watch, self.progress = campaign, watch, Progress()
        if not campaign.methods:
            raise UsageError("no method to run; name one with --method, `list methods` shows them")
        self.methods = [
            make_method(name, campaign.parameters.get(name)) for name in campaign.methods
        ]
        self.store = Store(campaign.store)
        self.systems = self._open_systems()
        self.source, self.target = self._languages()
        self.corpus = self._open_corpus()
        self.tools = Toolbox(self.store, campaign.seed)
        self.definition = self._define()
        self.run_id = digest([encode(self.definition)])
        self.askers: list[Asker] = []
        self._spent: set[str] = set()

    def run(self) -> tuple[str, dict[str, Any]]:
        """All stages, unless a run of the same definition is done already."""
        if self.campaign.fresh:
            self.store.forget(self.run_id)
        state, figures = self.store.begin(self.run_id, self.definition)
        if state == "done" and not self.campaign.retry_errors:
            figures |= {"queries": 0, "cache_hits": figures["queries"] + figures["cache_hits"]}
            return self.run_id, figures
        started = time.monotonic()
        for method in self.methods:
            for need in method.needs:
                self.tools.check(need, self.source, self.target)
        self.askers = [
            Asker(system, self.store, self.campaign.jobs, self.campaign.timeout)
            for system in self.systems
        ]
        try:
            self.ask_and_compare()
            self.progress.stage = "issues"
            issues = self.store.set_issues(self.run_id, self.issues())
        finally:
            figures = self.figures(time.monotonic() - started + figures.get("seconds", 0.0))
            self.store.finish(self.run_id, figures, "running")
        figures["issues"] = issues
        self._refuse_empty(figures)
        self.store.finish(self.run_id, figures)
        return self.run_id, figures

    # corpus
    def seeds(self) -> Iterator[list[Seed]]:
        """The corpus in order, some seeds at a time, kept in the store as they come."""
        self.progress.seeds_total = self.corpus.count(self.campaign.limit)
        stream = islice(iter(self.corpus), self.campaign.limit)
        while chunk := list(islice(stream, SEEDS_AT_ONCE)):
            self.store.add_seeds(self.run_id, self.progress.seeds, chunk)
            yield chunk
            self.progress.seeds += len(chunk)
            self.report_progress("run")

    # mutate, rank
    def mutate(self, method: Method, seeds: Sequence[Seed]) -> None:
        """Make the cases of some seeds, unless an earlier run made them."""
        ready = self.store.generated(self.run_id, method.name, seeds)
        todo = [seed for seed in seeds if seed.id not in ready]
        first = (self.progress.seeds + 1) * 1_000_000  # cases keep the order of their seeds
        made: list[Case] = []
        for case in method.mutate(todo, self.tools):
            made.append(msgspec.structs.replace(case, method=method.name))
            if len(made) == CASES_AT_ONCE:
                self.store.add_cases(self.run_id, method.name, first, made)
                first, made = first + len(made), []
        self.store.add_cases(self.run_id, method.name, first, made, [seed.id for seed in todo])

    # run, represent, compare
    def ask_and_compare(self) -> None:
        """Every pending case to its verdict, the system always a few batches ahead."""
        waiting: deque[tuple[Method, list[Case], list[Future[Answers]]]] = deque()
        for seeds in self.seeds():
            for method in self.methods:
                self.mutate(method, seeds)
                for cases in self.store.pending(self.run_id, method.name, seeds, CASES_AT_ONCE):
                    affordable = self.within_budget(cases)
                    inputs = [item for case in affordable for item in case.inputs]
                    waiting.append((method, affordable, self.askers[0].submit(inputs)))
                    while len(waiting) > AHEAD:
                        self.compare(*waiting.popleft())
            if self.campaign.budget is not None and len(self._spent) >= self.campaign.budget:
                break
        while waiting:
            self.compare(*waiting.popleft())

    def compare(self, method: Method, cases: list[Case], asked: list[Future[Answers]]) -> None:
        """Wait for the outputs of some cases and judge them."""
        hops = [self.askers[0].gather(asked)]
        if method.route == "round trip":
            hops.append(self.round_trip(hops[0]))
        trials = [
            Trial(case, tuple(self.chain(item, hops) for item in case.inputs)) for case in cases
        ]
        verdicts = method.compare(trials, self.tools)
        self.store.add_verdicts(self.run_id, method.name, list(zip(cases, verdicts, strict=True)))
        self.progress.cases += len(cases)
        self.progress.violations += sum(v.outcome == "violated" for v in verdicts)
        self.progress.undecided += sum(v.outcome == "undecided" for v in verdicts)
        self.report_progress("run")

    def round_trip(self, answers: Answers) -> Answers:
        """What comes back when the outputs are sent the other way."""
        there = [
            Input(output.text, language=self.target) for output in answers.values() if output.ok
        ]
        return self.askers[1].gather(self.askers[1].submit(there))

    def chain(self, item: Input, hops: list[Answers]) -> tuple[Output, ...]:
        """The outputs of an input, one a hop, ending early where one failed."""
        chain = [hops[0][self.askers[0].key(item)]]
        for asker, answers in zip(self.askers[1:], hops[1:], strict=False):
            if not chain[-1].ok:
                break
            chain.append(answers[asker.key(Input(chain[-1].text, language=self.target))])
        return tuple(chain)

    def within_budget(self, cases: list[Case]) -> list[Case]:
        """The cases that the budget still pays for. An answer from the store costs as much as a new one,
        so that a campaign has the same cases whatever was asked before."""
        budget = self.campaign.budget
        if budget is None:
            return cases
        chosen: list[Case] = []
        for case in cases:
            new = {self.askers[0].key(item) for item in case.inputs} - self._spent
            if len(self._spent) + len(new) > budget:
                continue
            self._spent |= new
            chosen.append(case)
        return chosen

    # issues
    def issues(self) -> Iterator[Issue]:
        """The issues of all methods; each method's worst first, the methods taking turns."""
        ranked: list[tuple[int, int, Issue]] = []
        for turn, method in enumerate(self.methods):
            found: list[Issue] = []
            for seed_id in self.store.violated_seeds(self.run_id, method.name):
                pairs = self.store.verdicts(self.run_id, method.name, seed=seed_id)
                seed = self.store.seed(self.run_id, seed_id)
                found += method.issues(seed, [(self.trial(method, c), v) for c, v in pairs])
            found.sort(key=lambda issue: (-issue.severity, issue.id))
            ranked += [(place, turn, issue) for place, issue in enumerate(found)]
        ranked.sort(key=lambda item: item[:2])
        yield from (issue for _, _, issue in ranked)

    def trial(self, method: Method, case: Case) -> Trial:
        """A case with its outputs from the store."""
        hops: list[Answers] = []
        inputs = list(case.inputs)
        for system, asker in zip(self.systems, self.askers, strict=True):
            hops.append(self.store.outputs([asker.key(item) for item in inputs]))
            if method.route == "direct":
                break
            inputs = [Input(output.text, language=self.target) for output in hops[-1].values()]
        return Trial(case, tuple(self.chain(item, hops) for item in case.inputs))

    def figures(self, seconds: float) -> dict[str, Any]:
        """The numbers of the run so far."""
        outcomes = self.store.outcomes(self.run_id)
        total = {name: 0 for name in ("holds", "violated", "undecided")}
        for (_, outcome), count in outcomes.items():
            total[outcome] += count
        return {
            "seeds": self.progress.seeds,
            "cases": sum(total.values()),
            "queries": sum(asker.queries for asker in self.askers),
            "cache_hits": sum(asker.cache_hits for asker in self.askers),
            "violations": total["violated"],
            "undecided": total["undecided"],
            "errors": sum(asker.errors for asker in self.askers),
            "issues": 0,
            "seconds": round(seconds, 3),
            "skipped": self.corpus.skipped_counts(),
            "signature": self.signature,
        }

    @property
    def signature(self) -> str:
        """All that the result depends on, in one line."""
        return "|".join(f"{key}:{value}" for key, value in self.definition.items())

    def report_progress(self, stage: str) -> None:
        """Tell the watcher."""
        self.progress.stage = stage
        self.progress.queries = sum(asker.queries for asker in self.askers)
        self.progress.cache_hits = sum(asker.cache_hits for asker in self.askers)
        self.progress.errors = sum(asker.errors for asker in self.askers)
        self.watch(self.progress)

    def close(self) -> None:
        """Let go of everything that was opened."""
        for asker in self.askers:
            asker.close()
        for system in self.systems:
            system.close()
        self.store.close()

    def _open_systems(self) -> list[System]:
        if not self.campaign.system:
            raise UsageError("no system to test; name one with --system, such as firefox:en-pt")
        uris = [self.campaign.system]
        if any(method.route == "round trip" for method in self.methods):
            if not self.campaign.back:
                raise UsageError(
                    "a round trip needs a system for the way back; name it with --back"
                )
            uris.append(self.campaign.back)
        return [open_system(uri, self.campaign.timeout) for uri in uris]

    def _languages(self) -> tuple[str | None, str | None]:
        source, target = self.systems[0].languages
        return self.campaign.source_language or source, self.campaign.target_language or target

    def _open_corpus(self) -> Corpus:
        if not self.campaign.corpus:
            raise UsageError(
                "no corpus; name a file with --corpus, or `sample` for the bundled one"
            )
        return open_corpus(
            self.campaign.corpus,
            text=self.campaign.text_column,
            label=self.campaign.label_column,
            context=self.campaign.context_column,
            language=self.source,
        )

    def _define(self) -> dict[str, Any]:
        """What makes two runs the same: all that can change a case or a verdict."""
        campaign = self.campaign
        return {
            "version": __version__,
            "methods": " ".join(method.signature for method in self.methods),
            "system": " ".join(system.signature for system in self.systems),
            "languages": f"{self.source or '?'}-{self.target or '?'}",
            "corpus": self.corpus.digest(),
            "limit": campaign.limit,
            "budget": campaign.budget,
            "rank": campaign.rank,
            "seed": campaign.seed,
        }

    def _refuse_empty(self, figures: dict[str, Any]) -> None:
        if not figures["cases"]:
            raise NothingToTest(
                f"nothing to test: {figures['seeds']} seeds gave no case; rows skipped: "
                f"{figures['skipped'] or 'none'}"
            )
        if figures["undecided"] == figures["cases"] and figures["errors"]:
            reason = next(iter(self.store.undecided_reasons(self.run_id)), "")
            raise SystemFailed(
                f"every case was left undecided because the system {self.systems[0].signature} failed, "
                f"most often with: {reason}"
            )
