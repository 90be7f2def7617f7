"""Which word translates which, learned from a handful of sentences."""

from __future__ import annotations

from itertools import product
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.compare.oracles.aligned import lexicon as lexicon_module
from polyglitch.compare.oracles.aligned.lexicon import learn, learn_each

PAIRS = [
    ("the cat sleeps", "o gato dorme"),
    ("the dog sleeps", "o cão dorme"),
    ("the cat eats", "o gato come"),
    ("a dog eats", "um cão come"),
    ("a bird sings", "um pássaro canta"),
]


def cut(pairs: list[tuple[str, str]]) -> list[tuple[list[str], list[str]]]:
    return [(a.split(), b.split()) for a, b in pairs]


def test_swapped_words_find_their_translations() -> None:
    lexicon = learn(cut(PAIRS))
    for source, target in (("cat", "gato"), ("dog", "cão"), ("sleeps", "dorme"), ("eats", "come")):
        rivals = {word for _, line in PAIRS for word in line.split()} - {target}
        best = lexicon.strength(source, target)
        assert best > 0.5
        assert all(lexicon.strength(source, rival) < best / 2 for rival in rivals)


def test_links_point_at_the_source_word_behind() -> None:
    source, target = ["the", "cat", "sleeps"], ["o", "gato", "dorme"]
    links = learn(cut(PAIRS)).links(source, target)
    assert links.shape == (3, 3)
    assert links.argmax(1).tolist() == [0, 1, 2]


def test_a_dictionary_settles_what_the_sentences_leave_open() -> None:
    pairs = [(["red", "house"], ["casa", "vermelha"])]
    told = learn(pairs, lambda s, t: float((s, t) in {("red", "vermelha"), ("house", "casa")}))
    assert told.links(*pairs[0]).argmax(1).tolist() == [1, 0]


def test_nothing_to_learn_from_is_no_error() -> None:
    lexicon = learn([([], ["x"]), (["y"], [])])
    assert lexicon.links([], ["x"]).shape == (1, 0)
    assert lexicon.strength("y", "x") == 0


words = st.lists(st.text(min_size=1, max_size=3), max_size=6)


@pytest.mark.slow
@given(st.lists(st.tuples(words, words), max_size=6))
def test_links_are_chances_whatever_the_words(pairs: list[tuple[list[str], list[str]]]) -> None:
    lexicon = learn(pairs)
    for source, target in pairs:
        links = lexicon.links(source, target)
        assert links.shape == (len(target), len(source))
        assert np.all((links >= 0) & (links <= 1 + 1e-9))


words = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6)


@pytest.mark.slow
@given(st.lists(st.tuples(words, words), min_size=1, max_size=3))
def test_tables_say_what_entries_say(pairs: list[tuple[list[str], list[str]]]) -> None:
    def known(source: str, target: str) -> float:
        return float(source == target)

    tabled = learn(pairs, known)
    with mock.patch.object(lexicon_module, "LARGEST_TABLE", 0):
        plain = learn(pairs, known)
    assert type(tabled) is not type(plain)
    for source, target in pairs:
        assert np.array_equal(tabled.links(source, target), plain.links(source, target))
        for s, t in product([*source, "unheard"], [*target, "of"]):
            assert tabled.forward(s, t) == plain.forward(s, t)
            assert tabled.back(s, t) == plain.back(s, t)
    assert np.array_equal(tabled.ahead(["unheard"], pairs[0][1]), np.zeros((len(pairs[0][1]), 1)))


groups = st.lists(st.lists(st.tuples(words, words), max_size=3), max_size=5)


@pytest.mark.slow
@given(groups)
def test_lexicons_learned_together_are_those_learned_alone(
    found: list[list[tuple[list[str], list[str]]]],
) -> None:
    together = learn_each(found, lambda s, t: float(s == t))
    for pairs, one in zip(found, together, strict=True):
        alone = learn(pairs, lambda s, t: float(s == t))
        for source, target in pairs:
            assert np.array_equal(one.links(source, target), alone.links(source, target))
            assert np.array_equal(one.ahead(source, target), alone.ahead(source, target))
