"""TF-IDF cosine between lists of units, the document frequencies fitted on given texts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence


class Frequencies:
    """How many texts hold each unit.

    Smoothed as if one more text held every unit: idf = ln((1 + texts) / (1 + texts with it)) + 1.
    So a unit that all texts hold still counts, and a single pair is enough to fit on.
    """

    def __init__(self, texts: Iterable[Sequence[str]]) -> None:
        counts: Counter[str] = Counter()
        self.texts = 0
        for text in texts:
            self.texts += 1
            counts.update(set(text))
        self.idf = {unit: math.log((1 + self.texts) / (1 + n)) + 1 for unit, n in counts.items()}
        self.unseen = math.log(1 + self.texts) + 1

    def vector(self, units: Sequence[str]) -> dict[str, float]:
        """The weights of a text's units, scaled to length one; nothing for an empty text."""
        idf, unseen = self.idf, self.unseen
        weights = {unit: n * idf.get(unit, unseen) for unit, n in Counter(units).items()}
        norm = math.sqrt(math.fsum(weight * weight for weight in weights.values()))
        return {unit: weight / norm for unit, weight in weights.items()}


def cosine(a: dict[str, float], b: dict[str, float]) -> float:
    """The cosine of two unit vectors: exactly 1 for equal ones, 0 if only one is empty."""
    if a == b:
        return 1.0
    if len(a) > len(b):
        a, b = b, a
    return min(1.0, math.fsum(weight * b[unit] for unit, weight in a.items() if unit in b))
