"""A word put into a sentence: `a` or `an` before it as it sounds, and the case of what stood there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.mutate.swap import fit_in
from polyglitch.nlp.proposers.slot_words import match_article, match_case
from polyglitch.records import Parse, Slot, Token


def words_of(text: str) -> list[str]:
    return text.split()


AN = words_of(
    """apple egg idea orange umbrella hour hourly honour honest heir heiress unidentified unimportant uninvited
unilluminated unissued unusual utter usher urban urgent upper oath omen onerous aunt eel ear island unanswered udder
honorary offer under ugly ulcer"""
)
A = words_of(
    """banana house unit unicorn uniform unilateral union unique university unidirectional unanimous use useful user
usual usurper European eulogy euphoric one once ubiquitous utopia utility utensil Ukrainian uranium urine ewe
hotel historic
year youth uterine usage UFO"""
)


@pytest.mark.parametrize("word", AN)
def test_an_before_a_vowel_that_is_heard(word: str) -> None:
    assert match_article("a", word) == "an"
    assert match_article("An", word) == "An"


@pytest.mark.parametrize("word", A)
def test_a_before_a_consonant_that_is_heard(word: str) -> None:
    assert match_article("an", word) == "a"
    assert match_article("A", word) == "A"


def slot_at(text: str, word: str) -> Slot:
    start = text.index(word)
    token = Token(word, start, start + len(word), "NN", "NOUN", word, 0, "dobj")
    return Slot(Parse(text, (token,), language="en"), 0)


def test_the_article_follows_the_new_word_and_the_edit_says_where_the_old_one_was() -> None:
    draft = fit_in(slot_at("She ate an apple today.", "apple"), "banana")
    assert draft.text == "She ate a banana today."
    assert draft.text[draft.start :].startswith("banana")
    assert (draft.edit.old, draft.edit.new, draft.edit.start) == ("apple", "banana", 11)


def test_an_article_further_off_is_left_alone() -> None:
    draft = fit_in(slot_at("It is a red umbrella.", "umbrella"), "banana")
    assert draft.text == "It is a red banana."


@given(st.text("abcdefgh", min_size=2), st.sampled_from(["word", "Word", "WORD"]))
def test_case_is_that_of_the_model(word: str, model: str) -> None:
    new = match_case(word, model)
    assert new.lower() == word
    assert new[0].isupper() == model[0].isupper()
    assert new.isupper() == (model == "WORD")
