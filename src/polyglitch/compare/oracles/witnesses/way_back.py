"""The way back: which words of the source one translation still tells, and the other does not.

A model of the other direction is not asked to translate (the noise of a whole trip drowns what is looked for), but how
likely it finds each source after its own translation. Words that both sources have should be told by both translations
alike; where one is told by one and hardly by the other, something of it was lost or changed on the way there. Of the
words that the edit put, each must be told by its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from polyglitch.compare.metrics.units import Units, cut
from polyglitch.compare.oracles.witnesses.changed_words import (
    ORDINALS,
    Pair,
    Statement,
    changed_pair,
)
from polyglitch.compare.oracles.witnesses.confidence import (
    DIGITS,
    AskedText,
    shown,
    surprise_at,
    token_scores,
)
from polyglitch.languages import language as language_of
from polyglitch.protocols import Lens, TokenScore, Tools
from polyglitch.records import Trial, two_texts

COUNTED = 3  # words that are told worst: one may be a whim of the model, a lost phrase has several
MOST = 8.0  # nats that a word counts at most
UNTOLD, TOLD = 8.0, 1.0  # nats: a word that a translation does not tell, and one that it does


class WayBack:
    """Hears a lens of the other direction on the sources of pairs whose outputs differ."""

    name = "back"
    signature = "back(2)"

    def __init__(self, language: str | None = None) -> None:
        self.language = language  # of the outputs, where the campaign does not tell

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """How differently the translations tell the words that the sources share, in nats; nothing without a lens."""
        lens = tools.back_lens
        if lens is None:
            return [None] * len(trials)
        target = self.language or tools.languages[1]
        looked_at = [changed_pair(trial, target) is not None for trial in trials]
        pairs = zip(trials, looked_at, strict=True)
        asked = [side for trial, wanted in pairs if wanted for side in homeward(trial)]
        languages = (target, tools.languages[0])
        scores = token_scores(lens, list(dict.fromkeys(asked)), tools, languages)
        return [
            statement_back(trial, scores, lens, tools.languages[0]) if wanted else None
            for trial, wanted in zip(trials, looked_at, strict=True)
        ]


class LostWord:
    """Hears the same lens on the edited words of pairs where one output has nothing for what the other says.

    "um afinador de piano" and "um piano" for a tuner and a player: no word is wrong, and one is missing. Where its
    source word is told all the same nothing is lost: "armas" and "armas de fogo" for guns and firearms.
    """

    name = "lost"
    signature = "lost(1)"

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """Whether an edited word is lost; nothing without a lens of the other direction."""
        lens, (source, target) = tools.back_lens, tools.languages
        found: list[Statement | None] = [None] * len(trials)
        if lens is None:
            return found
        lacking = {
            at: number
            for at, trial in enumerate(trials)
            if trial.case.relation == "similar"
            and (number := lacking_output(changed_pair(trial, target), target)) is not None
        }
        asked = [side for at in lacking for side in homeward(trials[at])]
        scores = token_scores(lens, list(dict.fromkeys(asked)), tools, (target, source))
        for at, number in lacking.items():
            found[at] = statement_lost(trials[at], number, scores, lens, source)
        return found


def lacking_output(pair: Pair | None, language: str | None) -> int | None:
    """The output that only lacks words of the other, if one does and they are more than articles and the like."""
    light = language_of(language).function_words
    more = [word for word in pair.words if not word.early] if pair else []
    one_sided = len({word.output for word in more}) == 1
    telling = pair is not None and any(pair.text(word).lower() not in light for word in more)
    return 1 - more[0].output if one_sided and telling else None


def statement_lost(
    trial: Trial,
    number: int,
    scores: dict[AskedText, list[TokenScore]],
    lens: Lens,
    language: str | None,
) -> Statement | None:
    """What is to be said of an edited word that an output does not tell, where the other tells its own."""
    sources = [cut(item.text, language) for item in trial.case.inputs[:2]]
    kept = list(zip(*shared(sources[0], sources[1]), strict=True)) or [(), ()]
    light = language_of(language).function_words
    edited = [
        [
            (surprise_at(scores[side], span), unit)
            for place, (unit, span) in enumerate(zip(source.units, source.spans, strict=True))
            if place not in kept[at] and unit.isalpha() and unit.lower() not in light
        ]
        for at, (source, side) in enumerate(zip(sources, homeward(trial), strict=True))
    ]
    if not all(edited):
        return None
    (untold, word), (told, other) = max(edited[number]), min(edited[1 - number])
    if untold < UNTOLD or told > TOLD:
        return None
    words = (
        f"the {ORDINALS[number]} translation has nothing for {word!r} of its source, where the other says {other!r}: "
        f"{lens.signature.partition('|')[0]} gives it a chance of {shown(math.exp(-untold))}"
    )
    return Statement(LostWord.name, 1.0, words, number)


def homeward(trial: Trial) -> tuple[AskedText, AskedText]:
    """Each output with the source that it should tell."""
    first, second = two_texts(trial)
    return AskedText(first, trial.case.inputs[0].text), AskedText(second, trial.case.inputs[1].text)


class Told(NamedTuple):
    """A word that both sources have: where it stands in the first, and how surprising after each translation."""

    text: str
    first: float
    second: float

    @property
    def difference(self) -> float:
        """How much worse one translation tells it than the other."""
        return min(abs(self.first - self.second), MOST)


def statement_back(
    trial: Trial, scores: dict[AskedText, list[TokenScore]], lens: Lens, language: str | None
) -> Statement | None:
    """What is to be said of the words that are told most differently."""
    sides = [scores[side] for side in homeward(trial)]
    sources = [cut(item.text, language) for item in trial.case.inputs[:2]]
    told = [
        Told(
            sources[0].units[a],
            surprise_at(sides[0], sources[0].spans[a]),
            surprise_at(sides[1], sources[1].spans[b]),
        )
        for a, b in shared(sources[0], sources[1])
    ]
    if not told:
        return None
    worst = sorted(told, key=lambda one: -one.difference)[:COUNTED]
    # "the" is seldom what was lost: another word is shown, where one is told nearly as badly.
    told_badly = [item for item in worst if 2 * item.difference >= worst[0].difference]
    light = language_of(language).articles
    one = next((item for item in told_badly if item.text.lower() not in light), worst[0])
    at_fault = 0 if one.first > one.second else 1
    here, there = (one.first, one.second) if at_fault == 0 else (one.second, one.first)
    name = lens.signature.partition("|")[0]
    words = (
        f"the {ORDINALS[at_fault]} translation hardly tells {one.text!r} of its source: {name} gives it a chance of "
        f"{shown(math.exp(-here))}, and of {shown(math.exp(-there))} after the other"
    )
    total = round(sum(item.difference for item in worst), DIGITS)
    return Statement(WayBack.name, total, words, at_fault)


def shared(first: Units, second: Units) -> list[tuple[int, int]]:
    """The units that both sources have, by their numbers in each."""
    found: list[tuple[int, int]] = []
    folded = [[unit.casefold() for unit in side.units] for side in (first, second)]
    for code in LCSseq.opcodes(*folded):
        if code.tag == "equal":
            found += zip(
                range(code.src_start, code.src_end),
                range(code.dest_start, code.dest_end),
                strict=True,
            )
    return found
