"""Suites made elsewhere: every form gives the same rows, and what is left out is counted."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from polyglitch.corpus.read import open_corpus
from polyglitch.corpus.suites import SuiteRow, read_suite
from polyglitch.errors import UsageError

ROWS = [
    SuiteRow("This is fine.", "positive", "Vocabulary"),
    SuiteRow("So so.", "neutral", "Negation"),
]


VOCABULARY = {"data": ["This is fine."], "labels": 2}
NEGATION = {"data": [["So so.", "So."]], "labels": [1]}
LIST = [
    {"text": "This is fine.", "label": "positive", "capability": "Vocabulary"},
    {"text": "So so.", "label": 1, "test_name": "Negation"},
    {"text": "", "label": 1},
]
TABLE = "text,label,capability\nThis is fine.,positive,Vocabulary\nSo so.,neutral,Negation\n,x,y\n"
HATECHECK = (
    ",functionality,test_case,label_gold\n"
    "0,Vocabulary,This is fine. ,positive\n1,Negation,So so.,neutral\n2,n,,x\n"
)
EMPTY = {"data": [""], "labels": 1}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", TABLE),
        ("hc.csv", HATECHECK),
        ("s.json", json.dumps({"Vocabulary": VOCABULARY, "Negation": NEGATION, "x": EMPTY})),
        ("l.json", json.dumps(LIST)),
        ("t.txt", "# Vocabulary\n2\tThis is fine.\n# Negation\n1\tSo so.\n1\t \n"),
    ],
)
def test_every_form(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    skipped: Counter[str] = Counter()
    assert list(read_suite(tmp_path / name, skipped, numbered=True)) == ROWS
    assert skipped == {"empty text": 1}


def test_a_table_without_labels_says_what_it_looked_for(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text,lable\nx,y\n")
    with pytest.raises(UsageError, match="did you mean 'lable'"):
        list(read_suite(tmp_path / "a.csv", Counter()))


def test_fasttext_lines_have_their_label(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("__label__4\tA good film .\nNo label here .\n")
    assert [(s.label, s.input.text) for s in open_corpus(str(tmp_path / "a.txt"))] == [
        ("4", "A good film ."),
        (None, "No label here ."),
    ]


def test_hatecheck_is_read_whole(shared_data: Path) -> None:
    rows = list(read_suite(shared_data / "hate/hatecheck_cases.csv.gz", Counter()))
    assert len(rows) == 3728
    assert Counter(row.label for row in rows) == {"hateful": 2563, "non-hateful": 1165}
    assert len({row.capability for row in rows}) == 29
