"""A run keeps to its limits of characters and money, says beforehand that they will not do, and goes on later."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.fault_server import fault_server

from polyglitch.campaign import make_campaign
from polyglitch.errors import LimitReached, UsageError
from polyglitch.flow import estimate, run
from polyglitch.run.budget import Progress
from polyglitch.systems.spending import Limits, Meter, Price, parse_price

pytestmark = pytest.mark.slow

SEEDS = [f"The old bridge number {number} fell into the water." for number in range(60)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "seeds.txt").write_text("\n".join(SEEDS) + "\n")
    return tmp_path


@pytest.fixture
def server(folder: Path) -> Iterator[str]:
    with fault_server("--log", str(folder / "asked.jsonl")) as base:
        yield base


def campaign(server: str, **more: Any) -> Any:
    options = {
        "system": f"libretranslate:en-es@{server}?together=4",
        "corpus": "seeds.txt",
        "methods": ["relations"],
        "parameters": {"relations": {"relations": ["swap-letters"]}},
        "store": "s.sqlite",
    }
    return make_campaign(options | more)


def asked(folder: Path) -> list[str]:
    lines = [json.loads(line) for line in (folder / "asked.jsonl").read_text().splitlines()]
    return [line["text"] for line in lines if line["how"] == "asked"]


def test_a_run_stops_at_its_characters_and_goes_on_with_more(folder: Path, server: str) -> None:
    told: list[str] = []

    def watch(step: Progress) -> None:
        told.append(step.warning)

    with pytest.raises(LimitReached, match=r"of at most 2,000 characters.*cases made so far wait"):
        run(campaign(server, max_chars=2000), watch)
    assert any("--max-chars 2,000 will stop the run" in warning for warning in told)
    sent = sum(map(len, asked(folder)))
    assert 1500 < sent <= 2000
    with pytest.raises(LimitReached):  # the same limit again pays for nothing more
        run(campaign(server, max_chars=2000))
    assert sum(map(len, asked(folder))) <= 2000
    figures = run(campaign(server, max_chars=100_000))[1]
    assert figures["undecided"] == 0
    assert figures["characters"] == sum(map(len, asked(folder)))
    assert set(Counter(asked(folder)).values()) == {1}
    whole = run(campaign(server, store="other.sqlite"))[1]
    assert whole["cases"] == figures["cases"] == 60


def test_a_run_stops_at_its_cost(folder: Path, server: str) -> None:
    with pytest.raises(LimitReached, match=r"has cost 0\.0\d+ of at most 0.03"):
        run(campaign(server, max_cost=0.03, price="20"))
    assert 1000 < sum(map(len, asked(folder))) <= 1500


def test_an_estimate_asks_nothing_and_is_near(folder: Path, server: str) -> None:
    reckoned = estimate(campaign(server, price="20"))
    assert not (folder / "asked.jsonl").exists()
    figures = run(campaign(server, price="20"))[1]
    assert reckoned.characters == pytest.approx(figures["characters"], rel=0.1)
    assert reckoned.cost == pytest.approx(figures["cost"], rel=0.1)
    assert estimate(campaign(server)).queries == 0  # all is in the store


def test_the_command_line_estimates_and_exits_4_at_the_limit(
    cli: Any, folder: Path, server: str
) -> None:
    options = ["run", "--system", f"libretranslate:en-es@{server}", "--corpus", "seeds.txt"]
    options += ["--method", "relations", "--param", "relations.relations=swap-letters", "-q"]
    assert "characters are still to be sent" in cli(*options, "--estimate").stdout
    stopped = cli(*options, "--max-chars", "1000", code=4)
    assert "will stop the run before its end" in stopped.stderr
    assert "raise --max-chars and run again" in stopped.stderr


def test_limits_that_mean_nothing_are_refused(folder: Path, server: str) -> None:
    with pytest.raises(UsageError, match="--max-cost needs a price"):
        run(campaign(server, max_cost=1.0))
    with pytest.raises(UsageError, match=r"runs here; --budget"):
        run(campaign(server, system="cmd:cat", max_chars=10))


@pytest.mark.parametrize("text", ["", "free", "1/2/3", "-1", "nan", "inf"])
def test_a_price_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="write the price"):
        parse_price(text)


def test_what_is_set_aside_counts_until_it_is_settled() -> None:
    meter = Meter(Limits(max_chars=10))
    one = meter.reserve(6)
    with pytest.raises(LimitReached):
        meter.reserve(6)
    meter.settle(one, billed=False)
    meter.settle(meter.reserve(6), billed=True)
    assert (meter.now.requests, meter.now.characters) == (2, 6)
    assert parse_price("1/4") == Price(read=1, written=4)
