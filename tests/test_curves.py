"""Threshold curves: each point counted as the obvious count has it, and drawn without trusting a name."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.records import Label
from polyglitch.report.html import write_report
from polyglitch.results.curves import Curve, Point, ends_in_words, issue_points, picture, thin
from polyglitch.results.history import History
from polyglitch.results.summary import summarise
from tests.review.samples import RUN, fill

severities = st.lists(st.integers(0, 9).map(float), min_size=1, max_size=40)


@given(severities, st.lists(st.tuples(st.integers(-3, 9).map(float), st.booleans()), max_size=20))
def test_every_point_counts_what_is_as_severe(
    found: list[float], judged: list[tuple[float, bool]]
) -> None:
    points = issue_points(found, judged)
    assert [point.threshold for point in points] == sorted(set(found))
    for point in points:
        kept = [bug for severity, bug in judged if severity >= point.threshold]
        bugs = sum(bug for _, bug in judged)
        assert point.issues == sum(severity >= point.threshold for severity in found)
        assert point.precision == (sum(kept) / len(kept) if kept else None)
        assert point.recall == (sum(kept) / bugs if bugs else None)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=2000).map(sorted))
def test_a_long_curve_keeps_its_ends(values: list[float]) -> None:
    kept = thin(values)
    assert (kept[0], kept[-1]) == (values[0], values[-1])
    assert len(kept) <= 201


def test_the_picture_is_whole_and_a_hostile_name_stays_text() -> None:
    points = (Point(0.1, 9, 0.5, 1.0, 0.67), Point(0.5, 3, 1.0, 0.6, 0.75))
    drawn = picture(Curve('<script>"&', "score at most", points, (("chosen", 0.3),), 9))
    root = ElementTree.fromstring(drawn)
    assert not root.findall(".//{*}script")
    assert len(root.findall(".//{*}polyline")) == 4
    assert "chosen 0.3" in drawn


@pytest.mark.slow
def test_the_report_draws_issues_always_and_shares_once_there_are_labels(tmp_path: Path) -> None:
    store = fill(tmp_path / "s.sqlite", 40)

    def page() -> str:
        history = History(store)
        return write_report(tmp_path / "r.html", summarise(history), history.findings()).read_text()

    before = page()
    assert before.count("<polyline") == 2, "two methods, nothing labelled"
    assert "once issues are labelled" in before
    for issue in list(store.verdicts.issues(RUN, "sit")):
        verdict = "bug" if issue.severity > 5 else "not a bug"
        store.labels.set(RUN, Label(issue.id, verdict, "ann", "2026-01-01"))  # type: ignore[arg-type]
    after = page()
    assert after.count("<polyline") == 5, "and precision, recall and F for the labelled one"
    curve = next(curve for curve in summarise(History(store)).curves if curve.name == "sit")
    assert curve.points[-1].precision == 1.0
    assert curve.points[0].recall == 1.0
    store.close()


def test_an_axis_reaches_to_the_limit_and_tells_its_ends_apart() -> None:
    assert ends_in_words(0.99981, 0.99997) == ("0.9998", "1")
    assert ends_in_words(0.5, 0.5) == ("0.5", "0.5")
    drawn = picture(
        Curve("sit", "score at least", (Point(0.8, 5), Point(1.0, 2)), (("limit", 0.6),))
    )
    assert ">0.6</text>" in drawn and ">0.8</text>" not in drawn
    assert 'points="48.0,30.0 203.0,30.0 358.0,126.0"' in drawn, (
        "nothing falls away before the first"
    )
