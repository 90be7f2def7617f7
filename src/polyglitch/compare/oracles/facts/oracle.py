"""The facts oracle: every output of a trial against the input it answers, by all checks of one translation, with
sentences that say what is wrong.

It needs no second output and no mutant, so it sees what two translations get wrong alike.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, lru_cache

from polyglitch.compare.oracles.facts.amounts import amount_findings, date_findings
from polyglitch.compare.oracles.facts.lists import RECENT, FactFinding
from polyglitch.compare.oracles.facts.wording import (
    copied_findings,
    language_findings,
    length_findings,
    name_findings,
    negation_findings,
    repeat_findings,
)
from polyglitch.component import Component
from polyglitch.errors import UsageError
from polyglitch.languages import two_letters
from polyglitch.languages.guess import guess_language
from polyglitch.nlp.lexicons.words import lists_at_hand
from polyglitch.protocols import Tools
from polyglitch.records import Span, Trial, Verdict

EMPTY = 0.95
EACH = "negation"  # the kind of finding that is told once for every word
SURE = 0.75  # findings of at least this weight count for a pair of outputs
Check = Callable[[str, str, str, str], list[FactFinding]]
CHECKS: tuple[Check, ...] = (
    negation_findings,
    amount_findings,
    date_findings,
    name_findings,
    copied_findings,
    repeat_findings,
    length_findings,
)


def broken_facts_of(
    source: str, output: str, source_language: str, language: str
) -> list[FactFinding]:
    """What a translation does not keep of its source, worst first."""
    if not output.strip():
        return [FactFinding("cut off", "the translation is empty", 0, 0, EMPTY)]
    whole = language_findings(source, output, source_language, language)
    if whole:
        return whole  # nothing else can be read then
    found = [item for check in CHECKS for item in check(source, output, source_language, language)]
    return sorted(found, key=lambda item: (-item.weight, item.start, item.kind))


@lru_cache(RECENT)
def sure_facts(
    source: str, output: str, source_language: str, language: str
) -> tuple[FactFinding, ...]:
    """The findings that count for a pair of outputs; the mutants of a sentence share its own."""
    found = broken_facts_of(source, output, source_language, language)
    return tuple(item for item in found if item.weight >= SURE)


def one_sided(
    sources: tuple[str, str], outputs: tuple[str, str], source_language: str, language: str
) -> list[tuple[int, FactFinding]]:
    """The sure findings of one output whose kind the other is free of, with the number of the output.

    Of negations that were added the other must only have fewer: each of them is an error of its own.
    """
    if outputs[0] == outputs[1]:
        return []
    found = [
        sure_facts(*texts, source_language, language)
        for texts in zip(sources, outputs, strict=True)
    ]
    kinds = [Counter(item.kind for item in side) for side in found]
    return [
        (number, item)
        for number, side in enumerate(found)
        for item in side
        if kinds[1 - number][item.kind] < (kinds[number][item.kind] if item.kind == EACH else 1)
    ]


log = logging.getLogger("polyglitch")
THRESHOLD = 0.5  # what is only likely, such as one negation more of two, weighs 0.6
VERSION = 3  # of the rules, so that verdicts of others are not taken for these
ORDINAL = ("first", "second")


def facts(
    threshold: float = THRESHOLD, language: str | None = None, source_language: str | None = None
) -> Component[[Sequence[Trial], Tools], list[Verdict]]:
    """Violated if an output breaks a fact of its own input; `language` is the outputs', else told or guessed."""
    if not 0 <= threshold <= 1:
        raise UsageError(f"facts: threshold={threshold} is no probability; give one from 0 to 1")

    def judge_all(trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        if lists_at_hand() == "none":
            warn_once()
        return [judge(trial, tools, threshold, source_language, language) for trial in trials]

    arguments = {
        "language": language,
        "lists": lists_at_hand(),
        "rules": VERSION,
        "threshold": threshold,
    }
    return Component("facts", arguments, judge_all)


def judge(
    trial: Trial, tools: Tools, threshold: float, source_language: str | None, language: str | None
) -> Verdict:
    """The verdict on one trial: all of its outputs, each with its own input."""
    case = trial.case
    reason = trial.failure or ("" if case.inputs else "the case has no input")
    if not reason and not any(item.text.strip() for item in case.inputs):
        reason = "the source is empty"
    if reason:
        return Verdict(case.id, "undecided", reason)
    told = source_language or case.inputs[0].language or tools.languages[0]
    source = two_letters(told) or guess_language([item.text for item in case.inputs])
    target = two_letters(language or tools.languages[1])
    target = target or guess_language([output.text for output in trial.outputs])
    if not target:
        return Verdict(
            case.id,
            "undecided",
            "the language of the translation is not known: tell it by target_lang or language=",
        )
    found = [
        (number, item)
        for number, (given, output) in enumerate(zip(case.inputs, trial.outputs, strict=False))
        for item in broken_facts_of(given.text, output.text, source, target)
    ]
    return verdict_of(trial, found, threshold)


def verdict_of(trial: Trial, found: list[tuple[int, FactFinding]], threshold: float) -> Verdict:
    """The findings as a verdict; the score is the weight of the worst."""
    kinds: dict[str, float] = {}
    for _, item in found:
        kinds[item.kind] = max(kinds.get(item.kind, 0.0), item.weight)
    score = max(kinds.values(), default=0.0)
    several = len(trial.outputs) > 1
    reasons = [
        f"{ORDINAL[number]}: {item.reason}" if several and number < len(ORDINAL) else item.reason
        for number, item in found
    ]
    spans = [
        Span(number, item.start, item.end, reason, "source")
        for (number, item), reason in zip(found, reasons, strict=True)
    ]
    return Verdict(
        trial.case.id,
        "violated" if score > threshold else "holds",
        score=score,
        threshold=threshold,
        details={kind: round(weight, 4) for kind, weight in sorted(kinds.items())},
        reasons=tuple(dict.fromkeys(reasons)),
        spans=tuple(spans),
    )


@cache
def warn_once() -> None:
    """Say what is not seen without lists of frequencies, once a process."""
    log.warning(
        "facts: words left untranslated are told by their letters alone, which misses most of them; "
        "lists of common words help: pip install 'polyglitch[frequencies]'"
    )
