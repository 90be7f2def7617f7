"""Structure distances: raw characters or words, and counts of labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.compare.oracles.two_outputs import (
    count_distance,
    label_count_distance,
    raw_distance,
)
from polyglitch.errors import UsageError
from polyglitch.protocols import Tools
from polyglitch.records import Output

from .materials import MakeTrial

TOOLS: Any = None


def test_raw_distance_counts_every_character_and_ranks_the_larger_change_higher(
    trial: MakeTrial,
) -> None:
    trials = [
        trial("O gato dorme.", "O gato dorme."),
        trial("O gato dorme.", "O rato dorme."),
        trial("O gato dorme.", "Não sei onde dorme o gato."),
        trial("O gato dorme.", Output(status="error", error="HTTP 500")),
    ]
    same, close, far, failed = raw_distance()(trials, TOOLS)
    assert (same.outcome, same.score) == ("holds", 0.0)
    assert (close.outcome, close.score, close.direction) == ("violated", 1.0, "above")
    assert close.reasons == ("'gato' became 'rato'",)
    assert [(span.start, span.end) for span in close.spans] == [(2, 6), (2, 6)]
    assert far.severity > close.severity
    assert (failed.outcome, failed.reason) == ("undecided", "error: HTTP 500")


def test_the_limit_itself_is_allowed_and_words_can_be_counted(trial: MakeTrial) -> None:
    pair = trial("O gato dorme.", "O cachorro late.")
    assert raw_distance(above=2, unit="words")([pair], TOOLS)[0].outcome == "holds"
    assert raw_distance(above=1, unit="words")([pair], TOOLS)[0].score == 2.0
    wrong: Any = "bytes"
    with pytest.raises(UsageError, match="unit='bytes'"):
        raw_distance(unit=wrong)


def test_label_counts_are_compared_and_each_text_is_represented_once(trial: MakeTrial) -> None:
    asked: list[Sequence[str]] = []

    def word_lengths(
        texts: Sequence[str], tools: Tools, language: str | None
    ) -> list[Counter[str]]:
        asked.append(texts)
        assert language == "pt"
        return [Counter(str(len(word)) for word in text.split()) for text in texts]

    oracle = label_count_distance(word_lengths, above=1, language="pt")
    trials = [
        trial("um dois", "um sete"),
        trial("um dois", "oito nove dez"),
        trial("igual", "igual"),
        trial(Output(status="timeout"), "um"),
    ]
    verdicts = oracle(trials, TOOLS)
    assert asked == [["um dois", "um sete", "oito nove dez"]]
    assert [verdict.outcome for verdict in verdicts] == ["holds", "violated", "holds", "undecided"]
    assert [verdict.score for verdict in verdicts] == [0.0, 3.0, 0.0, None]
    assert "representation=word_lengths" in oracle.signature


Labels = st.lists(st.sampled_from(["nsubj", "obj", "det"])).map(Counter)


@given(a=Labels, b=Labels, c=Labels)
def test_count_distance_is_a_distance(a: Counter[str], b: Counter[str], c: Counter[str]) -> None:
    assert count_distance(a, a) == 0
    assert count_distance(a, b) == count_distance(b, a) == ((a - b) + (b - a)).total()
    assert count_distance(a, c) <= count_distance(a, b) + count_distance(b, c)
