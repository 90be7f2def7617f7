"""Which word translates which, learned from the sentences at hand.

IBM Model 1 with a sparse Dirichlet prior and a favour for the diagonal (as in Dyer, Chahuneau, Smith: A Simple,
Fast, and Effective Reparameterization of IBM Model 2, 2013), in both directions. A campaign is thousands of
near-copies, so a word that was swapped in is seen against the same rest: what it translates to stands out. A
dictionary, where there is one, adds to the counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

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


@runtime_checkable
class TellsPairs(Protocol):
    """A dictionary that can tell by itself of which words it knows something."""

    def pairs(
        self, sources: Collection[str], targets: Collection[str]
    ) -> Iterable[tuple[str, str, float]]:
        """Pairs of these words with what is known of each; of all others it is nothing."""


def learn(pairs: Iterable[tuple[Keys, Keys]], known: Known | None = None) -> Lexicon:
    """A lexicon from sentences and their translations; repeated pairs count once."""
    return learn_each([pairs], known)[0]


def learn_each(
    groups: Iterable[Iterable[tuple[Keys, Keys]]], known: Known | None = None
) -> list[Lexicon]:
    """A lexicon for each group of sentences, as if it were learned alone: many small ones at the price of a few."""
    distinct = [
        list(dict.fromkeys((tuple(s), tuple(t)) for s, t in pairs if s and t)) for pairs in groups
    ]
    found = [Lexicon({}, {}) for _ in distinct]
    told = [number for number, pairs in enumerate(distinct) if pairs]
    if not told:
        return found
    ahead = lay_out([distinct[number] for number in told])
    back = lay_out([[(t, s) for s, t in distinct[number]] for number in told])
    prior = dictionary_counts(ahead, known)
    forward = expect(ahead, prior)
    backward = expect(back, turned_counts(prior, ahead, back))
    tables = [table_of(ahead, forward), table_of(back, backward)]
    for number, here, there in zip(told, ahead.groups, back.groups, strict=True):
        if here.size > LARGEST_TABLE:
            found[number] = Lexicon(entries(ahead, here, forward), entries(back, there, backward))
            continue
        one, other = (
            table[group.first : group.first + group.size].reshape(len(group.sources), -1)
            for table, group in zip(tables, (here, there), strict=True)
        )
        found[number] = TabledLexicon(here.sources, here.targets, one.T, other)
    return found


class PairLexicon(NamedTuple):
    """The words of some sentences by number, and where their pairs begin among those of all groups."""

    sources: dict[str, int]
    targets: dict[str, int]
    first: int

    @property
    def size(self) -> int:
        """How many pairs of words there may be."""
        return len(self.sources) * len(self.targets)


class LinkLayout(NamedTuple):
    """Every possible link of every sentence in a row: its word pair, its target word, its place's weight."""

    groups: list[PairLexicon]
    types: (
        Places  # the distinct word pairs, as source times target words plus target, after `first`
    )
    group: Places  # of each word pair
    source: Places  # of each word pair, counted over all groups
    widths: Places  # target words that there are, for each source word
    which: Places  # for each link the place of its word pair among them
    rows: Places
    near: Numbers

    def local(self) -> tuple[Places, Places]:
        """The numbers of the two words of each word pair in their group."""
        first = np.array([group.first for group in self.groups])
        width = np.array([len(group.targets) for group in self.groups])
        code = self.types - first[self.group]
        return code // width[self.group], code % width[self.group]


def expect(layout: LinkLayout, prior: Numbers) -> Numbers:
    """The chance of the target word given the source word of each word pair, by expectation maximisation."""
    which, rows, near, of_source = layout.which, layout.rows, layout.near, layout.source
    size = len(layout.types)
    added = TRUST * prior
    chance: Numbers = 1.0 / layout.widths[of_source] + prior
    for _ in range(ROUNDS):
        weight = chance[which]
        weight *= near
        weight /= np.bincount(rows, weight)[rows]
        counts = np.bincount(which, weight, size) + added
        totals = np.bincount(of_source, counts)
        worth = spread(np.concatenate([counts + SPARSE, totals + SPARSE * layout.widths]))
        chance = worth[:size] / worth[size:][of_source]
    return chance


def table_of(layout: LinkLayout, chance: Numbers) -> Numbers:
    """The chances of all pairs of words, group after group; nothing for groups whose table would be too large."""
    last = layout.groups[-1]
    if len(layout.groups) == 1 and last.size > LARGEST_TABLE:
        return np.zeros(0)
    table = np.zeros(last.first + last.size)
    table[layout.types] = np.where(chance > UNSEEN, chance, 0.0)
    return table


