"""`wali`: words from which the system made the output tokens it was least sure of.

Shao: Towards Effectively Testing Sequence-to-Sequence Models from White-Box Perspectives, Waterloo 2024. The published
rank aligns an output token to the one source token that it attends to most. Here, by default, the doubt of a token and
of its neighbours is shared out over the source as its attention is: a changed word moves agreement and order beside
its own translation too.
"""

from __future__ import annotations

import numpy as np

from polyglitch.protocols import Floats, Inspection
from polyglitch.rank.words import Ranking, from_tokens


def doubt_around() -> Ranking:
    """The doubts of the output tokens and their neighbours, weighted by their attention to a word."""
    return from_tokens(shared_doubts, np.sum)


def least_sure() -> Ranking:
    """One minus the lowest probability among the output tokens aligned to a word, or 0 without any."""
    return from_tokens(greatest_doubts, np.max)


def shared_doubts(seen: Inspection) -> Floats:
    """For each source token, its share of the doubts in the output, each with those beside it."""
    doubts = np.pad(1 - seen.probabilities, 1)
    around = doubts[:-2] + doubts[1:-1] + doubts[2:]
    return np.asarray(around @ seen.attention, np.float32)


def greatest_doubts(seen: Inspection) -> Floats:
    """For each source token, the greatest doubt among the output tokens aligned to it."""
    doubts = np.zeros(len(seen.source_spans), np.float32)
    words = np.array([end > start for start, end in seen.source_spans], bool)
    if doubts.size and seen.probabilities.size:
        aligned = seen.attention.argmax(-1)
        # What looks at the end of the sentence, as its own end does, comes from no word.
        sure = ~words[aligned]
        np.maximum.at(doubts, aligned, np.where(sure, 0, 1 - seen.probabilities))
    return doubts
