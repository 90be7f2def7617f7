"""Branches packed into one row score as each of them does alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from polyglitch.language.packed import Branch, Stem, branch_scores, next_words, rows  # noqa: E402


@pytest.fixture(scope="module")
def model() -> Any:
    torch.manual_seed(0)
    shape = transformers.LlamaConfig(
        vocab_size=40,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
    )
    return transformers.LlamaForCausalLM(shape).eval()


def alone(model: Any, stem: Stem, branch: Branch) -> float:
    """The slow, obvious way: the whole text once for every branch."""
    ids = [*stem.ids[: branch.at], *branch.ids]
    with torch.inference_mode():
        odds = model(torch.tensor([ids])).logits[0].log_softmax(-1)
    return sum(float(odds[i, ids[i + 1]]) for i in range(branch.at, len(ids) - 1))


tokens = st.lists(st.integers(0, 39), min_size=2, max_size=9).map(tuple)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(tokens, st.lists(tokens, max_size=3), st.integers(1, 8)), min_size=1, max_size=4
    )
)
def test_packed_branches_score_as_alone(model: Any, shapes: Any) -> None:
    stems = [
        Stem(ids, tuple(Branch(min(at, len(ids)), branch) for branch in branches))
        for ids, branches, at in shapes
    ]
    for stem, scores in zip(stems, branch_scores(model, stems), strict=True):
        expected = [alone(model, stem, branch) for branch in stem.branches]
        assert scores == pytest.approx(expected, abs=1e-3)


def test_next_words_are_those_of_the_sentence_alone(model: Any) -> None:
    stems = [Stem((1, 2, 3)), Stem((4, 5, 6, 7))]
    for stem, odds in zip(stems, next_words(model, stems), strict=True):
        with torch.inference_mode():
            plain = model(torch.tensor([stem.ids])).logits[0].log_softmax(-1)
        assert torch.allclose(odds, plain, atol=1e-4)


def test_a_row_is_filled_and_no_stem_is_lost() -> None:
    stems = [Stem(tuple(range(size))) for size in (5, 5, 5, 20, 1)]
    made = list(rows(stems, limit=12))
    assert [len(row) for row in made] == [2, 1, 1, 1]
    assert [stem for row in made for stem in row] == stems
