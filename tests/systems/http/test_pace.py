"""The service decides the pace: as many at once as it bears, at its rate, none while it is down."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.errors import SystemFailed, UsageError
from polyglitch.systems.http import exchange
from polyglitch.systems.http.api import Fault
from polyglitch.systems.http.exchange import message, retry_after
from polyglitch.systems.http.template import follow, parse_path


def test_the_limit_climbs_halves_and_is_never_passed() -> None:
    async def story() -> tuple[int, list[float]]:
        limit = exchange.AdaptiveLimit(16)
        busy = most = 0

        async def one() -> None:
            nonlocal busy, most
            async with limit.slot():
                busy += 1
                assert busy <= 16
                most = max(most, busy)
                await asyncio.sleep(0.001)
                busy -= 1
            limit.answered()

        await asyncio.gather(*(one() for _ in range(200)))
        seen = [limit.limit]
        limit.overloaded()
        limit.overloaded()  # at the same moment: it counts once
        seen.append(limit.limit)
        limit.answered()
        seen.append(limit.limit)
        return most, seen

    most, seen = asyncio.run(story())
    assert most == 16
    assert seen == [16, 8, 8 + 1 / 8]


def test_a_waiter_that_gives_up_leaves_its_place_to_others() -> None:
    async def story() -> None:
        limit = exchange.AdaptiveLimit(1)

        async def hold() -> None:
            async with limit.slot():
                await asyncio.sleep(0.01)

        tasks = [asyncio.create_task(hold()) for _ in range(6)]
        await asyncio.sleep(0.005)
        for task in tasks[1:5]:
            task.cancel()
        await asyncio.wait_for(tasks[5], 2)
        await asyncio.wait_for(hold(), 2)

    asyncio.run(story())


def test_a_rate_is_kept() -> None:
    async def story() -> float:
        steady = exchange.Pace(100)
        started = time.monotonic()
        await asyncio.gather(*(steady.take(2) for _ in range(21)))
        return time.monotonic() - started

    assert asyncio.run(story()) >= 0.4  # 40 units before the last one, at 100 a second


def test_the_breaker_lets_one_try_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "LONGEST_PAUSE", 0.05)

    async def story() -> None:
        breaker = exchange.Breaker("service")
        for _ in range(exchange.FAILURES):
            await breaker.enter()
            breaker.failed("down")
        entered: list[int] = []

        async def one(number: int) -> None:
            await breaker.enter()
            entered.append(number)

        tasks = [asyncio.create_task(one(number)) for number in range(5)]
        await asyncio.sleep(0.02)
        assert entered == []
        await asyncio.sleep(0.1)
        assert len(entered) == 1
        breaker.answered()
        await asyncio.wait_for(asyncio.gather(*tasks), 2)
        with pytest.raises(SystemFailed, match="service is closed"):
            raise breaker.end("is closed")
        with pytest.raises(SystemFailed, match="service is closed"):
            await breaker.enter()

    asyncio.run(story())


@given(st.text(max_size=30))
def test_any_retry_after_is_a_wait_or_nothing(text: str) -> None:
    found = retry_after(text)
    assert found is None or found >= 0


@pytest.mark.parametrize(
    "date",
    [
        "Mon, 01 Jan 2024 00:00:00 +9999999999",
        "Mon, 01 Jan 2024 00:00:00 -99999999999999999999",
        "Mon, 01 Jan 0001 00:00:00 +2359",
        "Fri, 31 Dec 9999 23:59:59 -2359",
    ],
)
def test_an_absurd_date_to_wait_for_is_a_wait_or_nothing(date: str) -> None:
    found = retry_after(date)
    assert found is None or found >= 0


@given(st.binary(max_size=300))
def test_any_body_of_an_error_is_one_line(raw: bytes) -> None:
    said = message(raw)
    assert len(said) <= 200
    assert said.isprintable()


names = st.text(st.characters(blacklist_characters=".[]$", blacklist_categories=["Cs"]), min_size=1)


@pytest.mark.slow
@given(st.lists(st.one_of(names.filter(lambda n: n == n.strip()), st.integers(0, 3)), max_size=5))
def test_a_path_leads_where_it_says(steps: list[str | int]) -> None:
    data: Any = "here"
    for step in reversed(steps):
        data = {step: data} if isinstance(step, str) else [None] * step + [data]
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    assert follow(data, parse_path(text, "test")) == "here"
    if steps:
        with pytest.raises(Fault, match="no "):
            follow({} if isinstance(steps[0], str) else [], parse_path(text, "test"))


def test_what_is_more_than_a_path_is_an_expression() -> None:
    data = {"content": [{"type": "thought", "text": "hm"}, {"type": "text", "text": "Bom dia"}]}
    assert follow(data, parse_path("content[?type=='text'].text | [0]", "test")) == "Bom dia"
    assert follow(data, parse_path("$.content[*].text", "test")) == ["hm", "Bom dia"]
    with pytest.raises(Fault, match=r"nothing at content\[\?type=='x'\]"):
        follow(data, parse_path("content[?type=='x'].text | [0]", "test"))
    with pytest.raises(Fault, match="fails on the answer"):
        follow(data, parse_path("length(content[*].text | [9])", "test"))
    with pytest.raises(UsageError, match=r"x\.toml: answer: 'a\[\?' is no path into JSON"):
        parse_path("a[?", "x.toml: answer")
