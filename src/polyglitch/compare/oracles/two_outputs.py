"""Oracles on the two outputs of a trial, as published: PatInv's, by which inputs of different meaning must not get the
same output; RTI's and Purity's, by which the translation of a phrase is found in that of its container; SIT's, by which
replacing a word does not change the structure of a translation.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from rapidfuzz.distance import Levenshtein

from polyglitch.compare.metrics.units import Units, cut, differences, letters_only, units
from polyglitch.errors import UsageError
from polyglitch.languages import language as language_of
from polyglitch.protocols import Tools
from polyglitch.records import Span, Trial, Verdict, two_texts, undecided
from polyglitch.registry import component


class Judge(Protocol):
    """What a factory of an oracle returns: `part` adds the signature that makes it an `Oracle`."""

    def __call__(self, trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        """One verdict a trial, in order."""


Evidence = tuple[tuple[Span, ...], tuple[str, ...]]  # where and why


def against_limit(
    trial: Trial,
    score: float,
    above: float,
    evidence: Callable[[], Evidence],
    **details: float,
) -> Verdict:
    """Violated if a score is above its limit; only then it is asked where and why."""
    broken = score > above
    spans, reasons = evidence() if broken else ((), ())
    return Verdict(
        trial.case.id,
        "violated" if broken else "holds",
        score=float(score),
        threshold=above,
        details={"distance": float(score)} | details,
        reasons=reasons,
        spans=spans,
    )


@component
def different_output() -> Judge:
    """Violated if the outputs are equal but for case, blanks and punctuation.

    The published code asks for equality to the letter and ranks nothing. Here the score is how many
    source words the output does not care about, and what was removed counts one more than what was
    replaced: two words may share a translation, a word and nothing may not.
    """

    def judge(trial: Trial) -> Verdict:
        first, second = map(letters_only, two_texts(trial))
        if first != second:
            return Verdict(trial.case.id, "holds", score=0.0, threshold=0.0)
        edit = trial.case.edit
        changed = len(units(edit.old)) + (not edit.new) if edit else 1
        what = (
            f"'{edit.old}' {'became ' + repr(edit.new) if edit.new else 'was removed'}"
            if edit
            else ""
        )
        return Verdict(
            trial.case.id,
            "violated",
            score=float(changed),
            threshold=0.0,
            reasons=(f"{what or 'the input changed'}, and the output is the same",),
        )

    def judge_all(trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        return [undecided(trial) or judge(trial) for trial in trials]

    return judge_all


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


# A batch of texts, the tools and the language of the texts in; for each text how often each label
# occurs out.
Representation = Callable[[Sequence[str], Tools, str | None], list[Counter[str]]]


@component
def raw_distance(
    above: float = 0,
    unit: Literal["characters", "words"] = "characters",
    language: str | None = None,
) -> Judge:
    """Violated if the edit distance between the two outputs is above a limit (SIT, raw structure).

    The translation of the replaced word itself counts too, as published: the distance is there to
    rank by.
    """
    if unit not in ("characters", "words"):
        raise UsageError(f"raw_distance: unit={unit!r} is not known; give 'characters' or 'words'")

    def judge_all(trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        return [undecided(trial) or judge(trial) for trial in trials]

    def judge(trial: Trial) -> Verdict:
        a, b = two_texts(trial)
        if unit == "characters":
            distance = Levenshtein.distance(a, b)
        else:
            distance = Levenshtein.distance(units(a, language), units(b, language))
        return against_limit(trial, distance, above, lambda: differences(a, b, language))

    return judge_all


@component
def label_count_distance(
    representation: Representation, above: float = 0, language: str | None = None
) -> Judge:
    """Violated if the label counts of the outputs' structures are further apart than a limit.

    `language` is that of the outputs, by default the campaign's target. Each distinct text is
    represented once, all in one batch; equal outputs have equal structures and are not looked at.
    """

    def judge_all(trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        early = [undecided(trial) for trial in trials]
        pairs = [
            two_texts(trial) for trial, gone in zip(trials, early, strict=True) if gone is None
        ]
        texts = list(dict.fromkeys(text for a, b in pairs if a != b for text in (a, b)))
        target = language or tools.languages[1]
        found = representation(texts, tools, target) if texts else []
        labels = dict(zip(texts, found, strict=True))
        return [gone or judge(trial, labels) for trial, gone in zip(trials, early, strict=True)]

    def judge(trial: Trial, labels: dict[str, Counter[str]]) -> Verdict:
        a, b = two_texts(trial)
        distance = 0 if a == b else count_distance(labels[a], labels[b])
        return against_limit(trial, distance, above, lambda: differences(a, b, language))

    return judge_all


def count_distance(a: Counter[str], b: Counter[str]) -> int:
    """The sum over all labels of how far their counts are apart."""
    return sum(abs(a[label] - b[label]) for label in a.keys() | b.keys())
