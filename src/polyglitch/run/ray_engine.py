"""Actors that are all alike: a free one is taken for each call, and one that was lost is waited for or done without.

The stages of a campaign on a Ray cluster: one replica of the system an actor, hands that make cases and judge.

A store in a file stays with this process, which alone writes it. One on a server is written by the actors as well:
each asks, judges and keeps, and this process makes the plan and hands out cases. What the cluster loses is asked or
computed again, and the results are those of one machine. Nothing is reported to anybody: usage statistics and the
dashboard are off.
"""

from __future__ import annotations

import os
import queue
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import msgspec
import ray
from ray.exceptions import GetTimeoutError, RayActorError

from polyglitch.campaign import Campaign
from polyglitch.errors import SystemFailed
from polyglitch.protocols import System
from polyglitch.records import Case, Input, Output, Seed, Trial, Verdict
from polyglitch.registry import Method
from polyglitch.run.method_actor import (
    CASES,
    REASONS,
    VERDICTS,
    Languages,
    MethodActor,
    Reply,
    opened,
)
from polyglitch.run.plan import Later
from polyglitch.run.ray_actors import OUTPUTS, Description, Replica, Worker
from polyglitch.run.workers import Foreman, Settled, WorkerLost
from polyglitch.store.store import Store
from polyglitch.systems.spending import Limits, Meter, Spent
from polyglitch.tools import Toolbox

RECOVERY = 120.0  # seconds in which a lost actor is back on another machine with its models loaded
LOOKED = 5.0  # seconds after which a call that waits for an actor looks whether any is left


class TookTooLong(TimeoutError):
    """An actor did not answer in time; it has been started afresh."""


class ActorPool:
    """Never more calls under way than actors: whoever wants one has to wait until one is free."""

    def __init__(
        self, kind: Any, count: int, cpus: float, *arguments: Any, at_once: int = 1
    ) -> None:
        remote = ray.remote(kind).options(
            num_cpus=cpus,
            max_restarts=-1,
            max_task_retries=0,
            scheduling_strategy="SPREAD",
            max_concurrency=at_once,
        )
        self._actors = [remote.remote(*arguments) for _ in range(count)]
        self._free: queue.SimpleQueue[Any] = queue.SimpleQueue()
        for actor in at_once * self._actors:  # each once before any twice
            self._free.put(actor)
        self._left, self._lock, self._closed = count * at_once, threading.Lock(), False
        self.lost = 0  # calls that had to be made again

    def call(
        self, name: str, *arguments: Any, timeout: float | None = None, again: bool = True
    ) -> Reply:
        """Call a method of whichever actor is free; on another one if it is lost meanwhile, or WorkerLost."""
        while True:
            actor = self._take()
            try:
                reply: Reply = ray.get(getattr(actor, name).remote(*arguments), timeout=timeout)
            except GetTimeoutError:
                ray.kill(actor, no_restart=False)  # it may hang for ever
                self._give_back(actor)
                raise TookTooLong from None
            except RayActorError:
                self.lost += 1
                self._give_back(actor)
                if not again:
                    raise WorkerLost from None
                continue
            except BaseException:
                self._free.put(actor)
                raise
            self._free.put(actor)
            return reply

    def tell(self, name: str) -> None:
        """Call a method of every actor, and wait for it a while."""
        calls = [getattr(actor, name).remote() for actor in self._actors]
        ray.wait(calls, num_returns=len(calls), timeout=LOOKED)

    def close(self) -> None:
        """End the actors."""
        self._closed = True
        for actor in self._actors:
            ray.kill(actor)

    def _take(self) -> Any:
        while True:
            try:
                return self._free.get(timeout=LOOKED)
            except queue.Empty:
                if not self._left:
                    raise SystemFailed(
                        f"the cluster lost a worker and gave no other in {RECOVERY:g} s; look at it with "
                        "`ray status`, then run again: everything finished is kept"
                    ) from None

    def _give_back(self, actor: Any) -> None:
        """Wait, beside the callers, until an actor has been started again."""

        def revive() -> None:
            try:
                ray.get(actor.describe.remote(), timeout=RECOVERY)
            except RayActorError:
                if not self._closed:
                    revive()
            except Exception:
                with self._lock:
                    self._left -= 1
            else:
                self._free.put(actor)

        threading.Thread(target=revive, daemon=True).start()