def entries(
    layout: LinkLayout, group: PairLexicon, chance: Numbers
) -> dict[tuple[str, str], float]:
    """The chances of a group by the two words."""
    sources, targets = list(group.sources), list(group.targets)
    here = (layout.types >= group.first) & (layout.types < group.first + group.size)
    codes = (layout.types[here] - group.first).tolist()
    return {
        (sources[code // len(targets)], targets[code % len(targets)]): float(value)
        for code, value in zip(codes, chance[here], strict=True)
        if value > UNSEEN
    }


def number(sides: Iterable[Keys]) -> dict[str, int]:
    """A number for each word; 0 is the empty word from which unaligned words come."""
    found = {"": 0}
    for side in sides:
        for key in side:
            found.setdefault(key, len(found))
    return found


def lay_out(groups: Sequence[Sequence[tuple[Keys, Keys]]]) -> LinkLayout:
    """All links that the sentences may have, each group with word pairs of its own."""
    made: list[PairLexicon] = []
    cells: list[Any] = []
    rows: list[Any] = []
    near: list[Any] = []
    first = count = 0
    for pairs in groups:
        sources, targets = number(s for s, _ in pairs), number(t for _, t in pairs)
        made.append(PairLexicon(sources, targets, first))
        for source, target in pairs:
            s = np.array([0, *map(sources.__getitem__, source)]) * len(targets) + first
            t = np.array([*map(targets.__getitem__, target)])
            cells.append((s[None, :] + t[:, None]).ravel())
            rows.append(np.repeat(np.arange(count, count + len(t)), len(s)))
            near.append(weights_of_places(len(source), len(target)))
            count += len(t)
        first += made[-1].size
    types, which = numbered(np.concatenate(cells), first)
    starts = np.array([group.first for group in made])
    of_group = np.searchsorted(starts, types, "right") - 1
    width = np.array([len(group.targets) for group in made])
    before = np.cumsum([0, *(len(group.sources) for group in made[:-1])])
    source = before[of_group] + (types - starts[of_group]) // width[of_group]
    widths = np.repeat(width, [len(group.sources) for group in made])
    together = np.concatenate(rows), np.concatenate(near)
    return LinkLayout(made, types, of_group, source, widths, which, *together)


def numbered(cells: Places, size: int) -> tuple[Places, Places]:
    """The distinct cells in order, and for each cell its place among them; by a table, unless that is too large."""
    if size > 20 * len(cells):
        types, which = np.unique(cells, return_inverse=True)
        return types, which.reshape(-1)
    there = np.zeros(size, bool)
    there[cells] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[cells]


@lru_cache(LENGTHS)
def weights_of_places(source: int, target: int) -> Numbers:
    """How likely a target word comes from nowhere or from each place of the source, word after word."""
    weights = diagonal(source, target) * (1 - NOWHERE) / source
    found: Numbers = np.hstack([np.full((target, 1), NOWHERE), weights]).ravel()
    return found


def dictionary_counts(layout: LinkLayout, known: Known | None) -> Numbers:
    """What a dictionary says of each word pair; nothing translates the empty word."""
    if known is None:
        return np.zeros(len(layout.types))
    if isinstance(known, TellsPairs):
        return told_counts(layout, known)
    names = [(list(group.sources), list(group.targets)) for group in layout.groups]
    of_group = layout.group.tolist()
    source, target = (side.tolist() for side in layout.local())
    return np.array(
        [
            known(names[g][0][s], names[g][1][t]) if s else 0.0
            for g, s, t in zip(of_group, source, target, strict=True)
        ]
    )


def told_counts(layout: LinkLayout, known: TellsPairs) -> Numbers:
    """The same by a dictionary that tells which pairs it has something to say of: of a hundred it is one."""
    found = np.zeros(len(layout.types))
    cells, values = [], []
    for group in layout.groups:
        for source, target, value in known.pairs(group.sources, group.targets):
            if number := group.sources[source]:
                cells.append(group.first + number * len(group.targets) + group.targets[target])
                values.append(value)
    places = np.searchsorted(layout.types, cells).clip(max=len(found) - 1)
    there = layout.types[places] == cells  # two words of different sentences are no pair
    found[places[there]] = np.array(values)[there]
    return found


def turned_counts(prior: Numbers, ahead: LinkLayout, back: LinkLayout) -> Numbers:
    """The same of the word pairs from target to source: a dictionary need not be asked twice."""
    first = np.array([group.first for group in ahead.groups])
    width = np.array([len(group.targets) for group in ahead.groups])
    target, source = back.local()
    code = first[back.group] + source * width[back.group] + target
    place = np.searchsorted(ahead.types, code).clip(max=len(ahead.types) - 1)
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
