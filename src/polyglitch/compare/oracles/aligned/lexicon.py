"""Which word translates which, learned from the sentences at hand.

IBM Model 1 with a sparse Dirichlet prior and a favour for the diagonal (as in Dyer, Chahuneau, Smith: A Simple,
Fast, and Effective Reparameterization of IBM Model 2, 2013), in both directions. A campaign is thousands of
near-copies, so a word that was swapped in is seen against the same rest: what it translates to stands out. A
dictionary, where there is one, adds to the counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from polyglitch.files.lazy_numpy import np, npt

Keys = Sequence[str]
Known = Callable[
    [str, str], float
]  # how sure a dictionary is that target translates source, 0 to 1
Numbers: TypeAlias = "npt.NDArray[np.float64]"
Places: TypeAlias = "npt.NDArray[np.int64]"

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
LARGEST_TABLE = 250_000  # cells: the words of a pair fit into it many times over
LENGTHS = 1024  # of two sentences, whose weights of places are kept: some 5 MB
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
        ahead = self.ahead(source, target) + UNSEEN
        behind = self.behind(source, target) + UNSEEN
        floor = NOWHERE * 1e-3
        one = ahead * near / ((ahead * near).sum(1, keepdims=True) + floor)
        other = behind * near / ((behind * near).sum(0, keepdims=True) + floor)
        both: Numbers = np.sqrt(one * other)
        return both

    def ahead(self, source: Keys, target: Keys) -> Numbers:
        """The chance of each target word (row) given each source word (column)."""
        return np.array([[self.forward(s, t) for s in source] for t in target])

    def behind(self, source: Keys, target: Keys) -> Numbers:
        """The chance of each source word (column) given each target word (row)."""
        return np.array([[self.back(s, t) for s in source] for t in target])


class TabledLexicon(Lexicon):
    """The same for the few words of a pair of sentences: two tables instead of a thousand entries."""

    def __init__(
        self,
        sources: Mapping[str, int],
        targets: Mapping[str, int],
        forward: Numbers,
        back: Numbers,
    ) -> None:
        super().__init__({}, {})
        self._sources, self._targets = sources, targets
        self._ahead, self._behind = forward, back  # target words in rows, source words in columns

    def forward(self, source: str, target: str) -> float:
        """The chance of a target word given a source word."""
        return self._chance(self._ahead, source, target)

    def back(self, source: str, target: str) -> float:
        """The chance of a source word given a target word."""
        return self._chance(self._behind, source, target)

    def _chance(self, table: Numbers, source: str, target: str) -> float:
        row, column = self._targets.get(target), self._sources.get(source)
        return 0.0 if row is None or column is None else float(table[row, column])

    def ahead(self, source: Keys, target: Keys) -> Numbers:
        """The chance of each target word (row) given each source word (column)."""
        return self._chances(self._ahead, source, target)

    def behind(self, source: Keys, target: Keys) -> Numbers:
        """The chance of each source word (column) given each target word (row)."""
        return self._chances(self._behind, source, target)

    def _chances(self, table: Numbers, source: Keys, target: Keys) -> Numbers:
        rows = [self._targets.get(key, -1) for key in target]
        columns = [self._sources.get(key, -1) for key in source]
        if -1 in rows or -1 in columns:
            return np.array([[self._chance(table, s, t) for s in source] for t in target])
        found: Numbers = (
            table[np.ix_(rows, columns)] if rows and columns else np.array([[]] * len(rows))
        )
        return found


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


@lru_cache(LENGTHS)
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
    if not distinct:
        return Lexicon({}, {})
    turned = [(target, source) for source, target in distinct]
    sources, targets = number(side for side, _ in distinct), number(side for side, _ in turned)
    ahead = lay_out(distinct, sources, targets)
    prior = dictionary_counts(ahead.types, list(sources), list(targets), known)
    back = lay_out(turned, targets, sources)
    back_prior = turned_counts(prior, ahead.types, back.types, len(sources), len(targets))
    forward, backward = expect(ahead, prior), expect(back, back_prior)
    size = len(sources) * len(targets)
    if size > LARGEST_TABLE:
        names_s, names_t = list(sources), list(targets)
        return Lexicon(
            entries(ahead, forward, names_s, names_t), entries(back, backward, names_t, names_s)
        )
    tables = [np.zeros(size), np.zeros(size)]
    for table, layout, chance in zip(tables, (ahead, back), (forward, backward), strict=True):
        table[layout.types] = np.where(chance > UNSEEN, chance, 0.0)
    return TabledLexicon(
        sources,
        targets,
        tables[0].reshape(len(sources), -1).T,
        tables[1].reshape(len(targets), -1),
    )


class LinkLayout(NamedTuple):
    """Every possible link of every sentence in a row: its word pair, its target word, its place's weight."""

    types: Places  # the distinct word pairs, as source times `width` plus target
    which: Places  # for each link the place of its word pair among them
    rows: Places
    near: Numbers
    width: int  # target words that there are


