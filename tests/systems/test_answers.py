"""Whatever a system gives back is either an answer or a recorded reason."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.records import Output, decode, encode
from polyglitch.systems.answers import answer, as_list, failed


def test_answers_of_each_kind() -> None:
    scores = {"good": 0.9, "bad": 0.1}
    assert answer("bom dia") == Output(text="bom dia")
    assert answer("é".encode()) == Output(text="é")
    assert answer({"label": "good", "scores": scores}) == Output(label="good", scores=scores)
    assert answer(("good", scores)) == Output(label="good", scores=scores)
    assert answer({"scores": scores}).label == "good"
    assert answer({"text": "yes, good", "label": "good"}) == Output(text="yes, good", label="good")
    assert answer("a\x00\x1b[31mb").text == "a\x00\x1b[31mb"  # hostile, but what the system said


@pytest.mark.parametrize(
    ("raw", "error"),
    [
        (None, "no answer (None)"),
        ("", "empty answer"),
        (" \t\n", "empty answer"),
        ({}, "empty answer"),
        (3, "the answer is of type int, not text"),
        ("ok\ud800", "the answer is not valid Unicode: lone surrogate at 2"),
        (b"ab\xff", "the answer is not valid UTF-8: byte 0xff at 2"),
        ({"label": ""}, "empty answer"),
        ({"label": 1}, "label or text is of type int, not text"),
        ({"scores": [1]}, "scores are of type list, not a mapping"),
        (("a", {"a": "much"}), "the score of 'a' is 'much', not a number"),
        (("a", {"a": float("nan")}), "the score of 'a' is nan, not a finite number"),
    ],
)
def test_what_is_no_answer_says_why(raw: Any, error: str) -> None:
    output = answer(raw)
    assert (output.status, output.error, output.text) == ("error", error, "")


@given(raw=st.one_of(st.text(st.characters()), st.binary(), st.none(), st.floats()))
def test_every_output_can_be_stored(raw: Any) -> None:
    output = answer(raw)
    assert decode(encode(output), Output) == output


def test_a_failure_names_its_type_and_can_be_stored() -> None:
    assert failed(KeyError("x")).error == "KeyError: 'x'"
    assert failed(ValueError()).error == "ValueError"
    assert decode(encode(failed("\udcff")), Output).error == "\\udcff"


def test_a_batch_is_a_list_of_the_right_length_or_nothing() -> None:
    assert as_list(("a", "b"), 2) == ["a", "b"]
    assert as_list((letter for letter in "ab"), 2) == ["a", "b"]
    for wrong in (["a"], "ab", b"ab", {"a": 1, "b": 2}, None, 2):
        assert as_list(wrong, 2) is None
