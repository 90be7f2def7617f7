"""What passes at the end has passed every step before, and a step drops what has no hope."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from polyglitch.nlp.proposers.candidate_scoring import (
    HIGHEST,
    LEAST,
    LOWEST,
    STAGES,
    WEIGHT,
    ScoredCandidate,
    ranked,
)

odds = st.floats(-4, 7)


@given(st.floats(0.5, 1.8), odds, odds, st.sampled_from([hope for _, hope in STAGES]))
def test_a_word_that_fits_is_never_without_hope(
    likeness: float, gain: float, change: float, hope: float
) -> None:
    word = ScoredCandidate("town", 1, likeness, gain, change)
    assert not word.fits or word.may_fit(hope)


@given(st.floats(0.5, 1.8), odds, odds, st.floats(0, 1.2), st.floats(-3, 1.2))
def test_what_was_dropped_would_not_have_fitted_by_gaining_less_than_hoped(
    likeness: float, gain: float, change: float, hope: float, more: float
) -> None:
    word = ScoredCandidate("town", 1, likeness, gain, change)
    if not word.may_fit(hope) and more < hope - 1e-9:
        assert not ScoredCandidate("town", 1, likeness, gain, change + more).fits


def test_likeness_makes_up_for_odds_within_limits() -> None:
    near, far = (
        ScoredCandidate("town", 1, 1.2, -1.0, 0.5),
        ScoredCandidate("moon", 2, 0.8, 0.5, 0.5),
    )
    assert near.fits and not far.fits
    assert ScoredCandidate("moon", 2, LEAST - WEIGHT * 2 + 0.01, 2.0).fits
    assert not ScoredCandidate("town", 1, 1.8, LOWEST - 0.1).fits  # a sentence that reads badly
    assert not ScoredCandidate(
        "town", 1, 1.8, HIGHEST + 0.1
    ).fits  # one that drifted from its subject
    assert [one.word for one in ranked([far, near, ScoredCandidate("city", 3, 1.5, 0.0)])] == [
        "city",
        "town",
    ]
