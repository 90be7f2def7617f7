"""`wali`: words from which the system made the output tokens it was least sure of.

Shao: Towards Effectively Testing Sequence-to-Sequence Models from White-Box Perspectives, Waterloo 2024. Each output
token is aligned to the source token it attends to most; a word is as doubtful as its least probable output token.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from polyglitch.protocols import Floats, Inspection, Parse, Tools
from polyglitch.rank.words import Look, Ranking, by_word, no_scores
from polyglitch.records import Seed


def least_sure() -> Ranking:
    """One minus the lowest probability among the output tokens aligned to a word, or 0 without any."""

    def rank(
        seeds: Sequence[Seed], parses: Sequence[Parse], look: Look, tools: Tools
    ) -> list[Floats]:
        return [doubt(parse, seen) for parse, seen in zip(parses, look(seeds), strict=True)]

    return rank


def doubt(parse: Parse, seen: Inspection | None) -> Floats:
    """The scores of one sentence."""
    if seen is None:
        return no_scores(parse)
    doubts = token_doubts(seen)
    return by_word(parse, seen, lambda pieces: float(doubts[pieces].max()))


def token_doubts(seen: Inspection) -> Floats:
    """For each source token, the greatest doubt among the output tokens aligned to it."""
    doubts = np.zeros(len(seen.source_spans), np.float32)
    words = np.array([end > start for start, end in seen.source_spans], bool)
    if doubts.size and seen.probabilities.size:
        aligned = seen.attention.argmax(-1)
        # What looks at the end of the sentence, as its own end does, comes from no word.
        sure = ~words[aligned]
        np.maximum.at(doubts, aligned, np.where(sure, 0, 1 - seen.probabilities))
    return doubts
