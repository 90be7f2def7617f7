"""Words that fit a slot by SmolLM2: likely after the left context or near in meaning, and good for what follows.

A causal model sees only what is to the left. So its candidates for a slot are scored again on the words that come
after: by how much more, or less, likely the sentence gets than with the word that stood there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise

import msgspec
import numpy as np

from polyglitch.errors import Missing
from polyglitch.languages import language as language_of
from polyglitch.nlp.models.packed import ROW, Computed, PackedPool, PackedText, rows
from polyglitch.nlp.models.smollm import SmolLm, open_smollm, signature
from polyglitch.nlp.proposers.candidate_scoring import (
    LEAST,
    STAGES,
    TAIL,
    Alike,
    AlikeWords,
    ScoredCandidate,
    choose,
    promising,
    ranked,
)
from polyglitch.nlp.proposers.phrase_filling import open_phrase_filling
from polyglitch.nlp.proposers.slot_words import word_classes
from polyglitch.nlp.proposers.vectors import open_vectors
from polyglitch.nlp.recent import Recent
from polyglitch.protocols import Candidate, Filling, Gap, Slot

AT_ONCE = 2 * ROW  # tokens of sentences whose keys and values are held, 46 KB each
REMEMBERED = 20_000  # slots, some 10 MB
START = 0  # <|endoftext|>, which stands between texts in the model's training


class SlotPlace(msgspec.Struct, frozen=True):
    """A slot by its number, where its token is in the sentence, and the words that are alike its own."""

    number: int
    at: int
    slot: Slot
    alike: Alike


class ScoredSentence(msgspec.Struct, frozen=True):
    """The tokens of a sentence, as far as they are looked at, and its slots."""

    ids: tuple[int, ...]
    places: list[SlotPlace]

    def after(self, place: SlotPlace) -> range:
        """Where the tokens are that follow a slot and are looked at."""
        return range(place.at + 1, min(place.at + 1 + TAIL, len(self.ids)))


def size(sentence: ScoredSentence) -> int:
    """Tokens to compute."""
    return len(sentence.ids)


class Tried(msgspec.Struct):
    """The words tried in a slot, what follows it, and the odds of that after the old word."""

    number: int
    hopeful: list[ScoredCandidate]
    after: tuple[int, ...]
    own: tuple[float, ...]


class SmolLmProposer:
    """Fits `Proposer`; the slots of several sentences are looked at together."""

    def __init__(self, model: SmolLm, language: str) -> None:
        self._tokenizer, self._weights = model
        self._language = language
        self.signature = f"{signature()}/5-least{LEAST}"
        self.tokens = 0  # that the model has computed: what the time goes into
        # The methods of a campaign ask about the same slots, each in its own way.
        self._recent: Recent[tuple[str, int, str], list[Candidate]] = Recent(REMEMBERED)
        vocabulary = {
            piece[1:]: number
            for piece, number in sorted(model.tokenizer.vocabulary.items())
            if piece.startswith("Ġ")
        }
        banned = language_of(language).words("never_proposed")
        proposed = [w for w in vocabulary if re.fullmatch("[a-z]{3,}", w) and w not in banned]
        self._alike = AlikeWords(
            vocabulary,
            proposed,
            model.weights.words,
            open_vectors(language),
            word_classes(language),
        )

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` words for each slot, the likeliest sentence first."""
        keys = [(slot.parse.text, slot.token.start, slot.token.tag) for slot in slots]
        by_key = dict(zip(keys, slots, strict=True))
        found = self._recent.get(keys, lambda new: self._propose([by_key[key] for key in new]))
        return [some[:top] for some in found]

    def fill(
        self, gaps: Sequence[Gap], allowed: Callable[[str, str], bool], top: int
    ) -> list[list[Filling]]:
        """At most `top` fillings for each gap, the best first."""
        return open_phrase_filling(self._language).fill(gaps, allowed, top)

    def _propose(self, slots: Sequence[Slot]) -> list[list[Candidate]]:
        """All words that fit each slot."""
        self._alike.learn(slot.token.text.lower() for slot in slots)
        by_text: dict[str, list[int]] = {}
        for number, slot in enumerate(slots):
            by_text.setdefault(slot.parse.text, []).append(number)
        sentences = [
            self._sentence(text, [(number, slots[number]) for number in numbers])
            for text, numbers in by_text.items()
        ]
        found: dict[int, list[Candidate]] = {}
        hopeful = [sentence for sentence in sentences if sentence.places]
        for some in rows(hopeful, size, AT_ONCE):
            pool = PackedPool(self._weights)
            tried = [one for row in rows(some, size) for one in after_left(pool, row)]
            for (start, _), (end, hope) in pairwise(STAGES):
                score_right(pool, tried, start, end, hope)
            self.tokens += pool.size
            found |= {one.number: ranked(one.hopeful) for one in tried}
        return [found.get(number, []) for number in range(len(slots))]

    def _sentence(self, text: str, slots: list[tuple[int, Slot]]) -> ScoredSentence:
        """The tokens of a text after the start mark, and the slots that a word can be hoped for."""
        tokens = self._tokenizer.encode(text)
        spans = [(0, 0), *((token.start, token.end) for token in tokens)]
        places = []
        for number, slot in slots:
            token, alike = slot.token, self._alike.of(slot.token.text.lower(), slot.token.tag)
            # A token covers the blank before its word, so it may start one character early.
            start = next((i for i, (a, b) in enumerate(spans) if a <= token.start < b), 0)
            last = next((i for i, (_, b) in enumerate(spans) if b == token.end and i >= start), -1)
            if 2 <= start == last and spans[start][0] >= token.start - 1 and promising(alike):
                places.append(SlotPlace(number, start, slot, alike))
        seen = max((place.at + 1 + TAIL for place in places), default=0)
        return ScoredSentence((START, *(token.number for token in tokens))[:seen], places)


