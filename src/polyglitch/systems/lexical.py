"""Classifiers that install with pip and run at once: `vader`, `textblob`, `profanity`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from importlib.util import find_spec

from polyglitch.errors import Missing, UsageError
from polyglitch.records import Input, Output
from polyglitch.systems.answers import answer, failed

# VADER's authors take a compound score of at least .05 either way for a side; TextBlob names no bound, so the same.
SIDE = 0.05
Classify = Callable[[Sequence[str]], list[tuple[str, dict[str, float]]]]


class LexicalClassifier:
    """A function from texts to labels with scores, as a system."""

    languages: tuple[str | None, str | None] = ("en", None)
    batch_size = 256
    parallel = 1

    def __init__(self, classify: Classify, signature: str) -> None:
        self._classify, self.signature = classify, signature

    def ask(self, inputs: Sequence[Input]) -> list[Output]:
        """Label each input."""
        start = time.perf_counter()
        try:
            found = self._classify([item.text for item in inputs])
        except Exception as error:  # a library's failure is an answer to record
            return [failed(error) for _ in inputs]
        seconds = (time.perf_counter() - start) / max(len(inputs), 1)
        return [answer(each, seconds) for each in found]

    def close(self) -> None:
        """Nothing is held open."""


def by_polarity(value: float) -> tuple[str, dict[str, float]]:
    """A number from -1 to 1 as label and scores."""
    label = "positive" if value >= SIDE else "negative" if value <= -SIDE else "neutral"
    scores = {
        "positive": max(value, 0.0),
        "negative": max(-value, 0.0),
        "neutral": 1.0 - abs(value),
    }
    return label, scores


def open_vader(rest: str, timeout: float) -> LexicalClassifier:
    """VADER's compound score."""
    _check("vaderSentiment", "vader", rest)
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    analyzer = SentimentIntensityAnalyzer()
    return LexicalClassifier(
        lambda texts: [by_polarity(analyzer.polarity_scores(t)["compound"]) for t in texts],
        f"vader|vaderSentiment={version('vaderSentiment')}",
    )


def open_textblob(rest: str, timeout: float) -> LexicalClassifier:
    """TextBlob's polarity."""
    _check("textblob", "textblob", rest)
    from textblob.en import sentiment

    return LexicalClassifier(
        lambda texts: [by_polarity(float(sentiment(text)[0])) for text in texts],
        f"textblob|textblob={version('textblob')}",
    )


def open_profanity(rest: str, timeout: float) -> LexicalClassifier:
    """alt-profanity-check's probability of offence, taken as hate from one half."""
    _check("profanity_check", "profanity", rest)
    from profanity_check import predict_prob

    def classify(texts: Sequence[str]) -> list[tuple[str, dict[str, float]]]:
        chances = [float(each) for each in predict_prob(list(texts))]
        return [
            ("hate" if p >= 0.5 else "non-hate", {"hate": p, "non-hate": 1 - p}) for p in chances
        ]

    return LexicalClassifier(
        classify, f"profanity|alt-profanity-check={version('alt-profanity-check')}"
    )


def _check(module: str, name: str, rest: str) -> None:
    if rest:
        raise UsageError(f"system {name}:{rest}: {name!r} takes nothing after its name")
    if not find_spec(module):
        raise Missing(module, f"the system {name!r}", "pip install 'polyglitch[sentiment]'")
