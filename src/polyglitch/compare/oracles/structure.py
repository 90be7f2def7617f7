"""Structure-invariant testing (SIT): replacing a word must not change a translation's structure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal

from rapidfuzz.distance import Levenshtein

from polyglitch.compare.metrics.diff import differences
from polyglitch.compare.metrics.units import units
from polyglitch.compare.oracles.two_outputs import Judge, against_limit, two_texts, undecided
from polyglitch.component import component
from polyglitch.errors import UsageError
from polyglitch.protocols import Tools
from polyglitch.records import Trial, Verdict

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
