"""Asking: once each, never misaligned, whatever the system does."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from polyglitch.errors import SystemFailed
from polyglitch.records import Input, Output
from polyglitch.run.asking import Asker
from polyglitch.store.store import Store


class Upper:
    """A system that shouts, counts what it was asked, and misbehaves on some words."""

    languages = (None, None)
    signature = "upper"
    batch_size = 16
    parallel = 2

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.batches: list[int] = []
        self.lock = threading.Lock()

    def ask(self, inputs: Sequence[Input]) -> Sequence[Output]:
        with self.lock:
            self.asked.update(item.text for item in inputs)
            self.batches.append(len(inputs))
        if any(item.text == "hang" for item in inputs):
            time.sleep(30)
        if any(item.text == "raise" for item in inputs):
            raise ValueError("no such word")
        if any(item.text == "broken" for item in inputs):
            raise SystemFailed("the model file is gone")
        kept = [item for item in inputs if item.text != "lost"]
        return [Output(item.text.upper()) for item in kept]

    def close(self) -> None: ...


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(str(tmp_path / "s.sqlite"))
    yield opened
    opened.close()


def answer(asker: Asker, texts: Sequence[str]) -> dict[str, Output]:
    inputs = [Input(text) for text in texts]
    found = asker.gather(asker.submit(inputs))
    return {item.text: found[asker.key(item)] for item in inputs}


def test_each_input_is_asked_once_within_and_across_askers(store: Store) -> None:
    system = Upper()
    words = [f"word {n % 50}" for n in range(200)]
    asker = Asker(system, store)
    assert {k: v.text for k, v in answer(asker, words).items()} == {w: w.upper() for w in words}
    answer(asker, words)
    answer(Asker(system, store), words)
    assert set(system.asked.values()) == {1}
    assert asker.queries == 50


def test_what_is_under_way_is_not_asked_again(store: Store) -> None:
    system = Upper()
    asker = Asker(system, store)
    inputs = [Input(f"w{n}") for n in range(100)]
    futures = [asker.submit(inputs) for _ in range(5)]
    for some in futures:
        assert len(asker.gather(some)) >= 100 - 1
    assert set(system.asked.values()) == {1}


def test_batches_grow_while_they_are_quick(store: Store) -> None:
    system = Upper()
    asker = Asker(system, store, jobs=1)
    for start in range(0, 400, 50):
        answer(asker, [f"w{n}" for n in range(start, start + 50)])
    assert system.batches[0] == 1
    assert max(system.batches) == 16


def test_a_system_is_quick_once_its_batches_are_as_large_as_they_get(store: Store) -> None:
    asker = Asker(Upper(), store, jobs=1)
    assert not asker.quick
    answer(asker, [f"w{n}" for n in range(2000)])
    answer(asker, [f"v{n}" for n in range(2000)])
    assert asker.quick


def test_what_came_first_is_asked_first_though_it_does_not_fit_a_batch(store: Store) -> None:
    class Waiting(Upper):
        def __init__(self) -> None:
            super().__init__()
            self.begun, self.go, self.order = threading.Event(), threading.Event(), list[str]()

        def ask(self, inputs: Sequence[Input]) -> Sequence[Output]:
            self.begun.set()
            self.go.wait(10)
            self.order += [item.text for item in inputs]
            return super().ask(inputs)

    system = Waiting()
    system.go.set()
    asker = Asker(system, store, jobs=1)
    answer(asker, [f"warm {n}" for n in range(2000)])
    answer(asker, [f"warmer {n}" for n in range(2000)])
    assert asker.quick  # so that it takes what fits 256
    system.go.clear()
    system.begun.clear()
    first = asker.submit([Input("now")])
    assert system.begun.wait(10)
    system.order.clear()
    groups = [[f"{name} {n}" for n in range(200)] for name in "abc"]
    asked = [asker.submit([Input(text) for text in group]) for group in groups]
    system.go.set()
    for futures in (first, *asked):
        asker.gather(futures)
    assert system.order == ["now", *groups[0], *groups[1], *groups[2]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "status", "error"),
    [
        ("raise", "error", "ValueError: no such word"),
        ("lost", "error", "0 outputs"),
        ("hang", "timeout", "0.3 s"),
    ],
)
def test_a_bad_input_costs_only_itself(store: Store, word: str, status: str, error: str) -> None:
    system = Upper()
    asker = Asker(system, store, timeout=0.3)
    asker._size = 8
    texts = [f"w{n}" for n in range(10)] + [word] + [f"v{n}" for n in range(10)]
    found = answer(asker, texts)
    assert found[word].status == status
    assert error in found[word].error
    assert all(found[text].text == text.upper() for text in texts if text != word)
    assert asker.errors == 1


def test_a_system_that_says_it_failed_ends_the_run(store: Store) -> None:
    with pytest.raises(SystemFailed, match="model file is gone"):
        answer(Asker(Upper(), store), ["fine", "broken"])
