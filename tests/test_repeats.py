"""A system that rolls dice: what it does by chance is told from what it does each time."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from polyglitch.campaign import make_campaign
from polyglitch.flow import run
from polyglitch.results.history import History
from polyglitch.results.summary import summarise
from polyglitch.run.flakiness import UNSTABLE
from polyglitch.store.store import Store
from tests.conftest import Cli

pytestmark = pytest.mark.slow

# One text in five always loses half of its words: a bug. The others fail at random, or all are shuffled anew each
# time, or nothing is random at all.
DICE = """
import os, random

def half(words):
    return " ".join(words[: len(words) // 2])

def sick(text):
    return sum(map(ord, text)) % 5 == 0

def moody(text):
    with open(os.environ["ASKED"], "a") as log:
        log.write(text + "\\n")
    words = text.upper().split()
    return half(words) if sick(text) or random.random() < 0.3 else " ".join(words)

def noisy(text):
    words = text.upper().split()
    random.shuffle(words)
    return " ".join(words)

def steady(text):
    words = text.upper().split()
    return half(words) if sick(text) else " ".join(words)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "dice.py").write_text(DICE)
    monkeypatch.setenv("ASKED", str(tmp_path / "asked.log"))
    return tmp_path


def campaign(folder: Path, name: str, **more: Any) -> Any:
    options = {
        "system": f"python:{folder / 'dice.py'}:{name}",
        "corpus": "sample",
        "methods": ["sit"],
        "parameters": {"sit": {"per_seed": 3, "structure": "raw", "threshold": 12}},
        "source_language": "en",
        "store": str(folder / f"{name}.sqlite"),
        "limit": 15,
    }
    return make_campaign(options | more)


def sick(text: str) -> bool:
    return sum(map(ord, text)) % 5 == 0


def test_only_what_fails_each_time_is_reported(folder: Path) -> None:
    run_id, figures = run(campaign(folder, "moody", repeat=8))
    asked = Counter((folder / "asked.log").read_text().splitlines())
    assert set(asked.values()) == {8}, "each input eight times, and no more"
    assert figures["queries"] == 8 * len(asked)
    store = Store(str(folder / "moody.sqlite"))
    pairs = store.verdicts.get(run_id, "sit")
    for case, verdict in pairs:
        one, other = (sick(item.text) for item in case.inputs)
        if verdict.outcome == "violated":
            assert one != other, case.inputs
            changed = any("was answered in" in reason for reason in verdict.reasons)
            assert changed == any("of 8 times" in reason for reason in verdict.reasons)
        elif verdict.reason == UNSTABLE:
            assert not (one and other), "what fails each time is not by chance"
            assert any("was answered in 2 ways" in reason for reason in verdict.reasons)
    # eight times right is rare (6%) where one in three goes wrong: nearly all is flaky, and said to be
    assert figures["flaky"] == sum(v.reason == UNSTABLE for _, v in pairs) > len(pairs) / 2
    assert "unstable" in summarise(History(store)).undecided_reasons
    _, again = run(campaign(folder, "moody", repeat=8))
    assert again["queries"] == 0
    _, once = run(campaign(folder, "moody"))
    assert once["queries"] == 0, "the first time of eight is a time"
    assert once["violations"] > figures["violations"], "asked once, chance looks like bugs"
    store.close()


def test_pure_noise_is_violated_each_time_and_still_no_bug(folder: Path) -> None:
    _, once = run(campaign(folder, "noisy"))
    assert once["violations"] > 0.9 * once["cases"]
    _, figures = run(campaign(folder, "noisy", repeat=3))
    assert figures["violations"] == 0
    assert figures["flaky"] > 0.9 * figures["cases"]


def test_a_steady_system_is_judged_as_if_asked_once(folder: Path) -> None:
    _, once = run(campaign(folder, "steady"))
    _, thrice = run(campaign(folder, "steady", repeat=3, budget=60))
    assert once["violations"] > 0
    assert thrice["flaky"] == 0
    assert thrice["queries"] + thrice["cache_hits"] > 0
    assert thrice["cases"] < once["cases"], "a budget of 60 queries pays for 20 inputs"


def test_compare_keeps_what_is_flaky_apart(folder: Path, cli: Cli) -> None:
    old, _ = run(campaign(folder, "steady", repeat=4))
    new, figures = run(campaign(folder, "moody", repeat=4))
    told = cli("compare", f"steady.sqlite:{old}", f"moody.sqlite:{new}", "--json").stdout
    found = json.loads(told)
    assert found["flaky"] == figures["flaky"] > 0
    total = sum(
        found[k] for k in ("fixed", "broken", "still_broken", "still_fine", "flaky", "undecided")
    )
    assert total == figures["cases"]
    assert "flaky" in cli("compare", f"steady.sqlite:{old}", f"moody.sqlite:{new}").stdout
