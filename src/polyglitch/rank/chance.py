"""`random`: words in an order drawn from the campaign's seed, the baseline of every other rank."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from polyglitch.protocols import Floats, Parse, Tools
from polyglitch.rank.words import NEVER, Look, Ranking, no_scores, rankable
from polyglitch.records import Seed


def by_chance() -> Ranking:
    """A number between 0 and 1 for each word, the same in every run with the same seed."""

    def rank(
        seeds: Sequence[Seed], parses: Sequence[Parse], look: Look, tools: Tools
    ) -> list[Floats]:
        return [draw(parse, tools.seed) for parse in parses]

    return rank


def unranked() -> Ranking:
    """Every word alike: what `none` stands for, where a rank has to be named."""

    def rank(
        seeds: Sequence[Seed], parses: Sequence[Parse], look: Look, tools: Tools
    ) -> list[Floats]:
        return [no_scores(parse) for parse in parses]

    return rank


def draw(parse: Parse, seed: int) -> Floats:
    """The scores of one sentence; of its text and the seed, and of nothing else."""
    stream = Random(f"{seed}:{parse.text}")  # noqa: S311 - a draw of tests, not a secret
    drawn = [(stream.random(), word) for word in parse.tokens]
    return np.array([score if rankable(word) else NEVER for score, word in drawn], np.float32)
