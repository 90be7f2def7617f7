"""Thresholds from labels, against the obvious computation."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from polyglitch.errors import UsageError
from polyglitch.evaluate.calibration import area, choose, either, fit_weights, sweep, weighted

rows = st.lists(st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0]), st.booleans()), min_size=2)


@given(rows)
def test_every_cut_counts_what_it_reports(found: list[tuple[float, bool]]) -> None:
    scores, bugs = [score for score, _ in found], [bug for _, bug in found]
    assume(any(bugs) and not all(bugs))
    for cut in sweep(scores, bugs):
        reported = [bug for score, bug in found if score <= cut.threshold]
        assert (cut.reported, cut.true) == (len(reported), sum(reported))
    assert choose(scores, bugs).f == max(cut.f for cut in sweep(scores, bugs))
    wins = [(a < b) + (a == b) / 2 for a, x in found if x for b, y in found if not y]
    assert area(scores, bugs) == pytest.approx(sum(wins) / len(wins))


def test_a_target_is_reached_or_refused() -> None:
    scores, bugs = [0.1, 0.2, 0.3, 0.4], [True, False, True, False]
    assert choose(scores, bugs, "precision", at_least=0.6).threshold == 0.3
    assert choose(scores, bugs, "recall", at_least=0.5).threshold == 0.1
    with pytest.raises(UsageError, match="the best reaches"):
        choose([0.4, 0.1], [True, False], "precision", at_least=0.9)
    with pytest.raises(UsageError, match="both kinds"):
        sweep([0.1], [True])


def test_the_useful_score_gets_the_weight() -> None:
    good, noise = [0.1, 0.2, 0.9, 0.8] * 5, [0.3, 0.9, 0.9, 0.3] * 5
    bugs = [True, True, False, False] * 5
    weights = fit_weights([good, noise], bugs)
    assert weights[0] > 0.9 and sum(weights) == pytest.approx(1)
    assert weighted([good, noise], (1.0, 0.0)) == good
    assert either([[0.1, 0.9], [0.9, 0.9]], [0.5, 0.5]) == [True, False]
