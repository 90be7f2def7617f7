"""Answers are compared by what they say; what cannot be told is undecided, with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from polyglitch.compare.oracles.answers import by_rules, same_answer
from polyglitch.records import Case, Input, Output, Trial, Verdict
from polyglitch.represent.claims.answer_text import polarity, read, says_nothing
from polyglitch.systems.answers import refuses
from polyglitch.tools import Toolbox

PAIRS = [
    line.split("\t")
    for line in (Path(__file__).parent / "answer_pairs.tsv").read_text("utf-8").splitlines()
]
# Read one by one: rows of QAAskeR's labelled violations whose two answers say the same after all.
SAID_THE_SAME = {
    ("boolq", 25), ("boolq", 55), ("boolq", 91), ("boolq", 97), ("squad2", 57), ("squad2", 94),
    ("NarrativeQA", 55), ("NarrativeQA", 78),
}  # fmt: skip


def trial(*answers: str, relation: str = "same answer", **fields: object) -> Trial:
    """A trial with these answers, one an input."""
    inputs = tuple(Input(f"q{n}", "c", language="en") for n in range(len(answers)))
    case = Case("1", "s", relation, inputs, **fields)  # type: ignore[arg-type]
    return Trial(case, tuple((Output(text),) for text in answers))


def judge(*trials: Trial, threshold: float = 0.76) -> list[Verdict]:
    """The verdicts of the oracle, with the real embedder."""
    return same_answer(threshold=threshold)(list(trials), Toolbox())


def f_score(truth: Sequence[bool], found: Sequence[bool]) -> float:
    """F for "the answers differ in meaning"."""
    hits = sum(t and f for t, f in zip(truth, found, strict=True))
    return 2 * hits / (sum(truth) + sum(found))


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("Yes.", "yes"),
        ("yes, it does", "yes"),
        ("**No**, it is not.", "no"),
        ("The answer is: no", "no"),
        ("The answer is not true. Dogs stay outside.", "no"),
        ("True", "yes"),
        ("No answer", None),
        ("no sequels", None),
        ("northern", None),
        ("Yesterday", None),
        ("I think yes", "yes"),
    ],
)
def test_a_yes_is_a_yes_however_it_is_said(text: str, side: str | None) -> None:
    assert polarity(text) == side


def test_numbers_dates_and_negation_are_read() -> None:
    assert read("about thirty-five grams").numbers == read("35 g").numbers == {35}
    assert read("two thousand and five").numbers == {2005}
    assert read("1,200.5 km").numbers == {1200.5}
    assert read("half a million").numbers == {500_000}
    assert read("the sixth season").numbers == {6}
    assert read("on May 3rd, 1912").date == read("1912-05-03").date == (1912, 5, 3)
    assert read("He did not go").negated and not read("He went").negated


def test_saying_nothing_and_refusing_are_told_apart() -> None:
    assert says_nothing("Not mentioned in the passage.") and says_nothing("no answer>")
    assert not says_nothing("a nun") and not says_nothing("four euros")
    assert refuses("I'm sorry, but I can't help with that.") and not refuses("Sorrento")


@pytest.mark.needs("torch")
def test_hand_written_pairs_are_told_apart() -> None:
    verdicts = judge(*(trial(one, other) for _, one, other in PAIRS))
    truth = [label == "differ" for label, _, _ in PAIRS]
    assert f_score(truth, [v.outcome == "violated" for v in verdicts]) >= 0.95


@pytest.mark.needs("torch", "openpyxl")
def test_published_violations_of_qaasker(shared_data: Path) -> None:
    import openpyxl

    book = openpyxl.load_workbook(shared_data / "qa" / "labelled_answers_qaasker.xlsx")
    rows = [
        (sheet.title, number, str(cells[3]), str(cells[4]))
        for sheet in book
        for number, cells in enumerate(list(sheet.iter_rows(values_only=True))[1:])
    ]
    verdicts = judge(*(trial(old, new) for _, _, old, new in rows))
    truth = [(sheet, number) not in SAID_THE_SAME for sheet, number, _, _ in rows]
    assert len(rows) == 300
    assert f_score(truth, [v.outcome == "violated" for v in verdicts]) >= 0.90


def test_the_whole_is_yes_only_if_both_parts_are() -> None:
    told = [
        ("yes", "Yes.", "yes"),
        ("yes", "no", "yes"),
        ("yes", "no", "No."),
        ("blue", "no", "no"),
    ]
    verdicts = judge(*(trial(*answers, relation="yes if both are") for answers in told))
    assert [v.outcome for v in verdicts] == ["holds", "violated", "holds", "undecided"]


def test_who_gave_an_answer_must_stand_by_it() -> None:
    claims = {"claims": ["Agnes Lindqvist", "Lindqvist"]}
    verdicts = judge(
        trial("Lindqvist", "yes", relation="stands by it", data=claims),
        trial("Agnes Lindqvist.", "No.", relation="stands by it", data=claims),
        trial("no answer", "no", relation="stands by it", data=claims),
        trial("no answer", "yes", relation="stands by it", data=claims),
        trial("yes", "no", relation="opposite answer"),
        trial("yes", "yes", relation="opposite answer"),
    )
    assert [v.outcome for v in verdicts] == [
        "holds",
        "violated",
        "holds",
        "violated",
        "holds",
        "violated",
    ]
    assert "'yes' was to be expected, 'No.' came" in verdicts[1].reasons[0]


def test_the_truth_is_what_counts_where_it_is_given() -> None:
    expected = ("four euros", "€4")
    verdicts = judge(
        trial("five euros", "4 euros", expected=expected),
        trial("4 euros", "five euros", expected=expected),
    )
    assert [v.outcome for v in verdicts] == ["holds", "violated"]


def test_undecided_says_why() -> None:
    failed = Trial(trial("a", "b").case, ((Output("a"),), (Output(status="timeout"),)))
    said = judge(trial("yes", "  "), trial("I'm sorry, no.", "yes"), failed)
    assert [v.reason for v in said] == [
        "an answer is empty",
        "the system declined to answer the first question",
        "timeout",
    ]
    assert {v.outcome for v in said} == {"undecided"}


def test_who_answers_first_must_not_decline_later() -> None:
    (declined,) = judge(trial("yes", "I'm sorry, no."))
    assert declined.outcome == "violated"
    assert "declined the last question" in declined.reason


def test_a_label_is_the_answer_of_a_system_that_chooses() -> None:
    case = trial("x", "y").case
    chosen = tuple((Output(label=label, scores={"yes": 0.5}),) for label in ("yes", "no"))
    assert judge(Trial(case, chosen))[0].outcome == "violated"


def test_rules_are_the_same_both_ways() -> None:
    for _, one, other in PAIRS:
        assert by_rules(one, other).same == by_rules(other, one).same


def test_a_sure_wrong_answer_is_worse_than_a_wavering_one() -> None:
    first = Output("no", label="no", scores={"no": 0.9, "yes": 0.1})
    case = Case("1", "s", "same answer", tuple(Input(f"q{n}", "c", language="en") for n in (1, 2)))
    sure, wavering = (
        Trial(case, ((first,), (Output("yes", label="yes", scores={"yes": p, "no": 1 - p}),)))
        for p in (0.95, 0.55)
    )
    worse, better = judge(sure, wavering)
    assert worse.outcome == better.outcome == "violated"
    assert worse.severity > better.severity > 0


def test_false_to_a_question_whether_it_is_false_tells_nothing() -> None:
    torn, clear = judge(
        trial("No, it was not.", "False. It was not lost.", relation="opposite answer"),
        trial("No, it was not.", "No, it is true.", relation="opposite answer"),
    )
    assert torn.outcome == "undecided" and "either" in torn.reason
    assert clear.outcome == "violated"
