"""Sentences to insert: complete, near the question, and no answer to it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from polyglitch.mutate.qa.material import about_the_same, answers_it, tidied
from polyglitch.nlp.embedders.sentence_vectors import SentenceIndex, open_index
from polyglitch.nlp.sentences import split_sentences
from polyglitch.records import Input, Seed


def test_text_is_split_where_sentences_end() -> None:
    text = 'Dr. Brun came at 5 p.m. on Monday. "Who is it?" she asked. The U.S. team won. It ended'
    assert split_sentences(text, "en") == [
        "Dr. Brun came at 5 p.m. on Monday.",
        '"Who is it?" she asked.',
        "The U.S. team won.",
        "It ended",
    ]


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("However, the bridge (built in 1934) is closed today.", "The bridge is closed today."),
        (
            "The old bridge carries two railway tracks.",
            "The old bridge carries two railway tracks.",
        ),
        ("He left the town in the same year.", None),  # who?
        ("This was the end of the matter there.", None),
        ("The bees, the wasps and the ants sleep.", None),  # a list would fall apart after "that"
        ("Is the bridge closed to all traffic?", None),
        ("The bridge.", None),
        ("A teacher took them to the river bank.", None),
    ],
)
def test_a_sentence_must_stand_by_itself(sentence: str, kept: str | None) -> None:
    assert tidied(sentence) == kept


def test_a_sentence_with_the_answer_is_recognised() -> None:
    seed = Seed("1", Input("How much is it?", "c"), "four euros", data={"aliases": ["4 euros"]})
    assert answers_it("Children pay Four Euros there.", seed)
    assert answers_it("It costs 4 euros.", seed)
    assert not answers_it("It costs twenty-four pounds.", seed)
    assert not answers_it("No dogs come in.", Seed("1", Input("Is it?", "c"), "no"))


def test_rows_of_one_article_are_not_strangers() -> None:
    seed = Seed("1", Input("a?", "one", "Honey"))
    assert about_the_same(seed, Seed("2", Input("b?", "two", "Honey")))
    assert about_the_same(seed, Seed("2", Input("b?", "one", "Other")))
    assert not about_the_same(seed, Seed("2", Input("b?", "two", "Other")))
    assert not about_the_same(Seed("1", Input("a?", "x")), Seed("2", Input("b?", "y")))


def test_the_index_finds_what_a_slow_search_finds() -> None:
    draw = np.random.default_rng(3)
    vectors = draw.normal(size=(500, 16)).astype(np.float32)
    queries = draw.normal(size=(70, 16)).astype(np.float32)
    for query, found in zip(queries, SentenceIndex(vectors).search(queries, 5), strict=True):
        slow = sorted(((float(query @ row), -n) for n, row in enumerate(vectors)), reverse=True)
        assert [place for place, _ in found] == [-n for _, n in slow[:5]]
    assert SentenceIndex(vectors[:2]).search(queries[:1], 5)[0].__len__() == 2
    assert SentenceIndex(vectors[:0]).search(queries[:1], 5) == [[]]


class Counting:
    """An embedder that counts what it is asked for."""

    signature = "counting-1"
    texts = 0

    def embed(self, texts):  # type: ignore[no-untyped-def]
        self.texts += len(texts)
        return np.ones((len(texts), 4), np.float32)


def test_sentences_are_encoded_once_for_all_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLYGLITCH_CACHE", str(tmp_path))
    embedder = Counting()
    first = open_index(["a", "b"], embedder)
    again = open_index(["a", "b"], embedder)
    assert embedder.texts == 2 and np.array_equal(first.vectors, again.vectors)
    open_index(["a", "c"], embedder)
    assert embedder.texts == 4  # other sentences are another index
