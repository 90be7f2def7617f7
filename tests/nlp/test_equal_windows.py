"""Vectors of words computed once for equal surroundings: the pipeline's own, for less."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("spacy")
import numpy as np
import spacy
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.nlp.parsers.equal_windows import EqualWindows, distinct, share_windows

SEED = "The nurse carried the heavy boxes to the third floor before the doctor came ."
MUTANTS = [SEED.replace("heavy", new) for new in ("small", "old", "wooden", "empty", "red")]
TEXTS = [SEED, *MUTANTS, "", "Yes", "Two words", MUTANTS[0], "  spaced   out  "]


@pytest.fixture
def pipeline() -> Any:
    """A pipeline with the default layers, as good as chance."""
    made = spacy.blank("en")
    made.add_pipe("tok2vec")
    made.initialize()
    return made


def test_the_vectors_are_the_pipelines_own(pipeline: Any) -> None:
    part = pipeline.get_pipe("tok2vec")
    docs = [pipeline.make_doc(text) for text in TEXTS]
    plain = part.predict(docs)
    share_windows(pipeline)
    shared = part.predict(docs)
    assert "predict" in vars(part)
    for mine, theirs in zip(shared, plain, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-5)


def test_a_mutant_costs_the_words_around_its_change(pipeline: Any) -> None:
    windows = EqualWindows.of(pipeline.get_pipe("tok2vec").model)
    assert windows is not None
    computed: list[int] = []
    windows._layers = [Counted(layer, computed) for layer in windows._layers]
    docs = [pipeline.make_doc(text) for text in (SEED, *MUTANTS)]
    windows.vectors(docs[:1])
    alone = computed.copy()
    computed.clear()
    windows.vectors(docs)
    more = [both - one for both, one in zip(computed, alone, strict=True)]
    changed = [len(MUTANTS) * (1 + 2 * depth) for depth in (1, 2, 3, 4)]
    between = 4  # rows that see the end of one document and the start of the next
    assert all(a <= one <= a + between for one, a in zip(more, changed, strict=True))


class Counted:
    """A layer that counts the rows it is given."""

    def __init__(self, layer: Any, computed: list[int]) -> None:
        self._layer, self._computed = layer, computed

    def predict(self, rows: Any) -> Any:
        self._computed.append(len(rows))
        return self._layer.predict(rows)


def test_nothing_to_read_is_left_to_the_pipeline(pipeline: Any) -> None:
    share_windows(pipeline)
    part = pipeline.get_pipe("tok2vec")
    assert [len(rows) for rows in part.predict([pipeline.make_doc("")] * 2)] == [0, 0]


def test_layers_over_more_words_are_left_alone() -> None:
    made = spacy.blank("en")
    part = made.add_pipe("tok2vec", config={"model": {"window_size": 2}})
    share_windows(made)
    assert "predict" not in vars(part)


def test_a_pipeline_without_such_vectors_is_left_alone() -> None:
    made = spacy.blank("en")
    made.add_pipe("sentencizer")
    share_windows(made)
    assert EqualWindows.of(made) is None


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2**40)), min_size=1))
def test_equal_columns_have_one_number_and_others_another(columns: list[tuple[int, int]]) -> None:
    first, places = distinct(np.array(columns, dtype=np.uint64).T)
    assert [columns[first[place]] for place in places] == columns
    assert len(first) == len(set(columns))
