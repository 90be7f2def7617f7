"""A service as a system: questions run side by side on a thread of their own, answers come out as they arrive."""

from __future__ import annotations

import asyncio
import queue
import random
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from polyglitch.errors import LimitReached
from polyglitch.records import Input, Output
from polyglitch.systems.answers import failed
from polyglitch.systems.http.api import MOST_CHARACTERS, Api, Call, Fault
from polyglitch.systems.http.exchange import (
    AdaptiveLimit,
    Breaker,
    Connection,
    Pace,
    exchange,
    open_connection,
    reusable,
)
from polyglitch.systems.spending import Limits, Meter, Spent, believable

GATHER = 0.03  # seconds in which answers are collected: the store likes them in handfuls
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 30.0  # before the second try, and at most
PATIENCE = (
    600.0  # seconds that one question may wait in all for a service that asks to be let alone
)

Results = queue.SimpleQueue[tuple[int, Output] | None]


class HttpSystem:
    """Fits `protocols.Remote`. One event loop, one connection a request under way."""

    parallel = 4  # batches in hand, so that the end of one does not leave the service idle

    def __init__(self, api: Api, timeout: float) -> None:
        self.api, self.signature, self.languages = api, api.signature, api.languages
        self._timeout = timeout
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        self._chance = random.Random()  # noqa: S311 - jitter, nothing secret
        self.limit(Limits(), Meter())

    def limit(self, limits: Limits, meter: Meter) -> None:
        """Set how hard the service may be asked and which meter counts; before the first question."""
        self._limits, self.meter = limits, meter
        self.batch_size = limits.concurrency * self.api.together
        self._adaptive = AdaptiveLimit(limits.concurrency)
        self._requests, self._characters = Pace(limits.rate), Pace(limits.char_rate)
        self._breaker = Breaker(self.signature.partition("|")[0])
        self._spare: list[Connection] = []

    @property
    def peak(self) -> int:
        """The most requests that were under way at once."""
        return self._adaptive.peak

    def ask(self, inputs: Sequence[Input]) -> list[Output]:
        """Answer each input, all side by side."""
        found: dict[int, Output] = {}
        for some in self.stream(inputs):
            found |= some
        return [found[number] for number in range(len(inputs))]

    def expected(self, item: Input) -> Spent:
        """What asking an input once will cost at most."""
        characters = self.api.characters(item)
        cost = self.meter.price.expected(characters, self.api.answer_tokens)
        return Spent(1, characters, cost)

    def stream(self, inputs: Sequence[Input]) -> Iterator[dict[int, Output]]:
        """Answers by the number of their input, in the order in which they come."""
        results: Results = queue.SimpleQueue()
        work = asyncio.run_coroutine_threadsafe(self._serve(inputs, results), self._running())
        work.add_done_callback(lambda _: results.put(None))
        try:
            more = True
            while more:
                found: dict[int, Output] = {}
                item = results.get()
                time.sleep(GATHER)
                while item is not None:
                    found[item[0]] = item[1]
                    try:
                        item = results.get_nowait()
                    except queue.Empty:
                        break
                more = item is not None
                if found:
                    yield found
            work.result()
        finally:
            work.cancel()

    def close(self) -> None:
        """Close the connections and end the thread."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None:
            closing = asyncio.run_coroutine_threadsafe(self._close(), loop)
            try:
                closing.result(5.0)
            finally:
                loop.call_soon_threadsafe(loop.stop)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, daemon=True).start()
            return self._loop

    async def _close(self) -> None:
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        for connection in self._spare:
            await connection.aclose()
        self._spare.clear()

    async def _serve(self, inputs: Sequence[Input], results: Results) -> None:
        """All questions of a batch; what was under way when one failed for good still arrives."""

        async def one(numbers: list[int]) -> None:
            outputs = await self._answer([inputs[number] for number in numbers])
            for number, output in zip(numbers, outputs, strict=True):
                results.put((number, output))

        groups = self._groups(inputs)
        ends = await asyncio.gather(*map(one, groups), return_exceptions=True)
        errors = [end for end in ends if end is not None]
        # A broken system says more than a limit that was reached on the way.
        for error in sorted(errors, key=lambda error: isinstance(error, LimitReached)):
            raise error

    def _groups(self, inputs: Sequence[Input]) -> list[list[int]]:
        """Which inputs share a request."""
        groups: list[list[int]] = []
        room = size = 0
        for number, item in enumerate(inputs):
            size = self.api.characters(item)
            if not groups or len(groups[-1]) == self.api.together or size > room:
                groups.append([])
                room = MOST_CHARACTERS
            groups[-1].append(number)
            room -= size
        return groups

    async def _answer(self, inputs: list[Input]) -> list[Output]:
        """Ask until there is an answer, or no more tries are left."""
        started, rounds, tries, waited = time.monotonic(), 0, 0, 0.0
        while True:
            try:
                return await self._attempt(inputs)
            except Fault as fault:
                rounds += 1
                tries += not fault.busy or fault.late  # a busy service costs patience, not tries
                pause = self._pause(rounds, fault)
                waited += pause
                if fault.again and tries <= self._limits.retries and waited <= PATIENCE:
                    await asyncio.sleep(pause)
                elif len(inputs) > 1:  # which of them is to blame shows when each goes alone
                    alone = await asyncio.gather(*(self._answer([item]) for item in inputs))
                    return [output for outputs in alone for output in outputs]
                else:
                    return [self._given_up(fault, tries, time.monotonic() - started)]

    async def _attempt(self, inputs: list[Input]) -> list[Output]:
        """One request; counted, paced, held back while the service is down."""
        try:
            call = self.api.call(inputs)
        except UnicodeEncodeError as error:
            raise Fault(f"the input is not valid Unicode: {error.reason}", again=False) from None
        characters = sum(map(self.api.characters, inputs))
        async with self._adaptive.slot():
            await self._requests.take()
            await self._characters.take(characters)
            await self._breaker.enter()
            try:
                reserved = await self._reserve(characters, self.api.answer_tokens * len(inputs))
            except BaseException:
                self._breaker.leave()
                raise
            billed, tokens, written, started = True, None, 0, time.monotonic()
            try:
                data = await self._send(call)
                seconds = (time.monotonic() - started) / len(inputs)
                tokens = self.api.tokens(data)
                outputs = self.api.read(data, len(inputs))
                written = sum(len(output.text) for output in outputs)
            except Fault as fault:
                billed = fault.billed
                self._learn(fault)
                raise
            finally:
                self._breaker.leave()
                self.meter.settle(reserved, billed=billed, tokens=tokens, written=written)
        self._breaker.answered()
        self._adaptive.answered()
        counted = believable(tokens, characters, written) if tokens and len(inputs) == 1 else None
        return [msgspec.structs.replace(o, seconds=seconds, tokens=counted) for o in outputs]

    async def _reserve(self, characters: int, answer_tokens: int) -> Spent:
        """Set aside what a request may cost; where the store has to be asked, not while all others wait."""
        if self.meter.covers(characters, answer_tokens):
            return self.meter.reserve(characters, answer_tokens)
        return await asyncio.to_thread(self.meter.reserve, characters, answer_tokens)

    async def _send(self, call: Call) -> Any:
        while self._spare and not reusable(self._spare[-1]):
            await self._spare.pop().aclose()
        connection = self._spare.pop() if self._spare else open_connection(call.url)
        try:
            data = await exchange(connection, call, self._timeout, self.api.key)
        except BaseException:
            await connection.aclose()  # whatever state it is in, nobody gets it again
            raise
        self._spare.append(connection)
        return data

    def _learn(self, fault: Fault) -> None:
        """What a fault says of the service as a whole."""
        if fault.stops:
            raise self._breaker.end(f"cannot be asked: {fault}")
        if fault.wait is not None and fault.wait > PATIENCE:
            raise self._breaker.end(f"asks to wait {fault.wait:,.0f} s ({fault})")
        if fault.busy:
            self._adaptive.overloaded()
        if fault.busy and not fault.late:
            self._breaker.busy(str(fault), PATIENCE)
        elif fault.ours:
            self._breaker.answered()  # it answers, if only to say no
        else:
            self._breaker.failed(str(fault), fault.unreached)

    def _pause(self, rounds: int, fault: Fault) -> float:
        """Longer after every round, at random so that many do not come back at once; at least as asked."""
        longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(rounds - 1, 10))
        pause = self._chance.uniform(0, longest)
        return pause if fault.wait is None else max(fault.wait, 0.0) + pause / 4

    def _given_up(self, fault: Fault, tries: int, seconds: float) -> Output:
        after = f" ({tries} tries)" if tries > 1 else ""
        output = failed(f"{fault}{after}", seconds)
        return msgspec.structs.replace(output, status="timeout") if fault.late else output
