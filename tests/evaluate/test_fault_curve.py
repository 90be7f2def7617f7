"""Orders of tests are compared by how early they find the faults."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.evaluate.priority import apfd, area, evaluate_orders, fault_curve, picture

runs = st.lists(st.booleans(), min_size=1, max_size=60).filter(any)


@given(runs)
def test_the_area_is_apfd(failed: list[bool]) -> None:
    assert area(fault_curve(failed)) == pytest.approx(apfd(failed))


@pytest.mark.slow
@given(runs, st.randoms(use_true_random=False))
def test_nothing_beats_the_ideal_order(failed: list[bool], draw) -> None:  # type: ignore[no-untyped-def]
    scores = {"chance": [draw.random() for _ in failed]}
    initial, chance, ideal = evaluate_orders(failed, scores, shuffles=3, seed=1)
    assert (initial.name, chance.name, ideal.name) == ("initial", "chance", "ideal")
    assert max(initial.area, chance.area) <= ideal.area + 1e-9


def test_faults_first_is_ideal_and_faults_last_is_worst() -> None:
    failed = [False] * 8 + [True] * 2
    good, bad = [float(fault) for fault in failed], [float(not fault) for fault in failed]
    orders = {o.name: o.area for o in evaluate_orders(failed, {"good": good, "bad": bad}, 5, 0)}
    assert orders["good"] == orders["ideal"] == pytest.approx(90.0)
    assert orders["bad"] == pytest.approx(10.0)
    assert orders["bad"] < orders["initial"] < orders["good"]


def test_ties_are_broken_anew_in_every_shuffle() -> None:
    failed = [True] * 5 + [False] * 5  # all faults first by accident
    tied = evaluate_orders(failed, {"tied": [1.0] * 10}, 200, 0)[1]
    assert tied.area == pytest.approx(50, abs=5) and tied.spread > 5


@pytest.mark.slow
@pytest.mark.needs("matplotlib")
def test_the_picture_is_an_svg_with_every_curve_and_a_safe_title() -> None:
    orders = evaluate_orders([True, False, True], {"gri": [3, 2, 1]}, 2, 0)
    title = "<script>alert(1)</script> costs $5 or $6"
    made = picture(orders, title)
    root = ET.fromstring(made)
    texts = ["".join(child.itertext()) for child in root.iter("{http://www.w3.org/2000/svg}text")]
    assert title in texts
    assert [text.split()[0] for text in texts[-3:]] == ["initial", "gri", "ideal"]
    assert not [child for child in root.iter() if child.tag.endswith("script")]
    assert made == picture(orders, title), "the same figures give the same file"


def test_an_area_has_an_interval_from_resampled_seeds_and_ties_share_their_place() -> None:
    import numpy as np

    from polyglitch.evaluate.priority import area_interval, tied_area
    from polyglitch.records import Case, Input, Verdict

    failed = [True, False, True, False, False, False]
    assert tied_area(np.zeros(6), np.array(failed)) == pytest.approx(50)
    ideal = np.array(failed, float)
    assert tied_area(ideal, np.array(failed)) == pytest.approx(apfd(sorted(failed, reverse=True)))
    judged = [
        (Case(str(n), f"s{n // 2}", "same", (Input("a"),)), Verdict(str(n), "holds"))
        for n in range(6)
    ]
    low, high = area_interval(ideal.tolist(), failed, judged, 0)
    assert 50 <= low <= tied_area(ideal, np.array(failed)) <= high <= 100


def test_faults_are_told_by_the_length_of_a_question_and_of_what_was_inserted() -> None:
    from polyglitch.evaluate.priority import profile
    from polyglitch.rank.cases import Scene
    from polyglitch.records import Case, Input, Output

    questions = ["is it?", "is it so far from here to there that he is late again?"]
    scenes = [
        Scene(
            Case(str(n), "s", "same", (Input(text),), data={"inserted": "The sea is wide."}),
            (Output("yes"),),
        )
        for n, text in enumerate(questions)
    ]
    found = profile(scenes, [True, False], {"gri": [0.0, 1.0]})
    assert found["by_question_words"] == {"up to 6": (1, 1), "up to 16": (0, 1)}
    assert found["by_noise_ratio"] == {"up to 0.5": (0, 1), "up to 3": (1, 1)}
    assert (found["question_words_rho"], found["noise_ratio_rho"]) == (-1, 1)
    assert found["missed"] == {"gri": 1}
    assert profile(scenes[:1], [True], {})["noise_ratio_rho"] is None
