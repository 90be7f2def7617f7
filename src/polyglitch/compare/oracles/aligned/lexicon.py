"""Which word translates which, learned from the sentences at hand.

IBM Model 1 with a sparse Dirichlet prior and a favour for the diagonal (as in Dyer, Chahuneau, Smith: A Simple,
Fast, and Effective Reparameterization of IBM Model 2, 2013), in both directions. A campaign is thousands of
near-copies, so a word that was swapped in is seen against the same rest: what it translates to stands out. A
dictionary, where there is one, adds to the counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Keys = Sequence[str]
Known = Callable[
    [str, str], float
]  # how sure a dictionary is that target translates source, 0 to 1
Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

ROUNDS = 5
SPARSE = (
    0.01  # the Dirichlet prior: fast_align's, so that rare words do not gather what is left over
)
DIAGONAL = (
    2.0  # half of fast_align's: translations reorder, and word order is what some bugs are about
)
NOWHERE = 0.08  # chance that a word comes from no source word, as in fast_align
TRUST = 4.0  # counts that a sure dictionary entry is worth
UNSEEN = 1e-7
FAINT = 0.05  # links below it say nothing of what a word means
Shown = dict[tuple[tuple[str, ...], tuple[str, ...]], Numbers]  # links of a pair of sentences


class Lexicon:
    """Translation probabilities in both directions, and links of sentences where they are known better."""

    def __init__(
        self,
        forward: dict[tuple[str, str], float],
        back: dict[tuple[str, str], float],
        shown: Shown | None = None,
    ) -> None:
        self._forward, self._back, self._shown = forward, back, shown or {}

    def forward(self, source: str, target: str) -> float:
        """The chance of a target word given a source word."""
        return self._forward.get((source, target), 0.0)

    def back(self, source: str, target: str) -> float:
        """The chance of a source word given a target word."""
        return self._back.get((target, source), 0.0)

    def strength(self, source: str, target: str) -> float:
        """How well two words translate each other: the mean of both directions' chances."""
        return math.sqrt(self.forward(source, target) * self.back(source, target))

    def links(self, source: Keys, target: Keys) -> Numbers:
        """For each target word (row) how likely each source word (column) stands behind it."""
        if not source or not target:
            return np.zeros((len(target), len(source)))
        if (known := self._shown.get((tuple(source), tuple(target)))) is not None:
            return known
        near = diagonal(len(source), len(target))
        ahead = np.array([[self.forward(s, t) for s in source] for t in target]) + UNSEEN
        behind = np.array([[self.back(s, t) for s in source] for t in target]) + UNSEEN
        floor = NOWHERE * 1e-3
        one = ahead * near / ((ahead * near).sum(1, keepdims=True) + floor)
        other = behind * near / ((behind * near).sum(0, keepdims=True) + floor)
        both: Numbers = np.sqrt(one * other)
        return both


def counted(shown: Shown) -> Lexicon:
    """A lexicon from links that are known: how much of a word's links go to each word."""
    pairs: dict[tuple[str, str], float] = {}
    for (source, target), links in shown.items():
        for row, column in zip(*np.nonzero(links >= FAINT), strict=True):
            place = source[column], target[row]
            pairs[place] = pairs.get(place, 0.0) + float(links[row, column])
    ahead: dict[str, float] = {}
    behind: dict[str, float] = {}
    for (one, other), weight in pairs.items():
        ahead[one] = ahead.get(one, 0.0) + weight
        behind[other] = behind.get(other, 0.0) + weight
    forward = {(s, t): weight / ahead[s] for (s, t), weight in pairs.items()}
    return Lexicon(forward, {(t, s): weight / behind[t] for (s, t), weight in pairs.items()}, shown)


