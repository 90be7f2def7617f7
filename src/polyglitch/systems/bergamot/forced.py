"""How likely a Bergamot model finds given translations, in one forced pass: what a lens and a look ahead need.

The same network as `network.py` has in torch, without gradients, computed by numpy, or by onnxruntime where that is
installed: nothing that a campaign without torch lacks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from polyglitch.files.lazy_numpy import np
from polyglitch.nlp.models.onnx_graph import has_onnxruntime
from polyglitch.protocols import Floats, ForcedReading, TokenScore
from polyglitch.systems.bergamot.model_file import END, only, read_model
from polyglitch.systems.white_box import (
    Odds,
    Spelling,
    begun_otherwise,
    inside,
    respelled,
    word_end,
)

Places = Sequence[tuple[int, int]]  # characters of an output that are looked at
LOGITS_AT_ONCE = 64  # states whose odds are one product
RESPELLED = 3  # words of an output that may be cut anew


class ForcedPass(NamedTuple):
    """The state from which each target word is told, and what it looks at in the source."""

    states: Floats
    seen: Floats


class ForcedNetwork(Protocol):
    """A network that is given both sides of a translation; each text says the same alone as among others."""

    def passes(self, sources: list[list[int]], targets: list[list[int]]) -> list[ForcedPass]:
        """Read each target after its source."""

    def log_odds(self, states: Floats) -> Floats:
        """The log-probabilities of all words after each of some states."""

    def logits(self, states: Floats, words: Sequence[int]) -> Floats:
        """How one word fits after each state, before it is compared with all others."""


def looked_at(spans: Sequence[tuple[int, int]], places: Places | None) -> list[int]:
    """The pieces with letters of their own that touch one of the places, all of them where none are told."""
    return [
        number
        for number, (start, end) in enumerate(spans)
        if (start, end) != (0, 0)
        and (places is None or any(start < last and end > first for first, last in places))
    ]


def total(row: Sequence[Odds]) -> float:
    """The log-probability of all pieces of an output."""
    return sum(one for one, _ in row)


class Forced:
    """A network and its vocabulary."""

    def __init__(self, network: ForcedNetwork, pieces: Any) -> None:
        self._network, self._pieces = network, pieces

    def score(
        self,
        texts: Sequence[str],
        outputs: Sequence[str],
        places: Sequence[Places | None] | None = None,
    ) -> list[list[TokenScore]]:
        """The pieces of each output with their log-probabilities; its end is left out.

        Of an output with `places` only the pieces that stand there: the odds among all words are half of the work.
        """
        sources = [[*self._pieces.encode(text), END] for text in texts]
        spelled = [self._spelled(output) for output in outputs]
        states = self._states(sources, [one.ids for one in spelled])
        looks = places or [None] * len(outputs)
        found = self._odds_where(states, spelled, looks)
        open_ones: Iterable[int] = range(len(texts))
        for _ in range(RESPELLED):
            tried = {n: respelled(self._pieces, spelled[n], found[n]) for n in open_ones}
            changed = {n: other for n, other in tried.items() if other is not None}
            others = self._states([sources[n] for n in changed], [o.ids for o in changed.values()])
            better = {}
            for (number, other), state in zip(changed.items(), others, strict=True):
                now = self._odds(states[number], spelled[number].ids)
                then = self._odds(state, other.ids)
                if total(then) > total(now):
                    better[number] = (other, then, state)
            for number, (other, row, state) in better.items():
                spelled[number], found[number], states[number] = other, row, state
            open_ones = better.keys()
        return [
            [TokenScore(*one.spans[at], row[at][0]) for at in looked_at(one.spans, look)]
            for one, row, look in zip(spelled, found, looks, strict=True)
        ]

    def _spelled(self, output: str) -> Spelling:
        coded = self._pieces.encode(output, return_type="offset_mapping")
        return Spelling(coded["ids"], inside(coded["offsets"], output, 0, len(output)))

    def _odds_where(
        self, states: list[Floats], spelled: list[Spelling], looks: Sequence[Places | None]
    ) -> list[list[Odds]]:
        """The odds of pieces that are looked at or may be cut anew; those of all others pass for good."""
        found: list[list[Odds]] = [[(0.0, one) for one in each.ids] for each in spelled]
        wanted = [
            sorted({*looked_at(each.spans, look), *self._better_begun(state, each.ids)})
            for state, each, look in zip(states, spelled, looks, strict=True)
        ]
        places = [(number, at) for number, row in enumerate(wanted) for at in row]
        if places:
            chosen = np.concatenate([state[row] for state, row in zip(states, wanted, strict=True)])
            odds = self._odds(chosen, [spelled[number].ids[at] for number, at in places])
            for (number, at), one in zip(places, odds, strict=True):
                found[number][at] = one
        return found

    def _better_begun(self, states: Floats, ids: list[int]) -> list[int]:
        """The pieces that another beginning of the same letters is likelier than: only these may be cut anew."""
        options = [
            begun_otherwise(self._pieces, tuple(ids[at : word_end(self._pieces, ids, at)]))
            for at in range(len(ids))
        ]
        places = [at for at, some in enumerate(options) for _ in some]
        own = self._network.logits(states, ids)
        others = self._network.logits(states[places], [one for some in options for one in some])
        return sorted({at for at, logit in zip(places, others, strict=True) if logit > own[at]})

    def read(self, texts: Sequence[str], outputs: Sequence[str]) -> list[ForcedReading]:
        """The log-probability of each piece of an output and of its end, and what each looks at in the source."""
        coded = [self._pieces.encode(text, return_type="offset_mapping") for text in texts]
        targets = [[*self._pieces.encode(output), END] for output in outputs]
        passes = self._network.passes([[*one["ids"], END] for one in coded], targets)
        found = []
        for text, one, target, passed in zip(texts, coded, targets, passes, strict=True):
            spans = [*inside(one["offsets"], text, 0, len(text)), (0, 0)]
            odds = [odds for odds, _ in self._odds(passed.states, target)]
            found.append(ForcedReading(np.asarray(odds, np.float32), tuple(spans), passed.seen))
        return found

    def _states(self, sources: list[list[int]], targets: list[list[int]]) -> list[Floats]:
        return [one.states for one in self._network.passes(sources, targets)]

    def _odds(self, states: Floats, wanted: list[int]) -> list[Odds]:
        """The log-probability of one word after each state, among the whole vocabulary, and the likeliest one."""
        found: list[Odds] = []
        for start in range(0, len(wanted), LOGITS_AT_ONCE):
            some = wanted[start : start + LOGITS_AT_ONCE]
            odds = self._network.log_odds(states[start : start + LOGITS_AT_ONCE])
            own = odds[np.arange(len(some)), some]
            found += zip(own.tolist(), odds.argmax(1).tolist(), strict=True)
        return found


def load_forced(folder: Path) -> Forced:
    """The model of a folder, for scoring."""
    import sentencepiece

    pieces = sentencepiece.SentencePieceProcessor(model_file=str(only(folder, "vocab.*.spm")))
    file = read_model(only(folder, "model.*.bin"))
    network: ForcedNetwork
    if has_onnxruntime() and file.in_eight_bits:
        from polyglitch.systems.bergamot.forced_eight_bits import QuickNetwork

        network = QuickNetwork(file)
    else:
        from polyglitch.systems.bergamot.forced_numpy import NumpyNetwork

        network = NumpyNetwork(file)
    return Forced(network, pieces)
