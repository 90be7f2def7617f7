"""Grammar: productions counted from trees, and all ways in which a longer one holds a shorter one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyglitch.nlp.lexicons.terms import open_lexicon
from polyglitch.nlp.parsers.constituents import (
    count_productions,
    insertions,
    open_grammar,
    read_grammar,
    write_grammar,
)
from polyglitch.nlp.proposers.ngrams import open_ngrams
from polyglitch.records import Parse, Slot, Token, Tree

ANY = frozenset({"A", "B", "C"})
SYMBOLS = st.lists(st.sampled_from("ABC"), min_size=1, max_size=4).map(tuple)


def test_a_repeated_symbol_can_be_either_of_the_two() -> None:
    assert set(insertions(("DT", "NN", "NN"), ("DT", "NN"), frozenset({"NN"}))) == {
        ((1, "NN"),),
        ((2, "NN"),),
    }
    assert not list(insertions(("NN", "DT"), ("DT", "NN"), frozenset({"NN", "DT"})))


@pytest.mark.slow
@settings(deadline=None)
@given(SYMBOLS, st.lists(st.tuples(st.integers(0, 4), st.sampled_from("ABC")), max_size=3))
def test_what_was_put_in_is_found(parts: tuple[str, ...], added: list[tuple[int, str]]) -> None:
    added = sorted((min(place, len(parts)), symbol) for place, symbol in added)
    longer = list(parts)
    for place, symbol in reversed(added):
        longer.insert(place, symbol)
    found = list(insertions(tuple(longer), parts, ANY))
    assert len(found) == len(set(found))
    for way in found:
        rebuilt = list(parts)
        for place, symbol in reversed(way):
            rebuilt.insert(place, symbol)
        assert rebuilt == longer
    assert any(sorted(way) == added for way in found) or not added


def test_productions_are_counted_and_come_back(tmp_path: Path) -> None:
    noun = Tree("NP-SBJ", 0, 2, (Tree("DT", 0, 1), Tree("NN", 1, 2)))
    tree = Tree("S", 0, 3, (noun, Tree("VP", 2, 3, (Tree("VBZ", 2, 3),))))
    grammar = count_productions([tree, tree], "two trees")
    assert grammar.counts["NP"] == {("DT", "NN"): 2}
    assert grammar.probability("S", ("NP", "VP")) == 1.0
    assert write_grammar(grammar, tmp_path / "g.tsv.gz") == 3
    again = read_grammar((tmp_path / "g.tsv.gz").read_bytes(), "g")
    assert again.counts == grammar.counts and again.source == "two trees"


def test_the_bundled_grammar_knows_richer_noun_phrases() -> None:
    richer = open_grammar("en").superstructures("NP", ("DT", "NN"), frozenset({"JJ"}), 1)
    assert richer[0] == ("DT", "JJ", "NN")
    assert all("JJ" in longer and len(longer) == 3 for longer in richer)
    nouns = open_grammar("en").superstructures("NP", ("DT", "NN"), frozenset({"NN"}), 1)
    assert nouns[0] == ("DT", "NN", "NN")
    assert "Brown" in open_grammar("en").source


def test_words_come_from_both_neighbours() -> None:
    tokens = tuple(
        Token(w, 0, 0, t, "", w, 0, "") for w, t in (("the", "DT"), ("_", "JJ"), ("summer", "NN"))
    )
    found = open_ngrams("en").propose([Slot(Parse("", tokens), 1)], 30)[0]
    words = [each.word for each in found]
    assert "last" in words
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)


@pytest.mark.needs("vaderSentiment")
def test_neutral_needs_agreement() -> None:
    lexicon = open_lexicon("en", ("bundled",))
    assert lexicon.polarity("Movies", "movie") == "neutral"
    assert lexicon.polarity("wonderful") == "positive"
    assert lexicon.polarity("zyx") == "unknown"
    assert not lexicon.neutral_for("zyx", "zyx", known=False)
    full = open_lexicon("en")
    assert full.polarity("friend") != "neutral", "VADER gives it a side"