def diagonal(source: int, target: int) -> Numbers:
    """Weights of places, the mean of a row about 1: words tend to keep their relative place."""
    rows = (np.arange(target)[:, None] + 0.5) / target
    columns = (np.arange(source)[None, :] + 0.5) / source
    weights: Numbers = np.exp(-DIAGONAL * np.abs(rows - columns))
    result: Numbers = weights / weights.mean(1, keepdims=True)
    return result


def learn(pairs: Iterable[tuple[Keys, Keys]], known: Known | None = None) -> Lexicon:
    """A lexicon from sentences and their translations; repeated pairs count once."""
    distinct = list(dict.fromkeys((tuple(s), tuple(t)) for s, t in pairs if s and t))
    turned = [(target, source) for source, target in distinct]
    back_known = None if known is None else lambda target, source: known(source, target)
    return Lexicon(expect(distinct, known), expect(turned, back_known))


def expect(pairs: Sequence[tuple[Keys, Keys]], known: Known | None) -> dict[tuple[str, str], float]:
    """Chances of target words given source words, by expectation maximisation."""
    if not pairs:
        return {}
    sources, targets = number(side for side, _ in pairs), number(side for _, side in pairs)
    cells, rows, near = lay_out(pairs, sources, targets)
    width = len(targets)
    types, which = np.unique(cells, return_inverse=True)
    of_source = types // width
    prior = dictionary_counts(types, width, list(sources), list(targets), known)
    chance = np.full(len(types), 1.0 / width) + prior
    for _ in range(ROUNDS):
        weight = chance[which] * near
        share = weight / np.bincount(rows, weight)[rows]
        counts = np.bincount(which, share, len(types)) + TRUST * prior
        totals = np.bincount(of_source, counts)
        chance = spread(counts + SPARSE) / spread(totals + SPARSE * width)[of_source]
    names_s, names_t = list(sources), list(targets)
    return {
        (names_s[code // width], names_t[code % width]): float(value)
        for code, value in zip(types.tolist(), chance, strict=True)
        if value > UNSEEN
    }


def number(sides: Iterable[Keys]) -> dict[str, int]:
    """A number for each word; 0 is the empty word from which unaligned words come."""
    found = {"": 0}
    for side in sides:
        for key in side:
            found.setdefault(key, len(found))
    return found


def lay_out(
    pairs: Sequence[tuple[Keys, Keys]], sources: dict[str, int], targets: dict[str, int]
) -> tuple[Places, Places, Numbers]:
    """Every possible link of every sentence in a row: its word pair, its target word, its place's weight."""
    cells: list[Any] = []
    rows: list[Any] = []
    near: list[Any] = []
    width, count = len(targets), 0
    for source, target in pairs:
        s = np.array([0, *(sources[key] for key in source)])
        t = np.array([targets[key] for key in target])
        cells.append((s[None, :] * width + t[:, None]).ravel())
        rows.append(np.repeat(np.arange(count, count + len(t)), len(s)))
        weights = diagonal(len(source), len(target)) * (1 - NOWHERE) / len(source)
        near.append(np.hstack([np.full((len(t), 1), NOWHERE), weights]).ravel())
        count += len(t)
    return np.concatenate(cells), np.concatenate(rows), np.concatenate(near)


def dictionary_counts(
    types: Places, width: int, sources: list[str], targets: list[str], known: Known | None
) -> Numbers:
    """What a dictionary says of each word pair."""
    if known is None:
        return np.zeros(len(types))
    return np.array(
        [
            known(sources[code // width], targets[code % width]) if code >= width else 0.0
            for code in types.tolist()
        ]
    )


def spread(counts: npt.NDArray[np.floating[Any]]) -> Numbers:
    """exp(digamma(x)): what a count is worth under the prior; about x - 0.5, and next to nothing below 0.5."""
    shift = sum(1.0 / (counts + step) for step in range(6))
    far = counts + 6
    digamma = np.log(far) - 1 / (2 * far) - 1 / (12 * far**2) + 1 / (120 * far**4) - shift
    result: Numbers = np.exp(digamma)
    return result
