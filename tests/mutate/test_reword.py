"""Rewordings keep the meaning, by our own reading of it."""

from __future__ import annotations

from importlib.resources import files

from polyglitch.mutate.reword import reword, rewordings
from polyglitch.records import Input, Seed
from polyglitch.represent.meaning import meanings
from polyglitch.tools import Toolbox

LOGIC = files("polyglitch").joinpath("resources/sample/logic.en.txt").read_text().splitlines()


def test_a_seed_and_at_most_two_rewordings_of_it() -> None:
    seed = Seed("1", Input("At least three companies left before noon.", language="en"))
    cases = list(reword(per_seed=2)([seed], Toolbox()))
    texts = [case.inputs[0].text for case in cases]
    assert texts[0] == seed.input.text
    assert texts[1] == "No fewer than three companies left before noon."
    assert texts[2] == "At least 3 companies left before noon."
    assert all(len(case.inputs) == 1 for case in cases)


def test_an_edit_tells_what_was_done_and_articles_follow() -> None:
    text = "Every line has a capital letter."
    for changed, edit in rewordings(text, "en"):
        assert text[edit.start : edit.end] == edit.old
        assert text[: edit.start] + edit.new + text[edit.end :] == changed
        assert "a uppercase" not in changed


def test_rewordings_of_the_sample_mean_the_same() -> None:
    changed = [(text, new) for text in LOGIC for new, _ in rewordings(text, "en")]
    lost = [pair for pair in changed if meanings(*pair).r <= 0.79]
    assert len(changed) > 100
    assert not lost
