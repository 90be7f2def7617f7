"""`gri`: words whose change moves the loss of the system's output most, by its gradients.

Shao: Towards Effectively Testing Sequence-to-Sequence Models from White-Box Perspectives, Waterloo 2024. The gradient
is that of the system's own output, or of a reference where the seed brings one (`reference` in its row).
"""

from __future__ import annotations

import numpy as np

from polyglitch.rank.words import Ranking, from_tokens


def gradient_norm() -> Ranking:
    """The largest gradient norm among the pieces of a word: GRI as published."""
    return from_tokens(lambda seen: seen.gradients, np.max)


def gradient_times_input() -> Ranking:
    """The size of gradient times input, summed over the pieces of a word."""
    return from_tokens(lambda seen: seen.salience, np.sum)
