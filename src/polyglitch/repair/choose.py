"""Which of several translations to believe: the one that agrees most with the others, or the likeliest."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rapidfuzz.distance import Indel

from polyglitch.protocols import Inspection
from polyglitch.repair.transfer import cut


def consistency(outputs: Sequence[str]) -> list[float]:
    """For each output its mean similarity to the others, word by word: cross-reference."""
    texts = [[word.text.lower() for word in cut(output)] for output in outputs]
    return [
        sum(Indel.normalized_similarity(text, other) for other in texts[:n] + texts[n + 1 :])
        / max(len(texts) - 1, 1)
        for n, text in enumerate(texts)
    ]


def likelihood(inspections: Sequence[Inspection]) -> list[float]:
    """For each output the mean log probability of its tokens, as a white box gives them."""
    return [
        sum(math.log(max(float(p), 1e-9)) for p in each.probabilities)
        / max(len(each.probabilities), 1)
        for each in inspections
    ]


def ranked(scores: Sequence[float], original: int = 0) -> list[int]:
    """Places by score, the highest first; the original wins a tie."""
    return sorted(range(len(scores)), key=lambda n: (-round(scores[n], 9), n != original, n))
