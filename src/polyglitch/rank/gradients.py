"""`gri`: words whose change moves the loss of the system's output most, by its gradients.

Shao: Towards Effectively Testing Sequence-to-Sequence Models from White-Box Perspectives, Waterloo 2024. The gradient
is that of the system's own output, or of a reference where the seed brings one (`reference` in its row).
"""

from __future__ import annotations

from collections.abc import Sequence

from polyglitch.protocols import Floats, Inspection, Parse, Tools
from polyglitch.rank.words import Look, Ranking, by_word, no_scores
from polyglitch.records import Seed


def gradient_norm() -> Ranking:
    """The largest gradient norm among the pieces of a word: GRI as published."""
    return of_pieces("gradients")


def gradient_times_input() -> Ranking:
    """The size of gradient times input, summed over the pieces of a word."""
    return of_pieces("salience")


def of_pieces(field: str) -> Ranking:
    """Rank by a field of the inspection that has a number a source token."""

    def score(parse: Parse, seen: Inspection | None) -> Floats:
        values: Floats | None = getattr(seen, field) if seen else None
        if seen is None or values is None:
            return no_scores(parse)
        if field == "gradients":
            return by_word(parse, seen, lambda pieces: float(values[pieces].max()))
        return by_word(parse, seen, lambda pieces: float(values[pieces].sum()))

    def rank(
        seeds: Sequence[Seed], parses: Sequence[Parse], look: Look, tools: Tools
    ) -> list[Floats]:
        return [score(parse, seen) for parse, seen in zip(parses, look(seeds), strict=True)]

    return rank
