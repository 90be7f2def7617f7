"""Remembered parses: the same as asked anew, each text parsed once, and never more than a bounded number kept."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.nlp.parsers import choose
from polyglitch.nlp.parsers.choose import open_spacy
from polyglitch.records import Parse


class Counting:
    signature = "counting"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        self.asked += texts
        return [Parse(text, ()) for text in texts]

    def skim(self, texts: Sequence[str]) -> list[Parse]:
        return self.parse(texts)


@pytest.mark.slow
@given(st.lists(st.lists(st.sampled_from("abcdefgh"))))
def test_every_text_gets_its_own_parse(batches: list[list[str]]) -> None:
    inner = Counting()
    parser = choose.RememberingParser(inner)
    for batch in batches:
        assert [parse.text for parse in parser.parse(batch)] == batch
    assert len(inner.asked) == len(set(inner.asked))


def test_only_the_latest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "REMEMBERED", 3)
    inner = Counting()
    parser = choose.RememberingParser(inner)
    assert [parse.text for parse in parser.parse(list("abcde"))] == list("abcde")
    parser.parse(["e", "a"])
    assert inner.asked == ["a", "b", "c", "d", "e", "a"]


def test_a_skim_has_the_tags_and_heads_of_the_whole_parse() -> None:
    parser = choose.RememberingParser(open_spacy("en"))
    texts = ["The old bridge was closed in March.", "Nobody reads the small print, he said."]
    for whole, skim in zip(parser.parse(texts), parser.skim(texts), strict=True):
        assert [(t.tag, t.head, t.relation) for t in skim.tokens] == [
            (t.tag, t.head, t.relation) for t in whole.tokens
        ]


@pytest.mark.needs("spacy")
def test_tags_are_taken_from_a_parse_that_is_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = open_spacy("pt")
    parser = choose.RememberingParser(inner, "pt")
    tagged: list[str] = []
    tag = inner.tag
    monkeypatch.setattr(inner, "tag", lambda texts: tagged.extend(texts) or tag(texts))
    (whole,) = parser.parse(["O gato dorme."])
    found = parser.tag(["O gato dorme.", "A rua é longa."])
    assert found[0] is whole and tagged == ["A rua é longa."]
    (alone,) = tag(["O gato dorme."])
    assert [(t.tag, t.pos, t.lemma) for t in alone.tokens] == [
        (t.tag, t.pos, t.lemma) for t in whole.tokens
    ]
