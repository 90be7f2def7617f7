"""What runs on the machines of a cluster: replicas of the system, hands that make cases and judge, and workers that
do both and keep what they find, where the store is on a server.

Everything comes and goes as JSON of the project's own records; an error of ours goes back as its kind and message.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import replace

from polyglitch import errors
from polyglitch.campaign import Campaign, make_method
from polyglitch.protocols import Remote, System
from polyglitch.records import Case, Input, Output, Seed, Trial, Verdict
from polyglitch.registry import Method
from polyglitch.run.asking import Asker
from polyglitch.run.workers import CaseWorker, Settled
from polyglitch.store.leases import LeaseLost
from polyglitch.store.store import Store
from polyglitch.systems.spending import Limits, Meter
from polyglitch.tools import BudgetedJudge, Toolbox, lens_elsewhere, open_back_lens, open_system

Languages = tuple[str | None, str | None]
Reply = tuple[str, bytes]  # "ok" and JSON, or the kind of an error and its message


def replied(work: Callable[[], Any]) -> Reply:
    """The result of some work as it is sent back."""
    try:
        return "ok", msgspec.json.encode(work())
    except LeaseLost:
        return LeaseLost.__name__, b""
    except errors.PolyglitchError as error:
        return type(error).__name__, str(error).encode()
    except Exception as error:  # the system's own: told as it would be on one machine
        return f"!{type(error).__name__}", str(error).encode("utf-8", "backslashreplace")


def opened(reply: Reply, kind: Any) -> Any:
    """The result that a reply carries, or the error raised again."""
    name, raw = reply
    if name == "ok":
        return msgspec.json.decode(raw, type=kind)
    if name.startswith("!"):
        raise type(name[1:], (Exception,), {})(raw.decode())
    if name == LeaseLost.__name__:
        raise LeaseLost
    known = {"UsageError": errors.UsageError, "NothingToTest": errors.NothingToTest}
    raise known.get(name, errors.SystemFailed)(raw.decode())


Description = tuple[str, tuple[str | None, str | None], int, bool]


class Replica:
    """One copy of the system under test."""

    def __init__(self, uri: str, timeout: float) -> None:
        self._uri, self._timeout = uri, timeout
        self._system: Any = None
        self._opening = threading.Lock()

    def describe(self) -> Reply:
        """Signature, languages, batch size, and whether it is over the network; the first call opens the system."""
        return replied(self._describe)

    def ask(self, inputs: bytes) -> Reply:
        """The outputs of a batch."""

        def work() -> list[Output]:
            self._describe()
            return list(self._system.ask(msgspec.json.decode(inputs, type=list[Input])))

        return replied(work)

    def _describe(self) -> Description:
        with self._opening:
            if self._system is None:
                self._system = open_system(self._uri, self._timeout)
        system = self._system
        return system.signature, system.languages, system.batch_size, isinstance(system, Remote)


class WholeCorpus:
    """The corpus for methods that draw on all of it, opened on the machine that needs it."""

    def __init__(self, campaign: Campaign, language: str | None) -> None:
        self._campaign, self._language = campaign, language

    def __iter__(self) -> Iterator[Seed]:
        from polyglitch.run.plan import campaign_corpus

        yield from campaign_corpus(self._campaign, self._language)


def tools_of(
    options: Campaign, languages: Languages, judge: System | None, store: Store | None = None
) -> Toolbox:
    """The tools of a campaign as one of its actors has them."""
    return Toolbox(
        store,
        options.seed,
        languages,
        options.parser,
        WholeCorpus(options, languages[0]),
        lens=partial(lens_elsewhere, options.lens, options.system),
        back=partial(open_back_lens, options.back) if options.back else None,
        judge=BudgetedJudge(judge, options.judge_budget) if judge else None,
        foreign_lens=options.foreign_lens,
    )


def judge_of(options: Campaign) -> System | None:
    """The judge of a campaign, opened."""
    return open_system(options.judge, options.timeout) if options.judge else None


class MethodActor:
    """Makes cases and judges trials with tools of its own."""

    def __init__(self, campaign: bytes, languages: Languages) -> None:
        options = msgspec.json.decode(campaign, type=Campaign)
        self._languages = languages
        self._options = options
        self._methods: dict[str, Any] = {}
        self._tools = tools_of(options, languages, judge_of(options))

    def describe(self) -> Reply:
        """Load what the methods need; the first call takes its time."""

        def work() -> list[str]:
            for name in self._options.methods:
                for need in self._method(name).needs:
                    self._tools.check(need, *self._languages)
            return list(self._methods)

        return replied(work)

    def mutate(self, name: str, seeds: bytes) -> Reply:
        """The cases of some seeds."""
        some = msgspec.json.decode(seeds, type=list[Seed])
        return replied(lambda: list(self._method(name).mutate(some, self._tools)))

    def compare(self, name: str, trials: bytes) -> Reply:
        """The verdicts on some trials."""
        some = msgspec.json.decode(trials, type=list[Trial])
        return replied(lambda: self._method(name).judge(some, self._tools))

    def _method(self, name: str) -> Any:
        if name not in self._methods:
            self._methods[name] = make_method(name, self._options.parameters.get(name))
        return self._methods[name]


class Worker(Replica):
    """A replica that takes cases to their verdicts and keeps both, on a store that it opens by its address.

    Two pieces may be under way: while one is judged the system works on the other."""

    def __init__(self, campaign: bytes, workers: int) -> None:
        self._options = msgspec.json.decode(campaign, type=Campaign)
        self._methods: dict[str, Method] = {}
        self._workers = workers  # that share what a service may be asked in a second
        self._case_worker: CaseWorker | None = None
        self._starting = threading.Lock()
        super().__init__(self._options.system or "", self._options.timeout)

    def settle(
        self, run: str, languages: Languages, method: str, cases: bytes, permit: int
    ) -> Reply:
        """Ask, judge and keep; what became of the cases. `LeaseLost` where the permit was taken back."""

        def work() -> Settled:
            started = time.monotonic()
            self._describe()
            with self._starting:
                if self._case_worker is None:
                    self._case_worker = self._start(run, languages)
            some = [
                replace(case, method=method) for case in msgspec.json.decode(cases, type=list[Case])
            ]
            found = self._case_worker.settle(self._method(method), some, permit)
            return replace(found, seconds=time.monotonic() - started)

        return replied(work)

    def end(self) -> None:
        """End its leases, so that nobody waits for what it had."""
        if self._case_worker:
            self._case_worker.close()

    def _method(self, name: str) -> Method:
        if name not in self._methods:
            self._methods[name] = make_method(name, self._options.parameters.get(name))
        return self._methods[name]

    def _start(self, run: str, languages: Languages) -> CaseWorker:
        from polyglitch.run.plan import limits_of

        options = self._options
        systems, judge = [self._system], judge_of(options)
        routes = [self._method(name).route for name in options.methods]
        if options.back and "round trip" in routes:
            systems.append(open_system(options.back, options.timeout))
        limits = limits_of(replace(options, jobs=max(1, Limits().concurrency // self._workers)))
        rates = (limits.rate, limits.char_rate)
        rate, char_rate = (each and each / self._workers for each in rates)
        limits = replace(limits, rate=rate, char_rate=char_rate)
        meter = Meter(limits)
        for system in (*systems, judge):
            if isinstance(system, Remote):
                system.limit(limits, meter)
        store = Store(options.store)
        account = store.leases.account(run, meter)
        askers = [Asker(system, store, 1, options.timeout, account) for system in systems]
        tools = tools_of(options, languages, judge, store)
        return CaseWorker(store, run, askers, tools, languages[1], options.repeat, options.labels)


CASES, VERDICTS, OUTPUTS = list[Case], list[Verdict], list[Output]
