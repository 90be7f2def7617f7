"""Self-BLEU: the fast way gives the numbers of the plain way, and of NLTK."""

from __future__ import annotations

import math
import warnings
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyglitch.evaluate.diversity import each_self_bleu, self_bleu

SENTENCE = st.lists(st.sampled_from("abcde"), min_size=1, max_size=9)


def plain_bleu(references: list[list[str]], tokens: list[str]) -> float:
    """By the definition, comparing with every reference."""
    logs = []
    for n in (1, 2, 3):
        own = Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
        best: Counter[tuple[str, ...]] = Counter()
        for reference in references:
            best |= Counter(tuple(reference[i : i + n]) for i in range(len(reference) - n + 1))
        matched = sum(min(count, best[gram]) for gram, count in own.items())
        if n == 1 and not matched:
            return 0.0
        logs.append(math.log((matched or 0.1) / max(own.total(), 1)) / 3)
    nearest = min((abs(len(r) - len(tokens)), len(r)) for r in references)[1]
    penalty = 1.0 if len(tokens) > nearest else math.exp(1 - nearest / len(tokens))
    return penalty * math.exp(math.fsum(logs))


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(SENTENCE, min_size=2, max_size=12))
def test_the_fast_way_is_the_plain_way(sentences: list[list[str]]) -> None:
    for number, score in enumerate(each_self_bleu(sentences)):
        rest = sentences[:number] + sentences[number + 1 :]
        assert score == pytest.approx(plain_bleu(rest, sentences[number]), abs=1e-12)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.lists(SENTENCE, min_size=2, max_size=8))
def test_nltk_agrees(sentences: list[list[str]]) -> None:
    bleu = pytest.importorskip("nltk.translate.bleu_score")
    smooth = bleu.SmoothingFunction().method1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, score in enumerate(each_self_bleu(sentences)):
            rest = sentences[:number] + sentences[number + 1 :]
            theirs = bleu.sentence_bleu(rest, sentences[number], (1 / 3,) * 3, smooth)
            assert score == pytest.approx(float(theirs), abs=1e-12)


def test_the_same_sentence_twice_is_all_repetition() -> None:
    assert self_bleu([["a", "b", "c", "d"]] * 2) == 1.0
    assert self_bleu([["a", "b", "c"], ["d", "e", "f"]]) == 0.0
    assert self_bleu([["a", "b", "c"]]) == 0.0
