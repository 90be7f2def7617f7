"""Containment (RTI, Purity): the translation of a phrase must be found in that of its container."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from polyglitch.compare.metrics.units import Units, cut
from polyglitch.compare.oracles.two_outputs import (
    Evidence,
    Judge,
    against_limit,
    two_texts,
    undecided,
)
from polyglitch.component import component
from polyglitch.languages import language as language_of
from polyglitch.protocols import Tools
from polyglitch.records import Span, Trial, Verdict

UNTRANSLATED = re.compile("[a-z]")
# Where words agree by their last letters, a phrase cut out of its sentence may rightly agree with something else.
SHORTEST_STEM = 3


@component
def contained_in(above: float = 0, language: str | None = None) -> Judge:
    """Violated if more than `above` units of the phrase's translation are lacking in its container's.

    Units are words or characters, by script, whatever their order. Stop words of the target
    language are left out of the phrase: articles and the prepositions that take them up change
    with the sentence around. As published, where the target is not written in Latin letters, an
    output that keeps some is not judged.
    """

    def judge_all(trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        target = language or tools.languages[1]
        return [undecided(trial) or judge(trial, target) for trial in trials]

    def judge(trial: Trial, target: str | None) -> Verdict:
        around, phrase = two_texts(trial)
        if other_script(around) and (UNTRANSLATED.search(around) or UNTRANSLATED.search(phrase)):
            return Verdict(trial.case.id, "undecided", "the output keeps Latin letters")
        inner = cut(phrase, target)
        lacking = missing(inner, cut(around, target), language_of(target).stop_words, target)

        def evidence() -> Evidence:
            words = [phrase[start:end] for start, end in lacking]
            return (
                tuple(Span(1, start, end, "not in the whole") for start, end in lacking),
                tuple(f"'{word}' is not in the translation of the whole" for word in words),
            )

        return against_limit(trial, len(lacking), above, evidence, units=float(len(inner.units)))

    return judge_all


def missing(
    phrase: Units, around: Units, stops: frozenset[str], language: str | None
) -> list[tuple[int, int]]:
    """Where the units of the phrase stand that its container has not, each counted as often."""
    left = Counter(fold(unit, language) for unit in around.units)
    places: list[tuple[int, int]] = []
    for unit, place in zip(phrase.units, phrase.spans, strict=True):
        key = fold(unit, language)
        if left[key] > 0:
            left[key] -= 1
        elif unit.casefold() not in stops and any(map(str.isalnum, key)):
            places.append(place)
    return places


def fold(unit: str, language: str | None = None) -> str:
    """A unit as it is compared, without capitals and, where words agree, without the ending."""
    word = unicodedata.normalize("NFC", unit).casefold()
    endings = [end for end in language_of(language).agreement.endings if word.endswith(end)]
    stem = word.removesuffix(max(endings, key=len)) if endings else word
    return stem if len(stem) >= SHORTEST_STEM else word


def other_script(text: str) -> bool:
    """Whether most letters of a text are not Latin."""
    letters = [c for c in text if c.isalpha()]
    latin = sum(unicodedata.name(c, "").startswith("LATIN") for c in letters)
    return latin * 2 < len(letters)
