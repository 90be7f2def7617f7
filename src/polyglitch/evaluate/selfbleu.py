"""Self-BLEU: how much a set of sentences repeats itself, the mean BLEU of each against all the others.

The reference of every sentence is the rest of the set, so its clipped counts follow from the two highest counts of each
n-gram over the set: one pass gives them all, where the plain way compares every sentence with every other.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

EPSILON = 0.1  # what an empty precision counts as: NLTK's smoothing method 1


def self_bleu(sentences: Sequence[Sequence[Hashable]], order: int = 3) -> float:
    """The mean over sentences of tokens, as NLTK's sentence_bleu with uniform weights and method 1."""
    scores = each_self_bleu(sentences, order)
    return sum(scores) / len(scores) if scores else 0.0


def each_self_bleu(sentences: Sequence[Sequence[Hashable]], order: int = 3) -> list[float]:
    """The BLEU of every sentence against all others."""
    if len(sentences) < 2:
        return [0.0] * len(sentences)
    counts = [[_grams(tokens, n) for tokens in sentences] for n in range(1, order + 1)]
    highest = [_two_highest(rows) for rows in counts]
    lengths = sorted(map(len, sentences))
    return [
        _bleu(
            len(tokens),
            _closest(lengths, len(tokens)),
            [_matches(counts[n][number], highest[n]) for n in range(order)],
        )
        for number, tokens in enumerate(sentences)
    ]


def _grams(tokens: Sequence[Hashable], n: int) -> Counter[Hashable]:
    if n == 1:
        return Counter(tokens)
    return Counter(zip(*(tokens[i:] for i in range(n)), strict=False))


def _two_highest(rows: Iterable[Counter[Hashable]]) -> dict[Hashable, tuple[int, int]]:
    """For each n-gram its two highest counts in different sentences."""
    highest: dict[Hashable, tuple[int, int]] = {}
    for row in rows:
        for gram, count in row.items():
            first, second = highest.get(gram, (0, 0))
            if count > first:
                highest[gram] = (count, first)
            elif count > second:
                highest[gram] = (first, count)
    return highest


def _matches(row: Counter[Hashable], highest: dict[Hashable, tuple[int, int]]) -> tuple[int, int]:
    """How many n-grams of a sentence the others have too, and how many it has."""
    matched = 0
    for gram, count in row.items():
        first, second = highest[gram]
        # Where this sentence holds the record, what the others reach is the second highest.
        matched += min(count, second if count == first else first)
    return matched, row.total()


def _closest(lengths: list[int], length: int) -> int:
    """The length nearest to a sentence's own among the others, the shorter of two equally near."""
    place = bisect_left(lengths, length)
    others = lengths[max(place - 1, 0) : place] + lengths[place + 1 : place + 2]
    return min(others, key=lambda other: (abs(other - length), other))


def _bleu(length: int, reference: int, matches: Sequence[tuple[int, int]]) -> float:
    if not matches[0][0]:
        return 0.0
    penalty = 1.0 if length > reference else math.exp(1 - reference / length)
    weight = 1 / len(matches)
    logs = (weight * math.log((matched or EPSILON) / max(total, 1)) for matched, total in matches)
    return penalty * math.exp(math.fsum(logs))