def after_left(pool: PackedPool, row: Sequence[ScoredSentence]) -> list[Tried]:
    """For each slot the words worth trying, by what stands to its left."""
    # The last token is only predicted.
    done = pool.compute([PackedText(sentence.ids[:-1]) for sentence in row])
    spots = [(number, place) for number, one in enumerate(row) for place in one.places]
    found = []
    for number, place in spots:
        old = row[number].ids[place.at]
        gains = pool.gains(done[number].states[place.at - 1], old, place.alike.tokens)
        if hopeful := choose(place.slot, place.alike, gains):
            for one in hopeful:
                one.before = done[number].places[: place.at]
            found.append((number, place, hopeful))
    own = own_odds(pool, row, done, [(number, place) for number, place, _ in found])
    return [
        Tried(
            place.number,
            hopeful,
            tuple(row[number].ids[i] for i in row[number].after(place)),
            tuple(own[number, i] for i in row[number].after(place)),
        )
        for number, place, hopeful in found
    ]


def own_odds(
    pool: PackedPool,
    row: Sequence[ScoredSentence],
    done: Sequence[Computed],
    spots: Sequence[tuple[int, SlotPlace]],
) -> dict[tuple[int, int], float]:
    """How likely each token is that follows one of the slots, by sentence and place."""
    wanted = sorted({(number, i) for number, place in spots for i in row[number].after(place)})
    if not wanted:
        return {}
    states = np.stack([done[number].states[i - 1] for number, i in wanted])
    odds = pool.log_odds(states, [row[number].ids[i] for number, i in wanted])
    return dict(zip(wanted, odds, strict=True))


def score_right(
    pool: PackedPool, tried: Sequence[Tried], start: int, end: int, hope: float
) -> None:
    """Score all words with the next tokens that follow; then those that need more than hope are dropped."""
    live = [(one, word) for one in tried if len(one.after) > start for word in one.hopeful]
    for row in rows(live, lambda pair: min(end, len(pair[0].after)) - start):
        score_row(pool, row, start, end)
    for one in tried:
        one.hopeful = [word for word in one.hopeful if word.may_fit(hope)]


def score_row(
    pool: PackedPool, row: Sequence[tuple[Tried, ScoredCandidate]], start: int, end: int
) -> None:
    """Add the odds of the tokens `start:end` after each word, against those after the old one."""
    done = pool.compute(
        [PackedText((word.token, *one.after[:-1])[start:end], word.before) for one, word in row]
    )
    wanted = [token for one, _ in row for token in one.after[start:end]]
    odds = iter(pool.log_odds(np.concatenate([part.states for part in done]), wanted))
    for (one, word), part in zip(row, done, strict=True):
        word.before = part.places
        word.change += sum(next(odds) - own for own in one.own[start:end])


@cache
def open_smollm_proposer(language: str) -> SmolLmProposer:
    """The proposer; the model knows English only."""
    if "smollm" not in language_of(language).proposers:
        raise Missing(
            f"a causal model for {language!r}",
            "the proposer 'smollm'",
            "name a masked model of that language, proposer = masked-lm:FOLDER",
        )
    return SmolLmProposer(open_smollm(), language)
