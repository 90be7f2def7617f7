"""A sentence without a case has a reason that a person can act on."""

from __future__ import annotations

from polyglitch.methods.patinv import patinv
from polyglitch.methods.rti import rti
from polyglitch.methods.sit import sit
from polyglitch.mutate.swap import swap_words
from polyglitch.mutate.without_case import of_swap, reasons_without_case
from polyglitch.records import Input, Parse, Seed, Token
from polyglitch.tools import Toolbox


def seeds(*texts: str) -> list[Seed]:
    return [Seed(str(n), Input(text, language="en")) for n, text in enumerate(texts)]


def test_every_sentence_without_a_case_is_counted_under_its_reason() -> None:
    some = seeds(
        "She went there.", "Anna Berg lives in Oslo.", "He bought two thousand.", "It fell."
    )
    said = reasons_without_case(swap_words("auto"), some, Toolbox())
    assert sum(said.values()) == len(some)
    assert "no noun or adjective that may be replaced stands in it" in said


def test_words_that_are_held_are_told_from_words_that_nothing_replaces() -> None:
    said = reasons_without_case(
        swap_words("auto"), seeds("It took some time.", "They saw the lawyer again."), Toolbox()
    )
    assert said == {
        "every noun or adjective is a name, a number or fixed": 1,
        "no other noun or adjective reads well in its place": 1,
    }


def test_other_methods_have_reasons_of_their_own_and_none_is_made_up() -> None:
    some = seeds("It rained.")
    assert reasons_without_case(rti().mutate, some, Toolbox()) == {
        "it has no noun phrase of two words": 1
    }
    assert reasons_without_case(patinv().mutate, [*some, *seeds("So it is.")], Toolbox()) == {
        "no other word reads well in its place": 1,
        "nothing in it can be replaced or left out": 1,
    }
    assert reasons_without_case(sit().mutate, [], Toolbox()) == {}


def test_where_adverbs_are_swapped_too_none_is_said_to_miss_a_noun() -> None:
    tokens = (
        Token("Il", 0, 2, "PRON", "PRON", "il", 1, ""),
        Token("dort", 3, 7, "VERB", "VERB", "dort", 1, ""),
        Token("là", 8, 10, "ADV", "ADV", "là", 1, ""),
    )
    arguments = sit().mutate.arguments  # type: ignore[attr-defined]
    for language, said in (
        ("fr", "no other word reads well in its place"),
        ("de", "no noun or adjective that may be replaced stands in it"),
    ):
        parse = Parse("Il dort là", tokens, universal=True, language=language)
        assert of_swap(parse, arguments) == said
