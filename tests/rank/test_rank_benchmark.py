"""How the benchmark of ranks spends a budget: the same rules as a campaign, on mutants made by hand."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.models

from benchmarks.ranks import Mutant, as_tests, by_chance, ratio_at_half, spent, within_auc  # noqa: E402

# Sentence `a` has seven mutants of three words, `b` two of one word; word 3 of `a` and that of `b` break.
MUTANTS = [
    *(Mutant("1", "a", 0, f"a{n}", False) for n in range(2)),
    *(Mutant("1", "a", 3, f"a{n}", True) for n in range(2, 5)),
    *(Mutant("1", "a", 9, f"a{n}", False) for n in range(5, 7)),
    *(Mutant("2", "b", 4, f"b{n}", True) for n in range(2)),
]
SCORES = {"a": {0: 0.1, 3: 0.9, 9: 0.2}, "b": {4: 0.5}}


def test_five_a_sentence_by_words_then_sentences_or_words_in_order() -> None:
    by_sentence = spent(MUTANTS, SCORES, {"a": 0.4, "b": 0.5})
    assert [m.follow_up for m in by_sentence] == ["b0", "b1", "a2", "a3", "a4", "a5", "a6"]
    by_word = spent(MUTANTS, SCORES, None)
    assert [m.follow_up for m in by_word] == ["a2", "a3", "a4", "b0", "b1", "a5", "a6"]


def test_a_score_that_knows_wins_every_pair_and_beats_chance() -> None:
    assert within_auc(MUTANTS, SCORES) == 1
    assert within_auc(MUTANTS, {"a": {}, "b": {}}) == 0.5  # all alike: ties
    chance = by_chance(MUTANTS)
    assert {test.draw for test in chance} == set(range(5)) and len(chance) == 35
    best = as_tests(spent(MUTANTS, SCORES, None), "best")
    assert float(ratio_at_half(best, chance).split()[0]) > 1
