"""Words of a model's own choice: any production of the grammar that a sentence lacks, checked three ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import pytest

from polyglitch.mutate.capabilities.expanded import Expanded
from polyglitch.mutate.capabilities.free_acceptance import natural
from polyglitch.mutate.capabilities.free_growth import agrees, grown_freely, open_places
from polyglitch.mutate.capabilities.grammar_gaps import grammar_gaps, spelt
from polyglitch.nlp.lexicons.terms import INDEPENDENT, open_lexicon
from polyglitch.nlp.parsers.constituents import Grammar, open_grammar, productions, tree_of
from polyglitch.records import FreeFilling, OpenPlace, Parse
from polyglitch.tools import Toolbox

SENTENCE = "The plumber fixed the leak."


class Saying:
    """Fits `FreeFiller`: says the same words at every place that takes their tags, as likely as it was told."""

    def __init__(self, words: str, tags: str, odds: float = -1.0, lost: float = 0.0) -> None:
        self.words, self.tags = tuple(words.split()), tuple(tags.split())
        self.odds, self.lost = odds, lost
        self.allowed: Callable[[str, str], bool] = lambda word, tag: True

    def fill_places(
        self,
        asked: Sequence[tuple[str, Sequence[OpenPlace]]],
        allowed: Callable[[str, str], bool],
    ) -> list[list[list[FreeFilling]]]:
        self.allowed = allowed
        odds = (self.odds,) * len(self.words)
        lost = (self.lost,)
        one = FreeFilling(self.words, self.tags, odds, lost, odds, lost)
        return [[[one] if self.tags in p.tags else [] for p in places] for _, places in asked]


def parsed(*texts: str) -> list[Parse]:
    return Toolbox().parser("en").parse(list(texts))


def grown(text: str, filler: Saying) -> list[Expanded]:
    lexicon = open_lexicon("en", INDEPENDENT)
    parser = Toolbox().parser("en")
    (found,) = grown_freely(parsed(text), parser, filler, open_grammar("en"), lexicon, 3)
    return found


def test_a_phrase_is_spelt_out_by_the_grammar() -> None:
    grammar = open_grammar("en")
    assert ("IN", "DT", "NN") in [tags for tags, _ in spelt("PP", grammar)]
    assert spelt("JJ", grammar) == ((("JJ",), 1.0),)
    small = Grammar({"PP": {("IN", "NP"): 3}, "NP": {("NN",): 1, ("DT", "NN"): 2}})
    assert [tags for tags, _ in spelt("PP", small)] == [("IN", "DT", "NN"), ("IN", "NN")]


@pytest.mark.needs("spacy")
def test_gaps_are_productions_of_the_grammar_that_the_sentence_lacks() -> None:
    (parse,) = parsed(SENTENCE)
    grammar, tree = open_grammar("en"), tree_of(parse)
    assert tree is not None
    has = {(label, parts) for label, parts, _ in productions(tree)}
    gaps = grammar_gaps(parse, grammar)
    assert len({gap.production for gap in gaps}) > 3
    for gap in gaps:
        assert grammar.probability(gap.label, gap.parts) > 0
        assert (gap.label, gap.parts) not in has
        assert set(gap.adds.split()) <= set(gap.parts)
    assert grammar_gaps(parse, Grammar({"NP": {("DT", "NN"): 1}})) == []


@pytest.mark.needs("spacy")
def test_any_words_grow_the_sentence_by_the_production_that_the_parse_shows() -> None:
    (first, *_) = grown(SENTENCE, Saying("in the bathroom", "IN DT NN"))
    assert first.words == ("in", "the", "bathroom")
    label, _, parts = first.production.partition(" -> ")
    tree = tree_of(first.parse)
    assert tree is not None
    assert (label, tuple(parts.split())) in {(a, b) for a, b, _ in productions(tree)}
    assert first.tags == ("PP",)
    assert first.edit.new == "in the bathroom"


@pytest.mark.needs("spacy")
def test_what_is_unlikely_or_read_otherwise_is_left_out() -> None:
    assert grown(SENTENCE, Saying("in the bathroom", "IN DT NN", odds=-5.0)) == []
    assert grown(SENTENCE, Saying("in the bathroom", "IN DT NN", lost=-3.0)) == []
    assert grown(SENTENCE, Saying("in the quickly", "IN DT NN")) == []


@pytest.mark.needs("spacy")
def test_a_phrase_may_come_first_with_a_comma() -> None:
    (one, *_) = grown(SENTENCE, Saying("In the morning", "IN DT NN", odds=-0.5, lost=1.0))
    assert one.parse.text == "In the morning, the plumber fixed the leak."
    assert one.production == "S -> PP , NP VP ."
    (parse,) = parsed("The plumber, a friend, fixed the leak.")
    assert 0 not in open_places(parse, open_grammar("en"))


@pytest.mark.needs("spacy")
def test_an_adverb_stands_right_before_what_somebody_does() -> None:
    found = grown("The plumber came and fixed the leak.", Saying("quietly", "RB", lost=2.0))
    texts = {one.parse.text for one in found}
    assert texts
    assert texts <= {
        "The plumber quietly came and fixed the leak.",
        "The plumber came and quietly fixed the leak.",
    }


@pytest.mark.needs("spacy")
def test_another_thing_has_the_article_of_the_first_and_ends_the_sentence() -> None:
    grammar = open_grammar("en")
    (parse, longer) = parsed(SENTENCE, "The plumber fixed the leak in a day.")
    (index,) = [at for at, place in open_places(parse, grammar).items() if joins(place)]
    assert index == 5
    assert not any(joins(place) for place in open_places(longer, grammar).values())
    other = FreeFilling(("and", "a", "pipe"), ("CC", "DT", "NN"), (0.0,), (0.0,), (0.0,), (0.0,))
    assert not agrees(parse, index, other)
    assert agrees(parse, index, msgspec.structs.replace(other, words=("and", "the", "pipe")))


def joins(place: OpenPlace) -> bool:
    return any(tags[0] == "CC" for tags in place.tags)


@pytest.mark.needs("spacy")
def test_nothing_goes_behind_a_subject_or_between_a_verb_and_its_object() -> None:
    (parse,) = parsed(SENTENCE)
    places = open_places(parse, open_grammar("en"))
    assert 3 not in places
    assert places[2].tags == (("RB",),)


@pytest.mark.needs("spacy")
def test_where_something_happens_at_a_time_an_opening_is_less_likely() -> None:
    filling = FreeFilling(("In", "the", "morning"), ("IN", "DT", "NN"), (-1.0,), (), (-1.0,), ())
    plain, timed = parsed(SENTENCE, "The plumber fixed the leak on Monday.")
    assert natural(plain, 0, filling, "PP") > natural(timed, 0, filling, "PP")


@pytest.mark.needs("spacy")
def test_no_word_has_a_side_names_a_group_or_is_empty() -> None:
    filler = Saying("in the bathroom", "IN DT NN")
    grown(SENTENCE, filler)
    assert filler.allowed("bathroom", "NN")
    assert not any(filler.allowed(word, "NN") for word in ("disaster", "universe", "women"))
    assert not filler.allowed("former", "JJ")


@pytest.mark.needs("spacy")
@pytest.mark.parametrize(
    "text",
    [
        "Did the plumber fix the leak?",
        'He said "the plumber fixed the leak".',
        "The leak -- fixed.",
    ],
)
def test_questions_quotations_and_broken_texts_are_left_alone(text: str) -> None:
    (parse,) = parsed(text)
    assert open_places(parse, open_grammar("en")) == {}
