"""What a method makes of its oracle's verdicts: form is part of every relation, and no verdict lacks its reason."""

from __future__ import annotations

from typing import Any, cast

import pytest

from polyglitch.records import Case, Input, Output, Status, Trial, Verdict
from polyglitch.registry import Component, Method
from polyglitch.tools import Toolbox

FINE = Output(label="positive")


def judged(trial: Trial, verdict: Verdict) -> Verdict:
    """What a method with an oracle that says this makes of it."""
    oracle: Any = lambda trials, tools: [verdict]  # noqa: E731
    method = Method("m", "classification", cast(Any, None), oracle, cast(Any, None))
    return method.judge([trial], Toolbox())[0]


def trial(*outputs: Output) -> Trial:
    case = Case("c", "s", "same:x", tuple(Input(f"t{n}") for n in range(len(outputs))))
    return Trial(case, tuple((output,) for output in outputs))


@pytest.mark.parametrize("status", ["refused", "cut off", "no label"])
def test_breaking_the_form_breaks_the_relation(status: Status) -> None:
    broken = Output(status=status, error="why")
    unsure = Verdict("c", "undecided", "x")
    found = judged(trial(FINE, broken), unsure)
    assert found.outcome == "violated" and found.reasons == (found.reason,)
    assert f"{status}: why" in found.reason
    assert judged(trial(broken, broken), unsure) == unsure  # nothing to hold the follow-up to
    assert judged(trial(broken, FINE), unsure) == unsure


def test_a_system_that_cannot_be_reached_proves_nothing() -> None:
    unsure = Verdict("c", "undecided", "x")
    for status in ("error", "timeout"):
        assert judged(trial(FINE, Output(status=status)), unsure) == unsure


def test_every_violation_has_a_reason_and_reasons() -> None:
    pair = trial(FINE, FINE)
    assert judged(pair, Verdict("c", "violated", "why")).reasons == ("why",)
    assert judged(pair, Verdict("c", "violated", reasons=("a", "b"))).reason == "a; b"
    bare = judged(pair, Verdict("c", "violated", score=0.5, threshold=0.25))
    assert bare.reason == "the relation does not hold (score 0.5, limit 0.25)"


def test_an_oracle_that_begins_is_called_for_its_verdicts_later() -> None:
    steps: list[str] = []

    def begin(trials: Any, tools: Any) -> Any:
        steps.append("begun")

        def finish() -> list[Verdict]:
            steps.append("called for")
            return [Verdict("c", "violated", score=1.0, threshold=0.5)]

        return finish

    oracle = Component("o", {}, lambda trials, tools: begin(trials, tools)(), begin)
    method = Method("m", "classification", cast(Any, None), oracle, cast(Any, None))
    later = method.begin([trial(FINE, FINE)], Toolbox())
    assert method.begins and steps == ["begun"]
    assert later()[0].reason.startswith("the relation does not hold")
    assert steps == ["begun", "called for"]
