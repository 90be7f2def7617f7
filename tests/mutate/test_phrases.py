"""RTI's cases: noun phrases paired with what contains them."""

from __future__ import annotations

from polyglitch.mutate.phrases import noun_phrases
from polyglitch.records import Input, Seed
from polyglitch.tools import Toolbox

TEXT = "The new owner of the large steel factory near the river praised the former union leader's work."


def seed(text: str) -> Seed:
    return Seed("s", Input(text, language="en"))


def test_every_phrase_is_paired_once_with_each_container() -> None:
    cases = list(noun_phrases()([seed(TEXT)], Toolbox()))
    pairs = {(case.inputs[0].text, case.inputs[1].text) for case in cases}
    assert len(pairs) == len(cases)
    phrases = {phrase for _, phrase in pairs}
    assert "the large steel factory near the river" in phrases
    assert "the large steel factory" in phrases
    assert "The new owner" not in phrases  # two words of its own are too few
    assert (TEXT, "the large steel factory") in pairs
    assert ("the large steel factory near the river", "the large steel factory") in pairs
    assert not any(phrase.endswith("'s") for phrase in phrases)


def test_the_edit_says_where_the_phrase_stands() -> None:
    for case in noun_phrases()([seed(TEXT)], Toolbox()):
        edit = case.edit
        assert edit is not None and edit.kind == "contained" and case.relation == "contained"
        assert case.inputs[0].text[edit.start : edit.end] == edit.old == case.inputs[1].text


def test_longer_phrases_and_lesser_ones_on_request() -> None:
    cases = list(noun_phrases(shorter=5, content=2)([seed(TEXT)], Toolbox()))
    assert all(len(case.inputs[1].text.split()) < 5 for case in cases)
    assert any(case.inputs[1].text == "The new owner" for case in cases)
    assert list(noun_phrases()([], Toolbox())) == []
