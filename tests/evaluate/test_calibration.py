"""Calibration: thresholds that separate, goals that are reached, and held-out figures that do not flatter."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.errors import UsageError
from polyglitch.evaluate.calibration import Goal, Sample, calibrate, folds, line, read_goal
from polyglitch.evaluate.labelled_scores import from_file

scores = st.lists(st.floats(0, 1).map(lambda x: round(x, 4)), min_size=1, max_size=30)


@pytest.mark.slow
@given(scores, st.integers(0, 29), st.sampled_from(["below", "above"]))
def test_the_line_reports_the_same_at_or_past_it(found: list[float], pick: int, side: str) -> None:
    last = found[pick % len(found)]
    limit = line(found, last, side)  # type: ignore[arg-type]
    if side == "below":
        assert (
            [s < limit for s in found] == [s <= limit for s in found] == [s <= last for s in found]
        )
    else:
        assert (
            [s > limit for s in found] == [s >= limit for s in found] == [s >= last for s in found]
        )


@pytest.mark.slow
@given(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=50), st.integers(0, 9))
def test_a_sentence_is_never_on_both_sides_of_a_fold(groups: list[str], seed: int) -> None:
    parts = folds(groups, seed)
    assert sorted(place for part in parts for place in part) == list(range(len(groups)))
    for group in set(groups):
        assert sum(any(groups[place] == group for place in part) for part in parts) == 1


def test_goals_are_read_and_nonsense_is_explained() -> None:
    assert read_goal("precision>=.8") == read_goal(" precision >= 80% ") == Goal("precision", 0.8)
    assert read_goal("f") == Goal("f", None)
    for text in ("precision", "recall", "precision>=2", "speed", "f>1"):
        with pytest.raises(UsageError, match=r"precision>=\.8"):
            read_goal(text)


@pytest.mark.slow
def test_noise_looks_good_where_it_was_fitted_and_not_where_it_was_not() -> None:
    draw = random.Random(5)
    bugs = [n % 4 == 0 for n in range(120)]
    noise = {f"m{k}": [draw.random() for _ in bugs] for k in range(6)}
    sample = Sample(noise, bugs, [str(n) for n in range(120)])
    found, _ = calibrate(sample, Goal("precision", 0.5))
    fitted = [one.cut.precision for one in found]
    held = [one.held_out.precision for one in found]
    assert max(fitted) >= 0.5
    assert sum(held) / len(held) < 0.4, "a quarter are bugs: a score of chance can do no better"


@pytest.mark.slow
def test_two_halves_of_the_truth_are_better_together() -> None:
    draw = random.Random(7)
    bugs, one, other = [], [], []
    for _ in range(300):
        a, b = draw.random(), draw.random()
        one.append(a)
        other.append(b)
        bugs.append(a + b < 0.8)
    sample = Sample({"one": one, "other": other}, bugs, [str(n) for n in range(300)])
    found, best = calibrate(sample, Goal("f"))
    assert best.metrics == ("one", "other")
    assert best.weights == pytest.approx((0.5, 0.5), abs=0.08)
    assert best.held_out.f > 0.9 > max(each.held_out.f for each in found[:2])
    assert calibrate(sample, Goal("f"), combine=False)[1].metrics in (("one",), ("other",))


@pytest.mark.slow
def test_semmts_published_thresholds_come_out_of_its_labels(shared_data: Path) -> None:
    path = shared_data / "semmt" / "rq2_SemMT_SemMT_Issues_Label.csv"
    sample = from_file(path, ["LEVEN", "DFA"], "Translation_Label", "below", "Initial_Seeds")
    found, _ = calibrate(sample, Goal("f"))
    # the paper's best: SemMT-R at .62 (its column is called LEVEN), SemMT-D at .42
    assert [one.threshold for one in found[:2]] == pytest.approx([0.62, 0.42], abs=0.01)
    assert sample.left_out == {"no score": 24, "Translation_Label ''": 1}
