"""The shipped weights, and how they are summed."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from polyglitch.compare.oracles.aligned.model import Table, load_model, pair_row


def test_a_table_looks_values_up_between_its_edges() -> None:
    table = Table((0.5, 1.5), (1.0, 2.0, 3.0), -1.0)
    assert [table.weight(x) for x in (0.0, 0.5, 1.0, 1.5, 9.0)] == [1, 2, 2, 3, 3]
    assert table.weight(math.nan) == -1


def test_the_shipped_tables_are_whole() -> None:
    model = load_model()
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
