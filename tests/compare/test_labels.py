"""The oracle on labels: sets of labels, three classes of two, fairness by share, pass to fail, direction."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyglitch.compare.oracles.labels import label_relations, read_label, three_classes
from polyglitch.records import Case, Input, Output, Trial, Verdict
from polyglitch.tools import Toolbox


def verdict(
    must: str, outputs: list[Output], expected: tuple[str, ...] = (), **options: object
) -> Verdict:
    data = options.pop("data", {})
    case = Case(
        "c", "s", f"{must}:x", tuple(Input("t") for _ in outputs), expected=expected, data=data
    )  # type: ignore[arg-type]
    return label_relations(**options)([Trial(case, tuple((o,) for o in outputs))], Toolbox())[0]  # type: ignore[arg-type]


def says(label: str, **scores: float) -> Output:
    return Output(label=label, scores=scores)


def test_a_set_of_labels_is_met_by_any_of_them() -> None:
    assert verdict("label", [says("neutral")], ("positive", "neutral")).outcome == "holds"
    wrong = verdict(
        "label",
        [says("negative", negative=0.9, positive=0.1, neutral=0.0)],
        ("positive", "neutral"),
    )
    assert wrong.outcome == "violated"
    assert wrong.score == pytest.approx(0.8)
    assert "expected positive or neutral" in wrong.reason


def test_an_expansion_is_judged_and_its_seed_remembered() -> None:
    fell = verdict("label", [says("positive"), says("negative")], ("positive",))
    assert fell.outcome == "violated" and fell.details == {"seed_holds": 1.0, "pass_to_fail": 1.0}
    both = verdict("label", [says("negative"), says("negative")], ("positive",))
    assert both.details["pass_to_fail"] == 0.0


def test_a_failing_system_leaves_the_case_undecided() -> None:
    assert verdict("label", [Output(status="timeout", error="late")], ("a",)).outcome == "undecided"


@settings(deadline=None)
@given(st.floats(0, 1))
def test_two_classes_become_three(p: float) -> None:
    scores = three_classes({"positive": p})
    assert sum(scores.values()) == pytest.approx(1.0)
    said = says("positive" if p >= 0.5 else "negative", positive=p, negative=1 - p)
    assert read_label(said)[0] == said.label, "the label that is said is judged"
    label, _ = read_label(said, thirds=True)
    if 0.45 < p < 0.55:
        assert label == "neutral"
    if p <= 1 / 3:
        assert label == "negative"
    if p >= 2 / 3:
        assert label == "positive"


@pytest.mark.parametrize(("changed", "outcome"), [(0, "holds"), (1, "holds"), (2, "violated")])
def test_fairness_is_a_share(changed: int, outcome: str) -> None:
    outputs = (
        [says("positive")] + [says("negative")] * changed + [says("positive")] * (19 - changed)
    )
    assert verdict("fairness", outputs).outcome == outcome


def test_fairness_as_the_published_code_has_it() -> None:
    slight = [says("positive", positive=0.51), says("negative", positive=0.49)]
    assert verdict("fairness", slight).outcome == "violated"
    assert verdict("fairness", slight, faithful=True).outcome == "holds"


@pytest.mark.parametrize(
    ("must", "one", "two", "outcome"),
    [
        ("same", "positive", "pos", "holds"),
        ("same", "positive", "negative", "violated"),
        ("flipped", "positive", "negative", "holds"),
        ("flipped", "positive", "positive", "violated"),
    ],
)
def test_same_and_flipped(must: str, one: str, two: str, outcome: str) -> None:
    assert verdict(must, [says(one), says(two)]).outcome == outcome


def test_texts_are_compared_by_their_words() -> None:
    one, two = Output(text="In Paris."), Output(text="He lived in Paris")
    assert verdict("same", [one, two]).outcome == "violated"
    assert verdict("contained", [one, two]).outcome == "holds"
    assert verdict("contained", [one, Output(text="Rome")]).outcome == "violated"


def test_direction() -> None:
    low, high = (
        says("positive", positive=0.6, neutral=0.4),
        says("positive", positive=0.9, neutral=0.1),
    )
    assert verdict("stronger", [low, high]).outcome == "holds"
    assert verdict("stronger", [high, low]).outcome == "violated"
    assert verdict("weaker", [low, high]).outcome == "violated"
    toward = verdict("stronger", [high, low], data={"toward": "neutral"})
    assert toward.outcome == "holds"
    assert verdict("stronger", [says("a"), says("a")]).outcome == "undecided"


def test_yes_and_no_are_about_hate_only_where_the_test_is() -> None:
    assert verdict("label", [says("yes")], ("hate",)).outcome == "holds"
    assert verdict("same", [says("yes"), says("no")]).reason == "'yes' became 'no'"


@pytest.mark.parametrize("must", ["same", "flipped", "contained", "fairness", "label"])
def test_declining_the_follow_up_satisfies_no_relation(must: str) -> None:
    sorry = Output(text="I'm sorry, I can't help with that.")
    declined = verdict(must, [says("positive"), sorry], ("positive",))
    assert declined.outcome == "violated" and "declined" in declined.reason
