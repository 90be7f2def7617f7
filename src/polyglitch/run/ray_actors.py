"""What runs on the machines of a cluster beside those that make cases and judge: replicas of the system, and workers
that do all of it and keep what they find, where the store is on a server.
"""

from __future__ import annotations

import threading
import time
from typing import Any

import msgspec
from msgspec.structs import replace

from polyglitch.campaign import Campaign, make_method
from polyglitch.protocols import Remote
from polyglitch.records import Case, Input, Output
from polyglitch.registry import Method
from polyglitch.run.asking import Asker
from polyglitch.run.method_actor import Languages, Reply, judge_of, replied, tools_of
from polyglitch.run.workers import CaseWorker, Settled
from polyglitch.store.store import Store
from polyglitch.systems.spending import Limits, Meter
from polyglitch.tools import open_system

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


OUTPUTS = list[Output]
