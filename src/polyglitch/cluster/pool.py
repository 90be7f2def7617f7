"""Actors that are all alike: a free one is taken for each call, and one that was lost is waited for or done without."""

from __future__ import annotations

import queue
import threading
from typing import Any

import ray
from ray.exceptions import GetTimeoutError, RayActorError

from polyglitch.cluster.actors import Reply
from polyglitch.errors import SystemFailed

RECOVERY = 120.0  # seconds in which a lost actor is back on another machine with its models loaded
LOOKED = 5.0  # seconds after which a call that waits for an actor looks whether any is left


class TookTooLong(Exception):
    """An actor did not answer in time; it has been started afresh."""


class Pool:
    """Never more calls under way than actors: whoever wants one has to wait until one is free."""

    def __init__(self, kind: Any, count: int, cpus: float, *arguments: Any) -> None:
        remote = ray.remote(kind).options(
            num_cpus=cpus, max_restarts=-1, max_task_retries=0, scheduling_strategy="SPREAD"
        )
        self._actors = [remote.remote(*arguments) for _ in range(count)]
        self._free: queue.SimpleQueue[Any] = queue.SimpleQueue()
        for actor in self._actors:
            self._free.put(actor)
        self._left, self._lock, self._closed = count, threading.Lock(), False
        self.lost = 0  # calls that had to be made again

    def call(self, name: str, *arguments: Any, timeout: float | None = None) -> Reply:
        """Call a method of whichever actor is free; on another one if it is lost meanwhile."""
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
                continue
            except BaseException:
                self._free.put(actor)
                raise
            self._free.put(actor)
            return reply

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
