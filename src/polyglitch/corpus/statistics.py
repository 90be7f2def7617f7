"""What papers print of a corpus: texts, words a text (least, most, mean, median), all and distinct words."""

from __future__ import annotations

import re
from collections import Counter
from statistics import median
from typing import Any

from polyglitch.corpus.read import Corpus
from polyglitch.languages import language as language_of

WORD = re.compile(r"\w+(?:['’-]\w+)*")
MOST_LABELS = 20  # different labels that are listed, the most common first


class Lengths:
    """Counts of words, text by text."""

    def __init__(self) -> None:
        self._counts: list[int] = []
        self._vocabulary: set[str] = set()

    @property
    def count(self) -> int:
        """How many texts there were."""
        return len(self._counts)

    def add(self, words: list[str]) -> None:
        """Count the words of one more text."""
        self._counts.append(len(words))
        self._vocabulary.update(word.lower() for word in words)

    def figures(self) -> dict[str, Any] | None:
        """Words a text and in all; nothing without any text."""
        if not self._counts:
            return None
        return {
            "least": min(self._counts),
            "most": max(self._counts),
            "mean": round(sum(self._counts) / len(self._counts), 2),
            "median": median(self._counts),
            "words": sum(self._counts),
            "distinct_words": len(self._vocabulary),
        }


def corpus_statistics(corpus: Corpus) -> dict[str, Any]:
    """The figures of a corpus as plain data; words are runs of letters and digits, or signs where none are parted."""
    texts, contexts = Lengths(), Lengths()
    distinct: set[int] = set()  # hashes: a corpus may be larger than memory should be
    labels: Counter[str] = Counter()
    for seed in corpus:
        item = seed.input
        texts.add(words_of(item.text, item.language))
        distinct.add(hash(item.text))
        if item.context:
            contexts.add(words_of(item.context, item.language))
        if seed.label is not None:
            labels[str(seed.label)] += 1
    return {
        "texts": texts.count,
        "distinct_texts": len(distinct),
        "text": texts.figures(),
        "context": contexts.figures(),
        "labels": dict(labels.most_common(MOST_LABELS)),
        "skipped": {row.reason: row.count for row in corpus.skipped},
    }


def words_of(text: str, language: str | None) -> list[str]:
    """The words of a text; its signs in a language that puts no blanks between words."""
    if language and not language_of(language).spaced:
        return [sign for sign in text if sign.isalnum()]
    return WORD.findall(text)
