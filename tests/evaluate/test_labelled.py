"""What labels say of methods: joined words, SIT's top-k, recall, kinds, and intervals that can be trusted."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyglitch.errors import UsageError
from polyglitch.evaluate.labelled_scores import from_judgements
from polyglitch.records import Label, Verdict
from polyglitch.results import labelled
from polyglitch.results.labelled import LabelledCase, Said, join_labels
from polyglitch.results.tables import wilson


def say(who: str, verdict: str, kind: str = "", case: str = "") -> Label:
    return Label("i", verdict, who, "2026-01-01", kind, "", case)  # type: ignore[arg-type]


def item(
    method: str, seed: str, word: str = "bug", shelf: str = "issue", kind: str = "", place: int = 1
) -> LabelledCase:
    verdict = Verdict(seed, "violated", score=2.0, threshold=1.0)
    return LabelledCase(
        seed, method, seed, shelf, verdict, Said(word, kind), "words missing", place
    )  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.needs("scipy")
@settings(deadline=None)
@given(st.integers(0, 400), st.integers(1, 400))
def test_wilson_is_scipys(found: int, more: int) -> None:
    total = found + more
    from scipy.stats import binomtest

    expected = binomtest(found, total).proportion_ci(method="wilson")
    assert wilson(found, total) == pytest.approx((expected.low, expected.high), abs=1e-6)


def test_one_label_is_not_certainty() -> None:
    items = [item("sit", "1"), item("sit", "2", "not a bug", "held")]
    found = labelled.method_figures(items, 9, 20, 3)
    for name in ("recall", "f", "recall_of_the_run"):
        low, high = found[name]["interval"]
        assert found[name]["value"] == 1.0
        assert low < 0.4 and high == pytest.approx(1.0), name


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(0, 40), st.integers(0, 40), st.integers(1, 40))
def test_intervals_hold_their_figure(hits: int, false: int, missed: int, fine: int) -> None:
    items = [item("sit", f"a{n}") for n in range(hits)]
    items += [item("sit", f"b{n}", "not a bug") for n in range(false)]
    items += [item("sit", f"c{n}", "bug", "held") for n in range(missed)]
    items += [item("sit", f"d{n}", "not a bug", "held") for n in range(fine)]
    found = labelled.method_figures(items, 100, 300, 3)
    for name in ("recall", "f", "recall_of_the_run"):
        low, high = found[name]["interval"]
        assert low - 1e-4 <= found[name]["value"] <= high + 1e-4


def test_a_tied_vote_is_told_as_one() -> None:
    tied = [item("sit", "1", "disputed"), item("sit", "2", "disputed")]
    with pytest.raises(UsageError, match="evenly split on 2 labelled sentences"):
        from_judgements(tied, "sit")
    with pytest.raises(UsageError, match="no sentence is labelled"):
        from_judgements([], "sit")


def test_reviewers_are_joined_and_a_draw_is_disputed() -> None:
    two = [say("ann", "bug", "number"), say("bob", "not a bug")]
    assert join_labels(two).word == "disputed"
    assert join_labels(two, "any") == Said("bug", "number")
    three = [*two, say("cid", "bug", "number", "c2"), say("dot", "unsure")]
    assert join_labels(three) == Said("bug", "number", "")
    assert join_labels(three, "unanimous").word == "disputed"
    assert join_labels([say("ann", "unsure")]).word == "unsure"
    assert (
        join_labels([say("ann", "not a bug"), say("bob", "unsure")], "unanimous").word
        == "not a bug"
    )


def test_top_k_counts_an_issue_whose_bug_is_among_its_first_k_cases() -> None:
    items = [item("sit", "1"), item("sit", "2", place=3), item("sit", "3", "not a bug")]
    items += [item("sit", "4", "unsure"), item("sit", "5", "disputed")]
    found = labelled.method_figures(items, 9, 20, 3)
    assert (found["top"]["1"]["found"], found["top"]["3"]["found"]) == (1, 2)
    assert found["precision"]["of"] == 3, "unsure and disputed ones are neither"
    assert (found["issues"], found["labelled"], found["unsure"], found["disputed"]) == (9, 5, 1, 1)
    assert found["recall"] is None, "nothing is known of what was not reported"


def test_recall_and_f_where_sentences_without_an_issue_are_labelled() -> None:
    items = [item("sit", f"{n}") for n in range(6)] + [item("sit", "x", "not a bug")] * 2
    items += [item("sit", "m", shelf="held")] * 2 + [item("sit", "h", "not a bug", "held")] * 8
    found = labelled.method_figures(items, 80, 1000, 1)
    assert found["recall"]["value"] == 0.75
    assert found["f"]["value"] == 0.75
    # 80 issues of which 3 in 4 are bugs, 1,000 others of which 1 in 5 is
    assert found["recall_of_the_run"]["value"] == pytest.approx(60 / 260, abs=1e-4)
    low, high = found["f"]["interval"]
    assert 0.4 < low < 0.75 < high <= 1


def test_kinds_and_who_found_what() -> None:
    items = [item("sit", "1", kind="number"), item("rti", "1", kind="number"), item("rti", "2")]
    items += [item("sit", "3", kind="name"), item("sit", "4", "not a bug", kind="name")]
    assert labelled.kinds(items) == {
        "number": {"sit": 1, "rti": 1},
        "name": {"sit": 1},
        "words missing": {"rti": 1},
    }
    shared = labelled.overlap(items)
    assert shared["bugs"] == 3
    assert shared["sets"] == {"rti+sit": 1, "rti": 1, "sit": 1}
    assert shared["methods"]["sit"] == {"bugs": 2, "alone": 1}


def test_labels_say_which_output_is_wrong_and_carry_several_kinds() -> None:
    first = Label("i", "bug", "ann", "t", "negation", "", "", "follow-up", ("number",))
    second = Label("i", "bug", "bob", "t", "negation", "", "", "follow-up")
    assert first.kinds == ("negation", "number")
    said = join_labels([first, second])
    assert (said.kind, said.wrong, said.kinds) == ("negation", "follow-up", ("negation", "number"))
    verdict = Verdict("1", "violated", score=2.0, threshold=1.0)
    items = [LabelledCase("1", "sit", "1", "issue", verdict, said), item("sit", "2")]
    found = labelled.method_figures(items, 2, 0, 3)
    assert found["wrong"] == {"original": 0, "follow-up": 1, "both": 0, "unsaid": 1}
    assert found["several_kinds"] == {"1": 1, "2": 1} and list(found["top"]) == ["1", "2", "3"]
    assert labelled.kinds(items) == {
        "negation": {"sit": 1}, "number": {"sit": 1}, "words missing": {"sit": 1},
    }  # fmt: skip
    assert labelled.overlap(items)["bugs"] == 3
