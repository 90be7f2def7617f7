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

What a model says of a mutant before it is asked for it: how much less likely the first output becomes.

The output to the original is scored for the original and for the mutant: one forward pass each, nothing is decoded. A
piece that looks at the replaced word must change; what counts are the others. The model is the system under test where
it says how likely an output is, else a lens: another model that stands in for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from polyglitch.files.lazy_numpy import np
from polyglitch.protocols import (
    AligningLens,
    Floats,
    ForcedReading,
    Inspection,
    Lens,
    System,
    Tools,
)
from polyglitch.records import Case, Edit, Input, Output, Parse, Seed, Token, digest

NEVER = -1.0  # below every score; minus infinity would not survive JSON

Look = Callable[[Sequence[Seed]], Sequence[Inspection | None]]
Ask = Callable[[Sequence[Input]], Sequence[Output]]
AT_ONCE = 256  # cases that are read in one call
LEAST = -20.0  # log-probability: below it a model's tail tells nothing


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


@dataclass(frozen=True)
class Glimpse:
    """What a model shows of a case before its follow-up is asked."""

    drop: float = 0.0  # nats that the first output loses at pieces that do not hang on the edit
    left: float = 0.0  # doubt of those pieces for the mutant, the sum of 1 - p
    doubt: float = 0.0  # of the first output for the original, the mean of 1 - p
    worst: float = 0.0  # the greatest doubt of one piece, in nats
    attention: float = 0.0  # how much of the output looks at the edited word, in pieces


class LookAhead:
    """Reads the outputs to originals for their mutants; what was read is kept."""

    def __init__(self, lens: Lens, ask: Ask, tools: Tools) -> None:
        self._lens, self._tools = lens, tools
        other = stand_in(tools)
        self._ask: Ask = other.ask if other else ask
        self._kind = f"ahead:2:{lens.signature}"

    def glimpses(self, cases: Sequence[Case]) -> list[Glimpse | None]:
        """What is seen of each case; nothing where there is no pair or no answer to look at."""
        pairs = [case if len(case.inputs) == 2 and case.edit else None for case in cases]
        firsts = list(dict.fromkeys(case.inputs[0] for case in pairs if case))
        answers = dict(zip(firsts, self._ask(firsts), strict=True)) if firsts else {}
        found: list[Glimpse | None] = [None] * len(cases)
        clear = [
            (number, case, answers[case.inputs[0]].text)
            for number, case in enumerate(pairs)
            if case and answers[case.inputs[0]].ok
        ]
        for start in range(0, len(clear), AT_ONCE):
            some = clear[start : start + AT_ONCE]
            seen = self._look([case for _, case, _ in some], [text for _, _, text in some])
            for (number, _, _), glimpse in zip(some, seen, strict=True):
                found[number] = glimpse
        return found

    def _look(self, cases: Sequence[Case], outputs: Sequence[str]) -> list[Glimpse]:
        keys = [
            digest([*(item.text for item in case.inputs), *places(case.edit), output], 32)
            for case, output in zip(cases, outputs, strict=True)
        ]
        known = self._tools.remember(self._kind, keys)
        todo = [number for number, key in enumerate(keys) if key not in known]
        if todo:
            before = self._read([(cases[n].inputs[0], outputs[n]) for n in todo])
            after = self._read([(cases[n].inputs[1], outputs[n]) for n in todo])
            fresh = {
                keys[n]: [round(value, 5) for value in glimpse(cases[n].edit, first, second)]
                for n, first, second in zip(todo, before, after, strict=True)
            }
            self._tools.keep(self._kind, fresh)
            known |= fresh
        return [Glimpse(*known[key]) for key in keys]

    def _read(self, pairs: Sequence[tuple[Input, str]]) -> list[ForcedReading]:
        """The reading of each input and output; of pairs that several mutants share, once."""
        distinct = list(dict.fromkeys(pairs))
        inputs, outputs = [item for item, _ in distinct], [text for _, text in distinct]
        if isinstance(self._lens, AligningLens):
            read = self._lens.read(inputs, outputs)
        else:
            scores = self._lens.score(inputs, outputs, self._tools.languages[1])
            read = [unaligned([one.log_probability for one in row]) for row in scores]
        found = dict(zip(distinct, read, strict=True))
        return [found[pair] for pair in pairs]


def stand_in(tools: Tools) -> System | None:
    """Another model that is looked into with its own answers, which cost the system no query."""
    lens = tools.lens
    return lens if isinstance(lens, System) and not tools.lens_is_own else None


def places(edit: Edit | None) -> tuple[str, str]:
    """Where an edit stands, as words of a key."""
    return (str(edit.start), str(edit.end)) if edit else ("", "")


def unaligned(log_probabilities: Sequence[float]) -> ForcedReading:
    """The reading of a model that does not show what it looks at."""
    values = np.asarray(log_probabilities, np.float32)
    return ForcedReading(values, (), np.zeros((len(values), 0), np.float32))


def glimpse(edit: Edit | None, before: ForcedReading, after: ForcedReading) -> tuple[float, ...]:
    """The numbers of a `Glimpse`, from the first output read for the original and for the mutant."""
    first = np.maximum(before.log_probabilities, LEAST)
    second = np.maximum(after.log_probabilities, LEAST)
    if not len(first) or len(first) != len(second):
        return (0.0,) * 5
    looks = on_edit(edit, before)
    drops = first - second
    return (
        float(((1 - looks) * drops).sum()),
        float(((1 - looks) * (1 - np.exp(second))).sum()),
        float((1 - np.exp(first)).mean()),
        float(-first.min()),
        float(looks.sum()),
    )


def on_edit(edit: Edit | None, reading: ForcedReading) -> Floats:
    """How much of each piece's attention is on the edited word."""
    if edit is None or not reading.source_spans:
        return np.zeros(len(reading.log_probabilities), np.float32)
    own = [start < edit.end and edit.start < end for start, end in reading.source_spans]
    return np.asarray(reading.attention[:, np.asarray(own)].sum(1), np.float32)
