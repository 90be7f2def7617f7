"""Records: JSON both ways, ids that depend on content alone."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.records import (
    Edit,
    Input,
    Output,
    Seed,
    Trial,
    Verdict,
    decode,
    digest,
    encode,
    new_case,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@given(TEXT, st.none() | TEXT, TEXT)
def test_a_case_survives_json(text: str, context: str | None, new: str) -> None:
    seed = Seed("s", Input(text, context))
    case = new_case(
        seed, "similar", (seed.input, Input(new, context)), Edit("swap", 0, 1, text[:1], new)
    )
    assert decode(encode(case), type(case)) == case
    trial = Trial(case, ((Output(text),), (Output(new, status="error", error="x"),)))
    assert decode(encode(trial), Trial) == trial


@given(st.lists(st.none() | TEXT), st.lists(st.none() | TEXT))
def test_a_digest_tells_lists_apart(one: list[str | None], other: list[str | None]) -> None:
    assert (digest(one) == digest(other)) == (one == other)


def test_a_stored_line_names_its_record_and_version() -> None:
    assert msgspec.json.decode(encode(Input("x")))["record"] == "input/1"
    with pytest.raises(msgspec.ValidationError, match="input/2"):
        decode('{"record": "input/2", "text": "x"}', Input)


def test_severity_grows_with_the_distance_past_the_threshold() -> None:
    far = Verdict("c", "violated", score=0.2, threshold=0.9, direction="below")
    near = Verdict("c", "violated", score=0.8, threshold=0.9, direction="below")
    assert far.severity > near.severity > 0
    assert Verdict("c", "violated", score=9, threshold=1).severity == 8


def test_a_trial_says_what_failed() -> None:
    seed = Seed("s", Input("a"))
    case = new_case(seed, "similar", (seed.input, Input("b")))
    trial = Trial(case, ((Output("A"),), (Output(status="timeout", error="no answer in 5 s"),)))
    assert trial.failure == "timeout: no answer in 5 s"
    assert Trial(case, ((Output("A"),), (Output("B"),))).failure == ""