def expect(layout: LinkLayout, prior: Numbers) -> Numbers:
    """The chance of the target word given the source word of each word pair, by expectation maximisation."""
    types, which, rows, near, width = layout
    of_source = types // width
    added = TRUST * prior
    chance: Numbers = np.full(len(types), 1.0 / width) + prior
    for _ in range(ROUNDS):
        weight = chance[which] * near
        share = weight / np.bincount(rows, weight)[rows]
        counts = np.bincount(which, share, len(types)) + added
        totals = np.bincount(of_source, counts)
        worth = spread(np.concatenate([counts + SPARSE, totals + SPARSE * width]))
        chance = worth[: len(types)] / worth[len(types) :][of_source]
    return chance


def entries(
    layout: LinkLayout, chance: Numbers, sources: list[str], targets: list[str]
) -> dict[tuple[str, str], float]:
    """The chances by the two words."""
    return {
        (sources[code // layout.width], targets[code % layout.width]): float(value)
        for code, value in zip(layout.types.tolist(), chance, strict=True)
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
) -> LinkLayout:
    """All links that the sentences may have."""
    cells: list[Any] = []
    rows: list[Any] = []
    near: list[Any] = []
    width, count = len(targets), 0
    for source, target in pairs:
        s = np.array([0, *(sources[key] for key in source)])
        t = np.array([targets[key] for key in target])
        cells.append((s[None, :] * width + t[:, None]).ravel())
        rows.append(np.repeat(np.arange(count, count + len(t)), len(s)))
        near.append(weights_of_places(len(source), len(target)))
        count += len(t)
    types, which = np.unique(np.concatenate(cells), return_inverse=True)
    return LinkLayout(types, which.reshape(-1), np.concatenate(rows), np.concatenate(near), width)


@lru_cache(LENGTHS)
def weights_of_places(source: int, target: int) -> Numbers:
    """How likely a target word comes from nowhere or from each place of the source, word after word."""
    weights = diagonal(source, target) * (1 - NOWHERE) / source
    found: Numbers = np.hstack([np.full((target, 1), NOWHERE), weights]).ravel()
    return found


def dictionary_counts(
    types: Places, sources: list[str], targets: list[str], known: Known | None
) -> Numbers:
    """What a dictionary says of each word pair; nothing translates the empty word."""
    if known is None:
        return np.zeros(len(types))
    width = len(targets)
    return np.array(
        [
            known(sources[code // width], targets[code % width]) if code >= width else 0.0
            for code in types.tolist()
        ]
    )


def turned_counts(
    prior: Numbers, types: Places, turned: Places, sources: int, targets: int
) -> Numbers:
    """The same of the word pairs from target to source: a dictionary need not be asked twice."""
    target, source = turned // sources, turned % sources
    place = np.searchsorted(types, source * targets + target).clip(max=len(types) - 1)
    found: Numbers = np.where(target > 0, prior[place], 0.0)
    return found


def spread(counts: npt.NDArray[np.floating[Any]]) -> Numbers:
    """exp(digamma(x)): what a count is worth under the prior; about x - 0.5, and next to nothing below 0.5."""
    shift = 1.0 / counts
    for step in range(1, 6):
        shift += 1.0 / (counts + step)
    far = counts + 6
    digamma = np.log(far) - 1 / (2 * far) - 1 / (12 * far**2) + 1 / (120 * far**4) - shift
    result: Numbers = np.exp(digamma)
    return result