os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # before ray is imported: it decides then
os.environ["RAY_ENABLE_AUTO_CONNECT"] = (
    "0"  # a late call must not start a cluster that nobody asked for
)


AT_ONCE = 2  # pieces of cases that a worker has: one is judged while the system works on the other
SHARE = 0.5  # of a core for an actor: replicas and hands seldom work at the same moment
LOOPBACK = "127.0.0.1"


class RayEngine:
    """Fits `polyglitch.run.plan.Engine`."""

    grace = 2 * RECOVERY
    loads_beside = False

    def __init__(self, campaign: Campaign, address: str = "") -> None:
        self._campaign = campaign
        self._joined = not ray.is_initialized()
        self._folder: str | None = None
        if self._joined:
            self._folder = connect(address or os.environ.get("RAY_ADDRESS", ""))
        cores = int(ray.cluster_resources().get("CPU", 1))
        self._replicas = campaign.jobs or max(1, cores // 2)
        self.ahead = max(1, cores // 2)
        # All must fit: an actor for which there is no room would be waited for without end.
        self._share = min(SHARE, cores / (3 * self._replicas + self.ahead))
        self._pools: list[ActorPool] = []
        self._workers: ActorPool | None = None
        self._remote = False  # a service that the workers ask

    def open_system(self, uri: str, timeout: float) -> System:
        """The system under test, as many times as there is room for it."""
        if on_server(self._campaign.store) and uri == self._campaign.system and not self._workers:
            raw = msgspec.json.encode(self._campaign)
            arguments = (self._replicas, self._share, raw, self._replicas)
            pool = self._workers = ActorPool(Worker, *arguments, at_once=AT_ONCE)
            replicas = self._replicas
        else:
            replicas = 1 if self._workers else self._replicas
            pool = ActorPool(Replica, replicas, self._share, uri, timeout)
        self._pools.append(pool)
        spread = Spread(pool, timeout, replicas)
        if pool is not self._workers or not spread.remote:
            return spread
        self._remote = True
        return SpreadService(pool, timeout, replicas)

    def foreman(self, run: str, store: Store, languages: Languages) -> Foreman | None:
        """Who hands cases to the workers, where the store is one that they reach."""
        pool = self._workers
        if pool is None:
            return None

        def send(method: str, cases: list[Case], permit: int) -> Settled:
            told = (run, languages, method, msgspec.json.encode(cases), permit)
            reply = pool.call("settle", *told, timeout=self._longest(cases), again=False)
            found: Settled = opened(reply, Settled)
            return found

        return Foreman(store, send, AT_ONCE * self._replicas)

    def _longest(self, cases: Sequence[Case]) -> float | None:
        """Seconds after which a worker hangs as a whole: it gives up single questions itself, and so does a service."""
        if self._remote:
            return None
        hops, turns = 1 + bool(self._campaign.back), self._campaign.repeat
        inputs = sum(len(case.inputs) for case in cases)
        return hops * turns * inputs * (self._campaign.timeout + 1.0) + RECOVERY

    def start(self, methods: Sequence[Method], tools: Toolbox) -> Later[None]:
        """Start the hands; what is missing on a machine of the cluster shows now."""
        raw = msgspec.json.encode(self._campaign)
        self._hands = ActorPool(MethodActor, self.ahead, self._share, raw, tools.languages)
        self._pools.append(self._hands)
        opened(self._hands.call("describe"), None)
        self._threads = ThreadPoolExecutor(self.ahead)
        return lambda: None

    def mutate(self, method: Method, seeds: Sequence[Seed]) -> Later[Iterable[Case]]:
        """The cases of some seeds, under way from now on."""
        return self._send("mutate", method, list(seeds), CASES)

    def compare(self, method: Method, trials: Sequence[Trial]) -> Later[list[Verdict]]:
        """The verdicts on some trials, under way from now on."""
        return self._send("compare", method, list(trials), VERDICTS)

    def without_case(self, method: Method, seeds: Sequence[Seed]) -> dict[str, int]:
        """Why no case came of some seeds, told by one of the hands."""
        found: dict[str, int] = self._send("without_case", method, list(seeds), REASONS)()
        return found

    def close(self) -> None:
        """End what was started here; a cluster that ran before goes on."""
        if hasattr(self, "_threads"):
            self._threads.shutdown(wait=False, cancel_futures=True)
        if self._workers:
            with suppress(Exception):  # a cluster that is gone has no leases to end: they expire
                self._workers.tell("end")
        for pool in self._pools:
            pool.close()
        if self._joined:
            ray.shutdown()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _send(self, name: str, method: Method, records: Any, kind: Any) -> Callable[[], Any]:
        if not records:
            return list
        raw = msgspec.json.encode(records)
        future = self._threads.submit(self._hands.call, name, method.name, raw)
        return lambda: opened(future.result(), kind)


class Spread:
    """Replicas of a system as one system that answers as many batches at once as there are replicas."""

    def __init__(self, pool: ActorPool, timeout: float, replicas: int) -> None:
        self._pool, self._timeout, self.parallel = pool, timeout, replicas
        told = opened(pool.call("describe"), Description)
        self.signature, self.languages, self.batch_size, self.remote = told

    def ask(self, inputs: Sequence[Input]) -> Sequence[Output]:
        """Answers from a free replica; a batch that hangs is asked again one by one."""
        try:
            reply = self._pool.call(
                "ask", msgspec.json.encode(list(inputs)), timeout=self._timeout + 1.0
            )
        except TookTooLong:
            if len(inputs) == 1:
                return [Output(status="timeout", error=f"no answer in {self._timeout:g} s")]
            return [output for item in inputs for output in self.ask([item])]
        found: list[Output] = opened(reply, OUTPUTS)
        return found

    def close(self) -> None:
        """The engine ends the replicas."""


class SpreadService(Spread):
    """A service that workers ask, each with its share of the limits; fits `polyglitch.protocols.Remote`."""

    def limit(self, limits: Limits, meter: Meter) -> None:
        """The workers keep the limits, through the store."""

    def expected(self, item: Input) -> Spent:
        """What the workers reckon with is theirs."""
        return Spent()

    def stream(self, inputs: Sequence[Input]) -> Iterator[dict[int, Output]]:
        """Nothing is asked from here: it would count against no limit."""
        raise SystemFailed(f"{self.signature} is asked by workers only")


def on_server(store: str) -> bool:
    """Whether other machines may reach a store; a file has one writer, which is here."""
    return "://" in store


def connect(address: str) -> str | None:
    """Join a cluster, or start one of our own; the folder of one started here, to be removed."""
    options: dict[str, Any] = {"log_to_driver": False, "configure_logging": False}
    folder = None
    if address:
        options["address"] = address
    else:
        # Without "local" Ray joins whatever cluster was last noted on this machine, dead or somebody else's. The folder
        # is our own, so that our note of a cluster is found by nobody and goes with it; its name is short, as sockets
        # in it may have a hundred characters.
        folder = tempfile.mkdtemp(prefix="pg-ray-")
        options |= {"address": "local", "include_dashboard": False, "_temp_dir": folder}
    if not address or address.startswith(LOOPBACK):  # else ray looks for us under an outer address
        options["_node_ip_address"] = LOOPBACK
    try:
        ray.init(**options)
    except Exception as error:  # a node that does not start in time is a plain Exception
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
        raise SystemFailed(
            f"no Ray cluster at {address or LOOPBACK}: {error}; start one with `ray start --head`, "
            "or leave the address out to use this machine"
        ) from None
    return folder
