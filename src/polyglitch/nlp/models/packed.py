"""Many continuations of many texts in one pass of a causal language model.

The linear layers, which are nearly all of the work, see the tokens of all texts as one matrix, without padding. Keys
and values stay in a pool; a text says which tokens of the pool came before it, so that texts with a common beginning
share it, and a continuation costs its own tokens and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, TypeVar

import msgspec

from polyglitch.files.lazy_numpy import np
from polyglitch.nlp.models.llama import Layer, Turns, Weights, gated, log_sum, turned
from polyglitch.protocols import Floats

# Tokens a pass: fewer leave the processor's caches half used, more gain nothing.
ROW = 768
# Tokens a group: more and all groups are padded to the length of the largest, fewer and keys are fetched more often.
GROUP = 16
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
    """How the texts of a pass lie side by side for attention, which alone is padded.

    Texts that go on from the same beginning are a group, for which the keys of what came before are fetched once.
    """

    queries: Any  # groups x most tokens: which token of the pass
    keys: Any  # groups x most tokens with what came before: which token of the pool
    mask: Floats  # what each query sees, to be added to its scores
    back: Any  # where each token of the pass is among the queries


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
        """Run the model over all texts in one pass."""
        weights = self._weights
        hidden = weights.words[[one for text in texts for one in text.ids]]
        places = [len(text.before) + i for text in texts for i in range(len(text.ids))]
        turns = weights.turns(places)
        layout = lay_out(texts, self.size, weights.shape.sharing)
        self._make_room(len(hidden))
        middle: Floats | None = None
        both: Floats | None = None  # the same room for the widest product of every layer
        for number, layer in enumerate(weights.layers):
            hidden += self._attend(number, layer, weights.level(hidden), turns, layout)
            both = np.matmul(weights.level(hidden), layer.gate_up, out=both)
            hidden += gated(both) @ layer.down
            if number == self._middle:
                middle = hidden.copy()
        states = weights.level(hidden) * weights.last
        middle = states if middle is None else middle
        found, at = [], 0
        for text in texts:
            own = slice(at, at + len(text.ids))
            here = (*text.before, *range(self.size, self.size + len(text.ids)))
            found.append(Computed(states[own], here, middle[own]))
            self.size += len(text.ids)
            at += len(text.ids)
        return found

    def _room(self, count: int) -> Floats:
        shape = self._weights.shape
        return np.empty((shape.layers, 2, count, shape.key_heads, shape.head_width), np.float32)

    def _make_room(self, count: int) -> None:
        """Room for the keys and values of so many more tokens; what is there is copied seldom."""
        if self.size + count > self._kept.shape[2]:
            grown = self._room(2 * (self.size + count))
            grown[:, :, : self.size] = self._kept[:, :, : self.size]
            self._kept = grown

    def _attend(
        self, number: int, layer: Layer, normed: Floats, turns: Turns, layout: Layout
    ) -> Floats:
        """Attention of one layer, each text to itself and to what came before it."""
        heads, width = self._weights.shape.key_heads, self._weights.shape.head_width
        mixed = normed @ layer.attention
        if layer.bias is not None:
            mixed += layer.bias
        mixed = mixed.reshape(len(normed), -1, width)
        turned(mixed[:, :-heads], turns)  # queries and keys stand side by side, values after them
        keys, values = self._kept[number]
        keys[self.size : self.size + len(normed)] = mixed[:, -2 * heads : -heads]
        values[self.size : self.size + len(normed)] = mixed[:, -heads:]
        groups, longest = layout.queries.shape
        # The queries of the heads that share a key stand one after the other, so that no key is copied.
        asked = mixed[:, : -2 * heads][layout.queries].reshape(groups, longest, heads, -1, width)
        asked = asked.transpose(0, 2, 3, 1, 4).reshape(groups, heads, -1, width)
        scores = asked @ keys[layout.keys].transpose(0, 2, 3, 1)
        scores += layout.mask
        scores -= scores.max(-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(-1, keepdims=True)
        seen = scores @ values[layout.keys].transpose(0, 2, 1, 3)
        seen = seen.reshape(groups, heads, -1, longest, width).transpose(0, 3, 1, 2, 4)
        found: Floats = seen.reshape(groups * longest, -1)[layout.back] @ layer.out
        return found

    def log_odds(self, states: Floats, wanted: Sequence[int]) -> list[float]:
        """The log-probability of one next token after each state, among the commonest tokens and itself."""
        words, ids = self._weights.words, np.asarray(wanted, np.int64)
        own = np.einsum("ij,ij->i", states, words[ids])
        every = np.concatenate(
            [
                log_sum(states[start : start + ODDS_AT_ONCE] @ words[:COMMON].T)
                for start in range(0, len(ids), ODDS_AT_ONCE)
            ]
            or [own]
        )
        every = np.where(ids >= COMMON, np.logaddexp(every, own), every)
        found: list[float] = (own - every).tolist()
        return found

    def odds_among(self, states: Floats, vectors: Floats) -> Floats:
        """The log-probability of some next tokens, by their vectors, after each state; among the commonest tokens."""
        every = log_sum(states @ self._weights.words[:COMMON].T)
        found: Floats = states @ vectors.T - every[:, None]
        return found

    def scores(self, states: Floats) -> Floats:
        """The unnormalised log-probabilities of all next tokens after each state; their differences are what counts."""
        found: Floats = states @ self._weights.words.T
        return found

    def gains(self, state: Floats, old: int, new: Sequence[int] | Any) -> Floats:
        """By how much likelier than the old token each of the new ones is after a state, as logarithms."""
        words = self._weights.words
        found: Floats = words[list(new)] @ state - words[old] @ state
        return found


def lay_out(texts: Sequence[PackedText], size: int, sharing: int) -> Layout:
    """Where the tokens of a pass are that starts when the pool has so many; so many heads share a key."""
    starts = list(accumulate((len(text.ids) for text in texts), initial=0))
    groups = grouped(texts)
    columns = [columns_of([texts[number] for number in some]) for some in groups]
    counts = [sum(len(texts[number].ids) for number in some) for some in groups]
    longest = max(counts)
    widest = max(len(known) + count for known, count in zip(columns, counts, strict=True))
    queries = np.zeros((len(groups), longest), dtype=np.int64)
    keys = np.zeros((len(groups), widest), dtype=np.int64)
    mask = np.full((len(groups), longest, widest), -np.inf, dtype=np.float32)
    mask[:, :, 0] = 0.0  # where nothing is, anything is seen, so that it stays a number
    back = np.zeros(starts[-1], dtype=np.int64)
    for row, (known, some) in enumerate(zip(columns, groups, strict=True)):
        keys[row, : len(known)] = list(known)
        at = 0
        for number in some:
            count, own = len(texts[number].ids), np.arange(starts[number], starts[number + 1])
            column = len(known) + at
            queries[row, at : at + count] = own
            keys[row, column : column + count] = own + size
            back[own] = row * longest + np.arange(at, at + count)
            mask[row, at : at + count, 0] = -np.inf
            mask[row, at : at + count, [known[place] for place in texts[number].before]] = 0.0
            mask[row, at : at + count, column : column + count][np.tri(count, dtype=bool)] = 0.0
            at += count
    mask = np.tile(mask[:, None], (1, 1, sharing, 1))
    return Layout(queries, keys, mask, back)


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
