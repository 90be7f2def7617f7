"""ROUGE: shared words, word pairs and the longest common subsequence, each as F of precision and recall.

Lin: ROUGE, a Package for Automatic Evaluation of Summaries, 2004. Small and capital letters are alike, nothing is
stemmed; F weighs both texts alike, so that neither has to be the reference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from rapidfuzz.distance import LCSseq

from polyglitch.compare.metrics.catalogue import BY_SCRIPT, TextMetric, cut_once, over, similarity

Measure = Callable[[Sequence[str], Sequence[str]], float]


def words(text: str) -> list[str]:
    """The units of a text that have a letter or a digit, in small letters."""
    return [unit for unit in cut_once(text.lower()) if any(sign.isalnum() for sign in unit)]


def f_of(shared: int, first: int, second: int) -> float:
    """F of precision and recall: twice what is shared over both lengths; 1 for two that have nothing to share."""
    return 2 * shared / (first + second) if first + second else 1.0


def of_runs(size: int) -> Measure:
    """ROUGE-N: shared runs of so many words, each as often as both texts have it."""

    def measure(a: Sequence[str], b: Sequence[str]) -> float:
        if list(a) == list(b):
            return 1.0
        one, other = (
            Counter(zip(*(text[n:] for n in range(size)), strict=False)) for text in (a, b)
        )
        if not one and not other:  # both too short to have any, and not the same
            return 0.0
        return f_of((one & other).total(), one.total(), other.total())

    return measure


def longest(a: Sequence[str], b: Sequence[str]) -> float:
    """ROUGE-L: the longest common subsequence."""
    return f_of(LCSseq.similarity(a, b), len(a), len(b))


def rouge(name: str, measure: Measure) -> TextMetric:
    """A ROUGE by what it counts."""
    return similarity(name, f"{BY_SCRIPT}|case:lower|stem:no|f:1", over(words, measure))


rouge_1 = rouge("rouge-1", of_runs(1))
rouge_2 = rouge("rouge-2", of_runs(2))
rouge_l = rouge("rouge-l", longest)
