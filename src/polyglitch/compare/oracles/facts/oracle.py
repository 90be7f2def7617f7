"""The facts oracle: every output of a trial against the input it answers, with sentences that say what is wrong.

It needs no second output and no mutant, so it sees what two translations get wrong alike.
"""

from __future__ import annotations

from collections.abc import Sequence

from polyglitch.compare.oracles.aligned.resources import guess_language
from polyglitch.compare.oracles.facts.checks import broken_facts_of
from polyglitch.compare.oracles.facts.lists import FactFinding
from polyglitch.component import Component
from polyglitch.errors import UsageError
from polyglitch.languages import two_letters
from polyglitch.protocols import Tools
from polyglitch.records import Span, Trial, Verdict

THRESHOLD = 0.5  # what is only likely, such as one negation more of two, weighs 0.6
VERSION = 1  # of the rules, so that verdicts of others are not taken for these
ORDINAL = ("first", "second")


def facts(
    threshold: float = THRESHOLD, language: str | None = None, source_language: str | None = None
) -> Component[[Sequence[Trial], Tools], list[Verdict]]:
    """Violated if an output breaks a fact of its own input; `language` is the outputs', else told or guessed."""
    if not 0 <= threshold <= 1:
        raise UsageError(f"facts: threshold={threshold} is no probability; give one from 0 to 1")

    def judge_all(trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        return [judge(trial, tools, threshold, source_language, language) for trial in trials]

    arguments = {"language": language, "rules": VERSION, "threshold": threshold}
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
