"""SemMT's baselines that need a model: dependency relations and sentence vectors, both for English."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from polyglitch import registry
from polyglitch.compare.metrics import TextMetric
from polyglitch.compare.structure import count_distance

FURTHEST = 23  # the largest distance in the paper's data, by which it scales


def dependency_similarities(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """One minus the difference of the counts of dependency relations, scaled as published."""
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    parses = registry.load("parsers", "spacy")("en").parse(texts)
    counts = {
        text: Counter(token.relation for token in parse.tokens)
        for text, parse in zip(texts, parses, strict=True)
    }
    return [max(0.0, 1 - count_distance(counts[a], counts[b]) / FURTHEST) for a, b in pairs]


def vector_similarities(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """The cosine of sentence vectors, negative ones as 0."""
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    vectors = registry.load("embedders", "minilm")("en").embed(texts)
    place = {text: index for index, text in enumerate(texts)}
    return [
        1.0 if a == b else min(1.0, max(0.0, float(vectors[place[a]] @ vectors[place[b]])))
        for a, b in pairs
    ]


dep = TextMetric(
    "dep",
    "similarity",
    (0.0, 1.0),
    f"relations:spacy-en|scale:{FURTHEST}",
    True,
    dependency_similarities,
    "spacy",
)
sbert = TextMetric(
    "sbert", "similarity", (0.0, 1.0), "model:all-MiniLM-L6-v2", True, vector_similarities
)
