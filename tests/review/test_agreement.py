"""Kappa: right on worked examples, on any table equal to its definition, and blind to names and order."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyglitch.evaluate.study import agreements, cohen_kappa, in_words, mean_kappa

VERDICTS = ("bug", "not a bug", "unsure")
TABLES = st.dictionaries(
    st.tuples(st.sampled_from(VERDICTS), st.sampled_from(VERDICTS)), st.integers(0, 30)
)


def test_a_worked_example() -> None:
    # 20 and 15 agreed of 50; chance is .5 * .6 + .5 * .4 = .5, so (.7 - .5) / .5.
    joint = {("y", "y"): 20, ("y", "n"): 5, ("n", "y"): 10, ("n", "n"): 15}
    assert cohen_kappa(joint) == pytest.approx(0.4)


@pytest.mark.slow
@pytest.mark.needs("sklearn")
@settings(deadline=None)
@given(TABLES)
def test_as_scikit_learn_has_it(joint: dict[tuple[str, str], int]) -> None:
    pairs = [pair for pair, count in joint.items() for _ in range(count)]
    ours = cohen_kappa(joint)
    if not pairs or len({name for pair in pairs for name in pair}) == 1:
        assert ours is None, "where only one word was ever said, there is no kappa"
        return
    from sklearn.metrics import cohen_kappa_score

    theirs = cohen_kappa_score([a for a, _ in pairs], [b for _, b in pairs])
    assert ours == pytest.approx(theirs)


def test_the_mean_leaves_out_what_is_undefined() -> None:
    found = agreements(
        {
            ("ann", "bo"): {("bug", "bug"): 3, ("unsure", "unsure"): 3},
            ("ann", "cy"): {("bug", "bug"): 4},
            ("bo", "cy"): {("bug", "unsure"): 2, ("unsure", "bug"): 2},
        }
    )
    assert [pair.kappa for pair in found] == [1.0, None, -1.0]
    assert [(pair.both, pair.agreed) for pair in found] == [(6, 6), (4, 4), (4, 0)]
    assert mean_kappa(found) == 0.0
    assert mean_kappa([]) is None
    assert [in_words(value) for value in (-0.2, 0.5, 0.81)] == [
        "poor",
        "moderate",
        "almost perfect",
    ]
