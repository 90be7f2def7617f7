"""`random`: words in an order drawn from the campaign's seed, the baseline of every other rank.

`wali`: words from which the system made the output tokens it was least sure of.

Shao: Towards Effectively Testing Sequence-to-Sequence Models from White-Box Perspectives, Waterloo 2024. The published
rank aligns an output token to the one source token that it attends to most. Here, by default, the doubt of a token and
of its neighbours is shared out over the source as its attention is: a changed word moves agreement and order beside its
own translation too.

`gri`: words whose change moves the loss of the system's output most, by its gradients.

Shao: Towards Effectively Testing Sequence-to-Sequence Models from White-Box Perspectives, Waterloo 2024. The gradient
is that of the system's own output, or of a reference where the seed brings one (`reference` in its row).

Scores of tokens become scores of words here. A system cuts text into pieces of its own; words come from the parser.
They meet in the characters they cover. Punctuation, and words that no piece covers, get `NEVER`: they come after all
others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Protocol

from polyglitch.files.lazy_numpy import np
from polyglitch.protocols import Floats, Inspection, Parse, Token, Tools
from polyglitch.records import Seed

NEVER = -1.0  # below every score; minus infinity would not survive JSON

Look = Callable[[Sequence[Seed]], Sequence[Inspection | None]]


class Ranking(Protocol):
    """How promising each word of each seed is to change; larger comes first."""

    def __call__(
        self, seeds: Sequence[Seed], parses: Sequence[Parse], look: Look, tools: Tools, /
    ) -> list[Floats]:
        """A score for each token of each parse; `look` opens the system where it is needed."""


def from_tokens(
    of_tokens: Callable[[Inspection], Floats | None], merge: Callable[[Floats], np.floating[Any]]
) -> Ranking:
    """Rank words by a number for each token of the system, those of a word's pieces merged into one."""

    def scored(parse: Parse, seen: Inspection | None) -> Floats:
        values = None if seen is None else of_tokens(seen)
        if seen is None or values is None:
            return no_scores(parse)
        return by_word(parse, seen, lambda pieces: float(merge(values[pieces])))

    def rank(
        seeds: Sequence[Seed], parses: Sequence[Parse], look: Look, tools: Tools
    ) -> list[Floats]:
        return [scored(*pair) for pair in zip(parses, look(seeds), strict=True)]

    return rank


def pieces_of(word: Token, spans: Sequence[tuple[int, int]]) -> list[int]:
    """The tokens of the system that cover some of a word's characters."""
    return [n for n, (start, end) in enumerate(spans) if start < word.end and word.start < end]


def by_word(parse: Parse, seen: Inspection, score: Callable[[list[int]], float]) -> Floats:
    """A score for each word, from the numbers of the pieces that cover it."""
    scores = no_scores(parse)
    for index, word in enumerate(parse.tokens):
        covering = pieces_of(word, seen.source_spans)
        if covering and rankable(word):
            scores[index] = score(covering)
    return scores


def rankable(word: Token) -> bool:
    """Whether a token is a word: with a letter or a digit in it."""
    return any(character.isalnum() for character in word.text)


def no_scores(parse: Parse) -> Floats:
    """The scores of a seed that the system could not answer: none is better than another."""
    return np.full(len(parse.tokens), NEVER, np.float32)


def mean_score(scores: Floats) -> float:
    """How promising a sentence is: the mean of its words' scores, whatever its length."""
    ranked = scores[scores > NEVER]
    return float(ranked.mean()) if ranked.size else NEVER


def by_chance() -> Ranking:
    """A number between 0 and 1 for each word, the same in every run with the same seed."""

    def rank(
        seeds: Sequence[Seed], parses: Sequence[Parse], look: Look, tools: Tools
    ) -> list[Floats]:
        return [draw(parse, tools.seed) for parse in parses]

    return rank


def unranked() -> Ranking:
    """Every word alike: what `none` stands for, where a rank has to be named."""

    def rank(
        seeds: Sequence[Seed], parses: Sequence[Parse], look: Look, tools: Tools
    ) -> list[Floats]:
        return [no_scores(parse) for parse in parses]

    return rank


def draw(parse: Parse, seed: int) -> Floats:
    """The scores of one sentence; of its text and the seed, and of nothing else."""
    stream = Random(f"{seed}:{parse.text}")  # noqa: S311 - a draw of tests, not a secret
    drawn = [(stream.random(), word) for word in parse.tokens]
    return np.array([score if rankable(word) else NEVER for score, word in drawn], np.float32)


def doubt_around() -> Ranking:
    """The doubts of the output tokens and their neighbours, weighted by their attention to a word."""
    return from_tokens(shared_doubts, np.sum)


def least_sure() -> Ranking:
    """One minus the lowest probability among the output tokens aligned to a word, or 0 without any."""
    return from_tokens(greatest_doubts, np.max)


def shared_doubts(seen: Inspection) -> Floats:
    """For each source token, its share of the doubts in the output, each with those beside it."""
    doubts = np.pad(output_doubts(seen), 1)
    around = doubts[:-2] + doubts[1:-1] + doubts[2:]
    return np.asarray(around @ seen.attention, np.float32)


def greatest_doubts(seen: Inspection) -> Floats:
    """For each source token, the greatest doubt among the output tokens aligned to it."""
    doubts = np.zeros(len(seen.source_spans), np.float32)
    words = np.array([end > start for start, end in seen.source_spans], bool)
    if doubts.size and seen.probabilities.size:
        aligned = seen.attention.argmax(-1)
        # What looks at the end of the sentence, as its own end does, comes from no word.
        sure = ~words[aligned]
        np.maximum.at(doubts, aligned, np.where(sure, 0, output_doubts(seen)))
    return doubts


def output_doubts(seen: Inspection) -> Floats:
    """One minus the probability of each output token; none of punctuation, whose doubt says nothing of a word."""
    words = [any(sign.isalnum() for sign in token) for token in seen.target_tokens]
    return np.where(words, 1 - seen.probabilities, np.float32(0))


def gradient_norm() -> Ranking:
    """The largest gradient norm among the pieces of a word: GRI as published."""
    return from_tokens(lambda seen: seen.gradients, np.max)


def gradient_times_input() -> Ranking:
    """The size of gradient times input, summed over the pieces of a word."""
    return from_tokens(lambda seen: seen.salience, np.sum)
