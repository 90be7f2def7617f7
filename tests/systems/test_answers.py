"""Whatever a system gives back is either an answer or a recorded reason."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np
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
        (
            0.25,
            "the answer is the number 0.25; return its label, or a mapping with `label` and `scores`",
        ),
        (
            [0.25, 0.75],
            "the answer is 2 numbers; return its label, or a mapping with `label` and `scores`",
        ),
        (["a", "b"], "2 answers to one text; return one"),
        ([], "no answer (an empty list)"),
        (object, "the answer is of type type, not text"),
        (
            {"sentiment": "good", "model": "a"},
            "the answer is a mapping with 'sentiment', 'model'; `label` or `text` is needed",
        ),
        ("ok\ud800", "the answer is not valid Unicode: lone surrogate at 2"),
        (b"ab\xff", "the answer is not valid UTF-8: byte 0xff at 2"),
        ({"label": ""}, "empty answer"),
        ({"label": 1.5}, "label or text is of type float, not text"),
        ({"scores": [1]}, "scores are of type list, not a mapping"),
        (("a", {"a": "much"}), "the score of 'a' is 'much', not a number"),
        (("a", {"a": float("nan")}), "the score of 'a' is nan, not a finite number"),
    ],
)
def test_what_is_no_answer_says_why(raw: Any, error: str) -> None:
    output = answer(raw)
    assert (output.status, output.error, output.text) == ("error", error, "")


class Mood(Enum):
    GOOD = "good"
    BAD = 2


class Tone(str, Enum):  # noqa: UP042 - as people wrote it before 3.11
    WARM = "warm"


@pytest.mark.parametrize(
    ("raw", "text", "label"),
    [
        (np.str_("bom"), "bom", None),
        (np.array("bom"), "bom", None),
        (np.array(["bom"]), "bom", None),
        (np.array([["bom"]], dtype=object), "bom", None),
        (np.bytes_(b"bom"), "bom", None),
        (np.int64(1), "", "1"),
        (np.array([0]), "", "0"),
        (np.bool_(True), "", "true"),
        (np.float32(2.0), "", "2"),
        (7, "", "7"),
        (False, "", "false"),
        (Mood.GOOD, "good", None),
        (Mood.BAD, "BAD", None),
        (Tone.WARM, "warm", None),
        (["one"], "one", None),
        ({"label": np.str_("good"), "scores": {np.str_("good"): np.float32(0.5)}}, "", "good"),
        ((np.int64(1), {0: 0.5, 1: 0.5}), "", "1"),
        ([{"label": "POSITIVE", "score": 0.5}], "", "POSITIVE"),
        ([{"translation_text": "bom dia"}], "bom dia", None),
        ({"translation": "bom dia"}, "bom dia", None),
        ([[{"label": "good", "score": 0.2}, {"label": "bad", "score": 0.8}]], "", "bad"),
        (Output(text="", label=np.str_("good")), "", "good"),
    ],
)
def test_what_models_return_is_a_label_or_a_text(raw: Any, text: str, label: str | None) -> None:
    output = answer(raw)
    assert (output.error, output.text, output.label) == ("", text, label)
    assert decode(encode(output), Output) == output


@pytest.mark.needs("pandas")
def test_a_series_is_a_batch_or_a_single_answer() -> None:
    import pandas as pd

    assert answer(pd.Series(["good"])).text == "good"
    batch = as_list(pd.Series(["good", "bad"], dtype="category"), 2)
    assert batch and [answer(raw).text for raw in batch] == ["good", "bad"]


@given(raw=st.one_of(st.text(st.characters()), st.binary(), st.none(), st.floats()))
def test_every_output_can_be_stored(raw: Any) -> None:
    output = answer(raw)
    assert decode(encode(output), Output) == output


def test_a_failure_names_its_type_and_can_be_stored() -> None:
    assert failed(KeyError("x")).error == "KeyError: 'x'"
    assert failed(ValueError()).error == "ValueError"
    assert decode(encode(failed("\udcff")), Output).error == "⟨U+DCFF⟩"


def test_a_batch_is_a_list_of_the_right_length_or_nothing() -> None:
    assert as_list(("a", "b"), 2) == ["a", "b"]
    assert as_list((letter for letter in "ab"), 2) == ["a", "b"]
    for wrong in (["a"], "ab", b"ab", {"a": 1, "b": 2}, None, 2):
        assert as_list(wrong, 2) is None
