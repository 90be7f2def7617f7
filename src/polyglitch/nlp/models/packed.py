"""Many continuations of many texts in one pass of a causal language model.

The linear layers, which are nearly all of the work, see the tokens of all texts as one matrix, without padding. Keys
and values stay in a pool; a text says which tokens of the pool came before it, so that texts with a common beginning
share it, and a continuation costs its own tokens and no more.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import accumulate
from typing import Any, TypeVar

import msgspec

from polyglitch.files.lazy_numpy import np, one_thread
from polyglitch.nlp.models.llama import Turns, Weights, log_sum
from polyglitch.protocols import Floats

# Tokens a pass: fewer leave the processor's caches half used, more gain nothing.
ROW = 768
# Tokens there is room for at once: two rows of sentences and their words, so that nothing is copied to more room.
# Memory is taken when it is written to.
ROOM = 8 * ROW
# Tokens a group: more and all groups are padded to the length of the largest, fewer and keys are fetched more often.
GROUP = 16
# Tokens, with those before them, whose attention is computed together.
PART = 96
APART = 64  # tokens from which a second core is worth its while
# Odds are among the commonest tokens, which hold nearly all of the probability; the numbers of a vocabulary of byte
# pairs go by how common they are. It is the ratio of two odds that is used, where what is left out cancels.
COMMON = 16_384
ODDS_AT_ONCE = 128  # states: their odds are 8 MB
T = TypeVar("T")


class PackedText(msgspec.Struct, frozen=True):
    """Tokens to compute, and where in the pool the tokens are that came before."""

    ids: Sequence[int]
    before: tuple[int, ...] = ()


class Computed(msgspec.Struct, frozen=True):
    """The last hidden states of a text, tokens x width, and where in the pool it is, with all that came before.

    `middle` are the states after the layer that the pool was told to show, by default the last ones.
    """

    states: Floats
    places: tuple[int, ...]
    middle: Floats


class Layout(msgspec.Struct, frozen=True):
    """How some texts of a pass lie side by side for attention, which alone is padded.

    Texts that go on from the same beginning are a group, for which the keys of what came before are fetched once.
    """

    asked: Any  # groups x heads of keys x queries of each: which head of which token of the pass
    answered: Any  # the same, or the row behind the last where a group has no such token
    keys: Any  # groups x most tokens with what came before: which token of the pool
    mask: Floats  # what each query sees, to be added to its scores


def rows(items: Sequence[T], size: Callable[[T], int], limit: int = ROW) -> Iterator[list[T]]:
    """The items in order, as many together as a row holds."""
    row: list[T] = []
    filled = 0
    for item in items:
        if row and filled + size(item) > limit:
            yield row
            row, filled = [], 0
        row.append(item)
        filled += size(item)
    if row:
        yield row


class PackedPool:
    """A model with the keys and values of all that it has computed."""

    def __init__(self, weights: Weights, middle: int | None = None) -> None:
        self._weights, self._middle = weights, middle
        self._kept = self._room(0)
        self.size = 0

    def clear(self) -> None:
        """Forget all texts; their room is used again, for to get it anew costs more than attention does."""
        self.size = 0

    def compute(self, texts: Sequence[PackedText]) -> list[Computed]:
        """Run the model over all texts in one pass; where it is quick, half of them on another core."""
        counts = [len(text.ids) for text in texts]
        self._make_room(sum(counts))
        starts = list(accumulate(counts, initial=self.size))
        self.size = starts.pop()
        if not self._weights.two_at_once or sum(counts) < APART:
            return self._pass(texts, starts)
        self._weights.prepare()  # once, not by both
        with one_thread():  # of numpy's, whose products are small ones
            half = bisect_left(starts, (starts[0] + self.size) / 2)
            other = other_core().submit(self._pass, texts[half:], starts[half:])
            return self._pass(texts[:half], starts[:half]) + other.result()

    def _pass(self, texts: Sequence[PackedText], starts: Sequence[int]) -> list[Computed]:
        """The same, given where in the pool each text goes."""
        if not texts:
            return []
        weights = self._weights
        ids = [one for text in texts for one in text.ids]
        places = [len(text.before) + i for text in texts for i in range(len(text.ids))]
        turns = weights.turns(places)
        layout = lay_out(texts, starts[0], weights)
        middle: Floats | None = None
        steps = weights.begin(ids, places)
        for number in range(weights.shape.layers):
            steps.step(number, self._attend(number, starts[0], steps.mixed, turns, layout))
            if number == self._middle:
                middle = steps.hidden.copy()
        states = steps.mixed
        middle = states if middle is None else middle
        found = []
        for text, start in zip(texts, starts, strict=True):
            own = slice(start - starts[0], start - starts[0] + len(text.ids))
            here = (*text.before, *range(start, start + len(text.ids)))
            found.append(Computed(states[own], here, middle[own]))
        return found

    def _room(self, count: int) -> Floats:
        shape = self._weights.shape
        return np.empty((shape.layers, 2, count, shape.key_heads, shape.head_width), np.float32)

    def _make_room(self, count: int) -> None:
        """Room for the keys and values of so many more tokens; what is there is copied seldom."""
        if self.size + count > self._kept.shape[2]:
            grown = self._room(max(2 * (self.size + count), ROOM))
            grown[:, :, : self.size] = self._kept[:, :, : self.size]
            self._kept = grown

    def _attend(
        self, number: int, first: int, mixed: Floats, turns: Turns, layout: Sequence[Layout]
    ) -> Floats:
        """What the attention of one layer sees, of each text itself and what came before it."""
        weights, count = self._weights, len(mixed)
        heads, width = weights.shape.heads, weights.shape.head_width
        own = slice(first, first + count)
        turned, new_values = weights.turned(number, mixed, turns)
        keys, values = self._kept[number]
        keys[own], values[own] = turned[:, heads:], new_values
        exact = weights.attends_in
        # By heads, so that those that share a key are fetched one after the other, and no key is copied.
        asked = turned[:, :heads].astype(exact).reshape(-1, width)
        found = np.empty(((count + 1) * heads, width), np.float32)
        for part in layout:
            scores = asked[part.asked] @ keys[part.keys].astype(exact).transpose(0, 2, 3, 1)
            weights.share_out(scores, part.mask)
            found[part.answered] = scores @ values[part.keys].astype(exact).transpose(0, 2, 1, 3)
        return found[: count * heads].reshape(count, -1)

    def log_odds(self, states: Floats, wanted: Sequence[int]) -> list[float]:
        """The log-probability of one next token after each state, among the commonest tokens and itself."""
        words, ids = self._weights.words, np.asarray(wanted, np.int64)
        own = np.einsum("ij,ij->i", states, words[ids])
        every = np.concatenate(
            [
                log_sum(self._weights.scores(states[start : start + ODDS_AT_ONCE], COMMON))
                for start in range(0, len(ids), ODDS_AT_ONCE)
            ]
            or [own]
        )
        every = np.where(ids >= COMMON, np.logaddexp(every, own), every)
        found: list[float] = (own - every).tolist()
        return found

    def odds_among(self, states: Floats, vectors: Floats) -> Floats:
        """The log-probability of some next tokens, by their vectors, after each state; among the commonest tokens."""
        every = log_sum(self._weights.scores(states, COMMON))
        found: Floats = states @ vectors.T - every[:, None]
        return found

    def scores(self, states: Floats) -> Floats:
        """The unnormalised log-probabilities of all next tokens after each state; their differences are what counts."""
        return self._weights.scores(states)

    def gains(self, state: Floats, old: int, new: Sequence[int] | Any) -> Floats:
        """By how much likelier than the old token each of the new ones is after a state, as logarithms."""
        words = self._weights.words
        found: Floats = words[list(new)] @ state - words[old] @ state
        return found


@cache
def other_core() -> ThreadPoolExecutor:
    """A second thread; what is computed there holds Python but for moments."""
    return ThreadPoolExecutor(1, "words")


def lay_out(texts: Sequence[PackedText], size: int, weights: Weights) -> list[Layout]:
    """Where the tokens of a pass are that starts when the pool has so many.

    Groups of about the same length together, so that little is padded, and few enough for the processor's cache.
    """
    starts = list(accumulate((len(text.ids) for text in texts), initial=0))
    groups = []
    for some in grouped(texts):
        known = columns_of([texts[number] for number in some])
        groups.append((known, some, sum(len(texts[number].ids) for number in some)))
    groups.sort(key=lambda group: (group[2], len(group[0])))
    return [
        laid_out(texts, starts, size, weights, part)
        for part in rows(groups, lambda group: group[2] + len(group[0]), PART)
    ]


def laid_out(
    texts: Sequence[PackedText],
    starts: Sequence[int],
    size: int,
    weights: Weights,
    groups: Sequence[tuple[dict[int, int], list[int], int]],
) -> Layout:
    """Where the tokens of some groups are, given what came before each, its texts, and its number of tokens."""
    longest = max(count for _, _, count in groups)
    widest = max(len(known) + count for known, _, count in groups)
    queries = np.full((len(groups), longest), -1, dtype=np.int64)
    keys = np.zeros((len(groups), widest), dtype=np.int64)
    mask = np.full((len(groups), longest, widest), weights.unseen, weights.attends_in)
    mask[:, :, 0] = 0.0  # where nothing is, anything is seen, so that it stays a number
    for row, (known, some, _) in enumerate(groups):
        keys[row, : len(known)] = list(known)
        at = 0
        for number in some:
            count, own = len(texts[number].ids), np.arange(starts[number], starts[number + 1])
            column = len(known) + at
            queries[row, at : at + count] = own
            keys[row, column : column + count] = own + size
            mask[row, at : at + count, 0] = weights.unseen
            mask[row, at : at + count, [known[place] for place in texts[number].before]] = 0.0
            mask[row, at : at + count, column : column + count][np.tri(count, dtype=bool)] = 0.0
            at += count
    shape = weights.shape
    mask = np.tile(mask[:, None], (1, 1, shape.sharing, 1))
    heads = np.arange(shape.heads).reshape(shape.key_heads, shape.sharing, 1)
    asked, answered = (
        (some[:, None, None] * shape.heads + heads).reshape(len(groups), shape.key_heads, -1)
        for some in (np.maximum(queries, 0), np.where(queries < 0, starts[-1], queries))
    )
    return Layout(asked, answered, keys, mask)


def grouped(texts: Sequence[PackedText]) -> list[list[int]]:
    """The numbers of the texts that go on from the same beginning, as many together as a group holds."""
    same: dict[int, list[int]] = {}
    for number, text in enumerate(texts):
        same.setdefault(text.before[0] if text.before else -1 - number, []).append(number)
    return [
        group
        for some in same.values()
        for group in rows(some, lambda number: len(texts[number].ids), GROUP)
    ]


def columns_of(group: Sequence[PackedText]) -> dict[int, int]:
    """The places of the pool that came before any text of a group, numbered."""
    return {
        place: number
        for number, place in enumerate(dict.fromkeys(p for text in group for p in text.before))
    }
