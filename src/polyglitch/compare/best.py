"""The best score of a metric over all pairs of two texts' variants, for the similarity oracle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import LCSseq, Levenshtein
from rapidfuzz.process import cdist

from polyglitch.compare import bleu
from polyglitch.compare.tfidf import Frequencies, cosine

Variants = Sequence[list[str]]  # the whole text first, then the text without one block each
Best = Callable[[Variants, Variants], float]


def longer_lengths(a: Variants, b: Variants) -> npt.NDArray[np.int64]:
    """For each pair the length of the longer; 1 where both are empty, so that it can divide."""
    rows, columns = np.array([len(x) for x in a]), np.array([len(y) for y in b])
    longer: npt.NDArray[np.int64] = np.maximum(np.maximum.outer(rows, columns), 1)
    return longer


def best_lcs(a: Variants, b: Variants) -> float:
    """The highest LCS similarity."""
    distances = cdist(a, b, scorer=LCSseq.distance, dtype=np.int32)
    # As a distance it is the longer length less the common one, and 0 for two empty lists, which
    # are alike.
    longer = longer_lengths(a, b)
    return float(((longer - distances) / longer).max())


def best_ed(a: Variants, b: Variants) -> float:
    """The highest edit similarity."""
    distances = cdist(a, b, scorer=Levenshtein.distance, dtype=np.int32)
    return float((1 - distances / longer_lengths(a, b)).max())


def best_bleu(a: Variants, b: Variants) -> float:
    """The highest smoothed BLEU on the units as they are."""
    first, second = [bleu.grams(x) for x in a], [bleu.grams(y) for y in b]
    return max(bleu.smoothed_bleu(x, y) for x, y in product(first, second))


def best_published_bleu(a: Variants, b: Variants) -> float:
    """The highest BLEU on units cut again by mteval's rules, rounded as published."""
    return bleu.single_precision(
        best_bleu([bleu.mteval(x) for x in a], [bleu.mteval(y) for y in b])
    )


def best_tfidf(a: Variants, b: Variants) -> float:
    """The highest TF-IDF cosine, the frequencies fitted on the two whole texts alone.

    So a verdict depends on its trial and nothing else: the same however trials are batched or a run
    is resumed. The table of frequencies behind the published figures was never released.
    """
    known = Frequencies((a[0], b[0]))
    first, second = [known.vector(x) for x in a], [known.vector(y) for y in b]
    return max(cosine(x, y) for x, y in product(first, second))


INTENDED: dict[str, Best] = {
    "lcs": best_lcs,
    "ed": best_ed,
    "tfidf": best_tfidf,
    "bleu": best_bleu,
}
PUBLISHED: dict[str, Best] = {**INTENDED, "bleu": best_published_bleu}
