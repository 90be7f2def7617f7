"""Of the words that fit, those that mean something else: by opposites, by the sentence, and by WordNet alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from polyglitch.errors import Missing
from polyglitch.nlp.embedders import sentence_vectors
from polyglitch.nlp.lexicons.words import dictionary_folder, open_wordnet
from polyglitch.nlp.models import downloads
from polyglitch.nlp.parsers.choose import open_spacy
from polyglitch.nlp.proposers import in_context
from polyglitch.nlp.proposers import in_context as unlike
from polyglitch.nlp.proposers.in_context import DifferentMeaningProposer, open_unlike
from polyglitch.records import Candidate, Slot

TEXT = "The company was in the majority every summer."


class Fixed:
    """A proposer that always has the same words."""

    signature = "fixed"

    def __init__(self, *words: str) -> None:
        self._words = words

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        return [[Candidate(word, 1.0) for word in self._words][:top] for _ in slots]


class Alike:
    """Words in context whose likeness is known beforehand."""

    signature, limit = "alike", 0.35

    def __init__(self, **cosines: float) -> None:
        self._cosines = cosines

    def likeness(self, pairs: Sequence[tuple[Any, Any]]) -> list[float]:
        return [self._cosines[text[start:end]] for _, (text, start, end) in pairs]


def slot(word: str) -> Slot:
    parse = open_spacy("en").parse([TEXT])[0]
    return Slot(parse, [token.text for token in parse.tokens].index(word))


def words(proposer: DifferentMeaningProposer, word: str) -> list[str]:
    return [one.word for one in proposer.propose([slot(word)], 10)[0]]


def test_what_the_sentence_makes_as_good_is_left_out() -> None:
    context: Any = Alike(firm=0.75, team=0.29, president=0.06)
    proposer = DifferentMeaningProposer(Fixed("firm", "team", "president"), context, None)
    assert words(proposer, "company") == ["president", "team"]  # the least alike first
    assert "alike<0.35" in proposer.signature


def test_opposites_are_let_in_however_alike_they_look() -> None:
    if dictionary_folder() is None:
        pytest.skip("WordNet is not installed: apt-get install wordnet-base")
    context: Any = Alike(minority=0.66, bulk=0.1, team=0.3)
    proposer = DifferentMeaningProposer(Fixed("bulk", "team", "minority"), context, open_wordnet())
    assert words(proposer, "majority") == ["minority", "team"]  # bulk is a synonym
    alone = DifferentMeaningProposer(Fixed("winter", "minority", "water"), None, open_wordnet())
    assert words(alone, "summer") == ["minority", "water"]  # winter is a season too


@pytest.fixture
def nothing_fetched(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Neither WordNet nor MiniLM is there."""
    monkeypatch.setattr(unlike, "dictionary_folder", lambda: None)
    for module in (unlike, in_context, downloads):
        monkeypatch.setattr(module, "data_folder", lambda name: None)
    caches = (in_context.open_words_in_context, sentence_vectors.open_minilm)
    for one in caches:
        one.cache_clear()
    yield
    for one in caches:
        one.cache_clear()


@pytest.mark.usefixtures("nothing_fetched")
def test_without_a_judge_it_says_what_brings_one() -> None:
    with pytest.raises(Missing, match="get minilm") as lacks:
        open_unlike.__wrapped__("en", "neutral")
    assert lacks.value.exit_code == 2


@pytest.mark.usefixtures("nothing_fetched")
def test_with_word_vectors_alone_they_judge_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    alike = {"firm": 0.8, "table": 0.1}

    class Vectors:
        signature = "vectors"

        def __contains__(self, word: str) -> bool:
            return word in alike or word == "company"

        def likeness(self, words: Sequence[str], others: Sequence[str]) -> Any:
            return np.array([[alike[other] for other in others] for _ in words])

    monkeypatch.setattr(in_context, "lacking", lambda name: [])
    monkeypatch.setattr(in_context, "open_vectors", lambda language: Vectors())
    monkeypatch.setattr(unlike.registry, "load", lambda *_: lambda language: Fixed("firm", "table"))
    proposer = open_unlike.__wrapped__("en", "fixed")
    assert words(proposer, "company") == ["table"]
    assert "get minilm (84 MB, Apache-2.0)" in caplog.text
