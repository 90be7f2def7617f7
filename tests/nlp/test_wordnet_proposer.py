"""Synonyms in the form that the slot asks for, out of the installed WordNet."""

from __future__ import annotations

import pytest

from polyglitch.errors import Missing
from polyglitch.nlp.lexicons.words import dictionary_folder
from polyglitch.nlp.parsers.choose import open_spacy
from polyglitch.nlp.proposers.wordnet import (
    inflected,
    open_word_relations,
    open_wordnet_proposer,
)
from polyglitch.records import Slot


@pytest.mark.parametrize(
    ("base", "ending", "irregular", "form"),
    [
        ("city", "s", [], "cities"),
        ("boy", "s", [], "boys"),
        ("church", "s", [], "churches"),
        ("child", "s", ["children"], "childs"),  # refused later: WordNet knows no such word
        ("hope", "ing", [], "hoping"),
        ("try", "ed", [], "tried"),
        ("buy", "ed", ["bought"], "bought"),
        ("stop", "ed", ["stopped", "stopping"], "stopped"),
        ("go", "ed", ["went", "gone"], None),
        ("go", "s", ["went", "gone"], "goes"),
        ("large", "est", [], "largest"),
        ("curious", "est", [], None),
        ("bad", "est", ["worse", "worst"], None),
    ],
)
def test_forms(base: str, ending: str, irregular: list[str], form: str | None) -> None:
    assert inflected(base, ending, irregular) == form


def test_synonyms_keep_number_and_tense() -> None:
    if dictionary_folder() is None:
        pytest.skip("WordNet is not installed: apt-get install wordnet-base")
    text = "The children bought the biggest cars and drove home quickly."
    parse = open_spacy("en").parse([text])[0]
    found = {
        token.text: [one.word for one in some]
        for token, some in zip(
            parse.tokens,
            open_wordnet_proposer("en").propose([Slot(parse, i) for i in range(11)], 10),
            strict=False,
        )
    }
    assert "kids" in found["children"] and "youngster" not in found["children"]
    assert found["bought"][0] == "purchased"
    assert "largest" in found["biggest"]
    assert "automobiles" in found["cars"]
    assert "rapidly" in found["quickly"]
    assert found["The"] == []


def test_relations_among_some_words_are_those_of_all() -> None:
    relations = open_word_relations("en")
    if relations is None:
        pytest.skip("WordNet is not installed: apt-get install wordnet-base")
    every = relations.of("cars", "NOUN", "NNS")
    some = {"automobiles", "trucks", "bananas"}
    few = relations.of("cars", "NOUN", "NNS", some)
    assert few == {word: kind for word, kind in every.items() if word in some}
    assert few["automobiles"] == "synonym" and relations.senses("car", "NOUN") > 1


def test_it_is_for_english() -> None:
    with pytest.raises(Missing, match="only 'en'"):
        open_wordnet_proposer("fi")
