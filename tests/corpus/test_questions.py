"""Questions come with their context, title and answer, from every layout they are published in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyglitch.corpus import open_corpus
from polyglitch.errors import UsageError


def test_a_line_of_boolq_is_taken_apart(tmp_path: Path) -> None:
    path = tmp_path / "dev.tsv"
    path.write_text(
        "is tea hot? \\n (Tea (drink)) Tea is served hot. Or cold.\tyes\n"
        "is snow black? \\n Snow is white.\tno\n"
        "who made it? \\n (Box) Nobody knows.\t<no answer>\n"
        "a line of something else\tno\n"
    )
    corpus = open_corpus(str(path))
    seeds = list(corpus)
    first = seeds[0].input
    assert (first.text, first.title, seeds[0].label) == ("is tea hot?", "Tea (drink)", "yes")
    assert first.context == "Tea is served hot. Or cold."
    assert seeds[1].input.title is None
    assert [seed.data["kind"] for seed in seeds] == ["yes/no", "yes/no", "no answer"]
    assert [(row.reason, row.count) for row in corpus.skipped] == [("no context", 1)]


def test_a_table_with_a_header_is_still_a_table(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv"
    path.write_text("question\tcontext\tanswer\nIs tea hot?\tTea is hot.\tyes\n")
    (seed,) = open_corpus(str(path))
    assert (seed.input.text, seed.input.context, seed.label) == (
        "Is tea hot?",
        "Tea is hot.",
        "yes",
    )


def test_squad_gives_a_seed_a_question_with_all_accepted_answers(tmp_path: Path) -> None:
    asked = [
        {"id": "q1", "question": "Who came?", "answers": [{"text": "Ann"}, {"text": "Ann Lee"}]},
        {"id": "q2", "question": "When?", "answers": [], "is_impossible": True},
        {"id": "q3", "question": "Why?", "answers": []},
    ]
    article = {"title": "The_visit", "paragraphs": [{"context": "Ann came.", "qas": asked}]}
    path = tmp_path / "squad.json"
    path.write_text(json.dumps({"version": "v2.0", "data": [article]}))
    corpus = open_corpus(str(path))
    first, second = corpus
    assert (first.id, first.label, first.data["aliases"]) == ("q1", "Ann", ["Ann Lee"])
    assert first.input.title == "The visit"
    # SQuAD 1.1 has no `is_impossible`; a question without any accepted answer is of no use there.
    assert second.data["kind"] == "no answer"
    assert [row.reason for row in corpus.skipped] == ["no accepted answer"]


def test_another_json_file_says_what_was_expected(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text('{"tests": {}, "name": "x"}')
    with pytest.raises(UsageError, match=r"an object with 'tests', 'name'; a list .*SQuAD.*jsonl"):
        list(open_corpus(str(path)))


def test_the_bundled_questions_have_every_kind_and_hold_their_answers() -> None:
    corpus = open_corpus("sample:qa")
    seeds = list(corpus)
    kinds = [seed.data["kind"] for seed in seeds]
    assert len(seeds) >= 40 and corpus.skipped == ()
    assert set(kinds) == {"yes/no", "extractive", "abstractive", "no answer"}
    for seed in seeds:
        assert seed.input.context and seed.input.title and seed.label
        if seed.data["kind"] == "extractive":
            assert seed.label.lower() in seed.input.context.lower()
        if seed.data["kind"] == "yes/no":
            assert seed.label in ("yes", "no")


def test_a_wrong_sample_is_suggested_the_right_one() -> None:
    with pytest.raises(UsageError, match="did you mean 'sample:qa'"):
        open_corpus("sample:q")
