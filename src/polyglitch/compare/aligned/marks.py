"""Which words of both outputs to mark: as people mark them, phrases and their counterparts, not stray little words.

Read off the marks that people set in violated pairs: they mark the words that carry meaning, what stands for them in
the other output too, and small words only inside a phrase ("school of thought").
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from polyglitch.compare.aligned.evidence import CLOSE
from polyglitch.compare.aligned.links import NONE, Linked, Side
from polyglitch.compare.aligned.pairing import Pairing

LIGHT = frozenset({"function", "mark"})
Chances = Sequence[
    dict[int, float]
]  # for both outputs each changed word's chance of being at fault

# Shares of the worst word's chance; chosen on the marks of the four methods other than CAT (recipes/oracle_tokens.py).
SMALL = 1.0  # a function word or mark is marked by itself only if it is the worst
COUNTERPART = 0.15  # what stands for a marked word in the other output needs only this
GAP = 2  # changed words between two marked ones of a block that are marked with them


def marked(linked: Linked, pairing: Pairing, chances: Chances, share: float) -> list[set[int]]:
    """The places at fault in both outputs."""
    worst = max((chance for side in chances for chance in side.values()), default=0.0)
    found: list[set[int]] = [set(), set()]
    for number, (side, _) in enumerate(linked.sides):
        for at, chance in chances[number].items():
            light = side.output.words[at].kind in LIGHT
            if chance >= (SMALL if light else share) * worst:
                found[number].add(at)
    partners = (pairing.partner, pairing.turned().partner)
    for number, places in enumerate([sorted(places) for places in found]):
        side, other = linked.sides[number]
        for at in places:
            for place in counterparts(side, other, at, partners[number]):
                heavy = other.output.words[place].kind not in LIGHT
                if heavy and chances[1 - number].get(place, -1.0) >= COUNTERPART * worst:
                    found[1 - number].add(place)
    return [closed(places, set(changed)) for places, changed in zip(found, chances, strict=True)]


def counterparts(
    side: Side, other: Side, at: int, partner: dict[int, tuple[int, float]]
) -> set[int]:
    """Words of the other output that stand for a word: its partner, and what translates the same source word."""
    found = {partner[at][0]} if at in partner else set()
    kept = np.array([match != NONE for match in side.source_match], bool)
    if kept.any() and len(other.behind):
        anchor = int(np.argmax(np.where(kept, side.behind[at], -1.0)))
        if side.behind[at, anchor] >= CLOSE:
            column = other.behind[:, side.source_match[anchor]]
            found |= {int(place) for place in np.flatnonzero(column >= CLOSE)}
    return found


def closed(places: set[int], changed: set[int]) -> set[int]:
    """With the few changed words that stand between two marked ones."""
    ordered = sorted(places)
    found = set(places)
    for one, other in pairwise(ordered):
        between = set(range(one + 1, other))
        if len(between) <= GAP and between <= changed:
            found |= between
    return found
