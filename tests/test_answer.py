"""A run in words, and which finding comes first: what the report says before any figure."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.records import Case, Group, Input, Issue, Output, Trial, Verdict
from polyglitch.results.answer import (
    chart_of,
    day_in_words,
    relation_in_words,
    share_in_words,
    title_of,
    weakest_of,
)
from polyglitch.results.findings import WorstKey, likelihood, sureness, worst_first


def definition(system: str, corpus: str, *languages: str | None) -> dict:
    return {"systems": [system], "corpus": {"name": corpus}, "languages": list(languages)}


@pytest.mark.parametrize(
    ("system", "corpus", "languages", "title"),
    [
        ("firefox:en-pt|v:1", "sample", ("en", "pt"),
         "Firefox’s translator, English to Portuguese, on the bundled sentences"),
        ("python:pkg.mod:fn#0123456789abcdef", "data/reviews.csv", ("en", None),
         "The function fn, on reviews.csv"),
        ("mine:thing", "a.txt", (None, None), "Mine:thing, on a.txt"),
    ],
)  # fmt: skip
def test_a_title_names_system_and_corpus_in_words(system, corpus, languages, title) -> None:
    assert title_of(definition(system, corpus, *languages)) == title


def test_dates_shares_and_tests_are_said_as_people_say_them() -> None:
    assert day_in_words("2026-11-06T07:05:09+00:00") == "6 November 2026, 07:05 UTC"
    assert day_in_words("no date") == "no date"
    said = [
        share_in_words(*pair)
        for pair in ((3, 9), (31, 100), (16, 110), (2, 100), (50, 50), (99, 100))
    ]
    assert said == ["3 of 9", "3 in 10", "1 in 7", "1 in 50", "All 50", "99 of 100"]
    assert relation_in_words("label:03-change-over-time") == "change over time"
    titles = {"03-change-over-time": "The present should prevail"}
    assert relation_in_words("label:03-change-over-time", titles) == "The present should prevail"
    assert relation_in_words("contained") == "a phrase alone and in its sentence"


def issue(name: str, kind: str = "") -> Issue:
    return Issue(name, "s", "sit", ("c",), 1.0, kind)


def verdict(chance: float | None = None, **more: float | str) -> Verdict:
    details = {} if chance is None else {"chance": chance}
    return Verdict("c", "violated", details=details, **({"score": chance} | more))  # type: ignore[arg-type]


def test_the_worst_is_sure_and_grave_whatever_the_method() -> None:
    found = [
        (issue("unsure negation", "negation"), verdict(0.3)),
        (issue("sure words", "words changed"), verdict(0.95)),
        (issue("far edit", ""), verdict(score=9.0, threshold=2.0)),
        (issue("sure negation", "negation"), verdict(0.72)),
    ]
    ordered = [one.id for one, _ in sorted(found, key=lambda pair: worst_first(*pair))]
    assert ordered == ["sure negation", "sure words", "far edit", "unsure negation"]
    part = worst_first(issue("part", "negation"), verdict(0.99), asked("contained"))
    whole = worst_first(issue("whole", "negation"), verdict(0.9), asked("similar"))
    assert whole < part, "a phrase alone comes after a whole sentence with the same fault"


def test_a_label_turned_round_is_worse_than_one_that_went_half_the_way() -> None:
    rule = verdict(score=1.0, threshold=0.0)

    def said(label: str, sure: float, failed: int = 1) -> WorstKey:
        scores = {"positive": 1 - sure, label: sure}
        first = Output(label="positive", scores={"positive": 0.8, label: 0.2})
        trial = asked("same:typo", first, Output(label=label, scores=scores))
        return worst_first(issue(label), rule, trial, failed)

    assert said("negative", 0.6) < said("neutral", 0.99), "the opposite, whatever its score"
    assert said("negative", 0.9) < said("negative", 0.6), "then what the system was surest of"
    assert said("negative", 0.9, failed=7) < said("negative", 0.9), "then where most tests failed"
    graded = worst_first(issue("graded"), verdict(score=0.7, threshold=0.0), None)
    assert graded[0] == said("neutral", 0.99)[0] == 0, "a rule and a score stand beside each other"


def asked(relation: str, *outputs: Output) -> Trial:
    inputs = tuple(Input(f"text {place}") for place, _ in enumerate(outputs))
    case = Case("c", "s", relation, inputs or (Input("text"),), "sit")
    return Trial(case, tuple((output,) for output in outputs))


def test_how_sure_it_is_stands_in_words() -> None:
    assert [sureness(verdict(chance)) for chance in (0.9, 0.5, 0.21)] == [
        "very likely a bug",
        "likely a bug",
        "possibly a bug",
    ]
    assert sureness(verdict(score=9.0, threshold=2.0)) == "a clear case"
    assert sureness(verdict(score=0.78, threshold=0.79, direction="below")) == "a close call"
    assert sureness(verdict(score=1.0, threshold=0.0)) == "breaks the rule"
    assert sureness(Verdict("c", "holds", score=0.1)) == ""


@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["above", "below"]),
)
def test_a_likelihood_is_a_share(score: float, threshold: float, direction: str) -> None:
    found = Verdict("c", "violated", score=score, threshold=threshold, direction=direction)  # type: ignore[arg-type]
    assert 0.0 <= likelihood(found) <= 1.0


def test_the_chart_is_of_kinds_where_there_are_some_else_of_what_is_tested() -> None:
    some = [issue("a", "negation"), issue("b", "negation"), issue("c")]
    chart = chart_of(some, {})
    assert chart and chart.counts == {"negation": 2, "other": 1}
    bug = Group("g", "a lost ‘not’", ("a", "b", "d"), "negation")
    chart = chart_of([*some, issue("d", "words added")], {}, [bug])
    assert chart and chart.counts == {"negation": 3, "other": 1}, "as many as the lead tells"
    failed = {"same:typo": {"violated": 3}, "label:01-typo": {"violated": 1}, "x": {"violated": 0}}
    chart = chart_of([issue("a")], {"by_relation": failed})
    assert chart and chart.counts == {"typo": 4}
    assert chart_of([], {}) is None
    failed = {"same:remark": {"violated": 3}, "same:polite": {"violated": 1}}
    chart = chart_of([issue("a", "number")], {"by_relation": failed})
    assert chart and chart.counts == {
        "A remark on something else before the question": 3,
        "A polite request before the question": 1,
    }, "a single kind says less than what was tested"


def test_without_a_common_fault_the_answer_names_what_fails_most() -> None:
    rows = {
        "same:typo": {"violated": 3, "holds": 7},
        "label:01-typo": {"violated": 1, "holds": 1},
        "x": {"violated": 2, "holds": 0},
    }
    assert weakest_of({"by_relation": rows}) == "typo (4 of 12 tests)"
    assert weakest_of({"by_relation": {"x": rows["x"]}}) == "", (
        "one thing was tested: the share says it all"
    )


def test_the_command_that_makes_a_run_again_can_be_pasted(tmp_path) -> None:
    from polyglitch.results.answer import look_at, run_again
    from polyglitch.results.history import History
    from tests.review.samples import RUN, fill

    store = fill(tmp_path / "my runs.sqlite", 2)
    history = History(store, RUN)
    words = shlex.split(run_again(history))
    assert words[:2] == ["polyglitch", "run"]
    assert words[-2:] == ["--store", str(tmp_path / "my runs.sqlite")]
    assert shlex.split(look_at(history))[-2:] == ["--run", RUN[:4]]
    store.close()
