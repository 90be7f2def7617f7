"""Async functions and models in memory as systems; one that changed is another system."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from polyglitch.errors import UsageError
from polyglitch.records import Input
from polyglitch.systems.python_call import Digest, PythonCall

ASKED = [Input(text) for text in ("one", "two", "three", "four")]


def answers(found: object) -> list[str]:
    system = PythonCall(found, "python:test")
    try:
        return [output.label or output.text or output.error for output in system.ask(ASKED)]
    finally:
        system.close()


async def slow(text: str) -> str:
    await asyncio.sleep(0.1)
    if text == "two":
        raise ValueError("not two")
    return text.upper()


async def slow_list(texts: list[str]) -> list[str]:
    return [text.upper() for text in texts]


class Caller:
    async def __call__(self, text: str) -> str:
        return text.upper()


class Model:
    """In the manner of scikit-learn."""

    def __init__(self, weight: int = 3) -> None:
        self.weights = np.array([weight])

    def predict(self, X: list[str]) -> Any:
        assert isinstance(X, list)
        return np.array([int(len(text) > self.weights[0]) for text in X])


class OneByOne:
    def predict(self, text: str) -> str:
        return text.upper()


def test_async_calls_run_together_and_fail_alone() -> None:
    start = time.perf_counter()
    assert answers(slow) == ["ONE", "ValueError: not two", "THREE", "FOUR"]
    assert time.perf_counter() - start < 0.3, "four calls of 0.1 s, at once"


@pytest.mark.parametrize("found", [slow_list, Caller(), lambda text: Caller()(text), OneByOne()])
def test_every_shape_of_a_function(found: object) -> None:
    assert answers(found) == ["ONE", "TWO", "THREE", "FOUR"]


def test_it_works_where_a_loop_runs_already() -> None:
    async def notebook() -> list[str]:
        return answers(slow_list)

    assert asyncio.run(notebook()) == ["ONE", "TWO", "THREE", "FOUR"]


def test_a_model_predicts_a_list() -> None:
    assert answers(Model()) == ["0", "0", "1", "1"]


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(UsageError, match=r"type int: give a function .* `predict`"):
        PythonCall(3, "python:test")


def made(word: str) -> Callable[[str], str]:
    return lambda text: f"{text} {word}"


def test_another_model_or_closure_is_another_system() -> None:
    assert Digest().of(made("a")) == Digest().of(made("a"))
    assert Digest().of(made("a")) != Digest().of(made("b"))
    assert Digest().of(Model(3)) == Digest().of(Model(3))
    assert Digest().of(Model(3)) != Digest().of(Model(4))


@pytest.mark.slow
@pytest.mark.needs("sklearn")
def test_a_classifier_trained_otherwise_is_another_system() -> None:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    def trained(labels: list[str]) -> Any:
        texts = ["good film", "bad film", "good book", "bad book"]
        return make_pipeline(CountVectorizer(), LogisticRegression()).fit(texts, labels)

    right, same, wrong = (trained(["p", "n"] * 2), trained(["p", "n"] * 2), trained(["n", "p"] * 2))
    assert Digest().of(right) == Digest().of(same) != Digest().of(wrong)
    assert set(answers(right)) <= {"p", "n"}
