"""The facts oracle: every output of a trial against the input it answers, by all checks of one translation, with
sentences that say what is wrong.

It needs no second output and no mutant, so it sees what two translations get wrong alike.

Numbers, units and dates of a source that its translation must have.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, lru_cache

from polyglitch.compare.oracles.facts.numbers import (
    RECENT,
    Amount,
    FactFinding,
    FactWord,
    fact_lists,
    fact_words,
    other_values,
    read_amounts,
    without_titles,
)
from polyglitch.compare.oracles.facts.wording import (
    copied_findings,
    language_findings,
    length_findings,
    name_findings,
    negation_findings,
    repeat_findings,
    stand_in_findings,
)
from polyglitch.errors import UsageError
from polyglitch.languages import language as language_of
from polyglitch.languages import two_letters
from polyglitch.languages.record import guess_language
from polyglitch.nlp.lexicons.words import lists_at_hand
from polyglitch.protocols import Tools
from polyglitch.records import Span, Trial, Verdict
from polyglitch.registry import Component

NUMBER, UNIT, DATE = 0.9, 0.85, 0.85
BARE = 0.6  # a number word without a counterpart: often said in another way
CONVERTED = 0.08  # a translator who converts units rounds: so far the result may be off
# How many of the second unit make one of the first.
FACTORS = {
    ("mi", "km"): 1.609, ("ft", "m"): 0.3048, ("ft", "cm"): 30.48, ("in", "cm"): 2.54, ("in", "mm"): 25.4,
    ("yd", "m"): 0.9144, ("lb", "kg"): 0.4536, ("oz", "g"): 28.35, ("gal", "l"): 3.785, ("acre", "ha"): 0.4047,
    ("m", "km"): 0.001, ("m", "cm"): 100.0, ("kg", "g"): 1000.0, ("t", "kg"): 1000.0, ("l", "ml"): 1000.0,
    ("h", "min"): 60.0, ("y", "mo"): 12.0, ("wk", "d"): 7.0, ("d", "h"): 24.0,
}  # fmt: skip
CLOCK = re.compile(r"(\d{1,2})[.:](\d\d)")
NUMERIC_DATE = re.compile(r"\b\d{1,4}[./-](\d{1,2})[./-]\d{1,4}\b|\b\d{1,2}[./](\d{1,2})\b")


def amount_findings(
    source: str, output: str, source_language: str, language: str
) -> list[FactFinding]:
    """Numbers that are others, lost or added, and units that are others."""
    if not language_of(language).spaced or not language_of(source_language).spaced:
        return []  # a number stands together with the words after it there
    asked = read_amounts(source, source_language, strict=True)
    given = read_amounts(output, language, strict=False)
    matched, lost, free = match_amounts(asked, given)
    elsewhere = other_values(output, language)
    lost = [amount for amount in lost if amount.required and not amount.values & elsewhere]
    # "Some forty" may be a round number by a word of its own: une quarantaine.
    if any(word.low in fact_lists(language).vague for word in fact_words(output, language)):
        lost = [amount for amount in lost if amount.figures]
    # Without number words of both languages nothing can be said of numbers in words.
    if not language_of(language).numbers or not language_of(source_language).numbers:
        lost = [amount for amount in lost if amount.figures and len(amount.values) == 1]
    said = other_values(source, source_language)
    extra = [amount for amount in free if amount.required and not amount.values & said]
    found = [unit for pair in matched if (unit := other_unit(*pair))]
    return found + number_findings(lost, extra, output, bool(asked))


def match_amounts(
    asked: list[Amount], given: list[Amount]
) -> tuple[list[tuple[Amount, Amount]], list[Amount], list[Amount]]:
    """Amounts that are one, and those of either text that are left over; converted ones count as kept."""
    matched, lost, free = [], [], list(given)
    for amount in asked:
        same = [other for other in free if amount.same(other)]
        if not same:
            lost.append(amount)
            continue
        best = next((other for other in same if amount.units & other.units), same[0])
        free.remove(best)
        matched.append((amount, best))
    for amount in list(lost):
        if clock := CLOCK.fullmatch(amount.text):  # 6.30 may well be 6:30 or 6 h 30
            parts = [float(part) for part in clock.groups()]
            same = [other for other in free if other.values & set(parts)]
            if len(same) >= len(set(parts)):
                lost.remove(amount)
                free = [other for other in free if other not in same]
                continue
        turned = next((other for other in free if converted(amount, other)), None)
        repeated = any(amount.same(other) for other in given)  # said once for two times
        if turned is not None:
            free.remove(turned)
        if turned is not None or repeated:
            lost.remove(amount)
    again = [amount for amount in asked if amount not in lost]
    free = [
        other
        for other in free
        if other.values != {0.0} and not any(other.same(amount) for amount in again)
    ]
    return matched, lost, free


def converted(one: Amount, other: Amount) -> bool:
    """Whether one amount is the other in another unit."""
    for (large, small), factor in FACTORS.items():
        for a, b in ((one, other), (other, one)):
            if large in a.units and small in b.units:
                near = (
                    abs(x * factor - y) <= CONVERTED * abs(y) for x in a.values for y in b.values
                )
                if any(near):
                    return True
    return False


def other_unit(amount: Amount, other: Amount) -> FactFinding | None:
    """The same number with another unit."""
    if not amount.units or not other.units or amount.units & other.units or amount.values == {1.0}:
        return None
    reason = (
        f"'{amount.text}' is of {shown(amount)} in the source, of {shown(other)} in the translation"
    )
    return FactFinding("unit", reason, other.start, other.end, UNIT)


def shown(amount: Amount) -> str:
    """The units of an amount."""
    return " or ".join(sorted(amount.units))


def number_findings(
    lost: list[Amount], extra: list[Amount], output: str, any_asked: bool
) -> list[FactFinding]:
    """What is lost with what stands in its place, in order; then what is merely lost or added."""
    found = []
    for amount, other in zip(lost, extra, strict=False):
        reason = f"number '{amount.text}' of the source became '{other.text}'"
        found.append(FactFinding("number", reason, other.start, other.end, NUMBER))
    for amount in lost[len(extra) :]:
        reason = (
            f"number '{amount.text}' stands in the source, and the translation has no such number"
        )
        found.append(
            FactFinding("number", reason, 0, len(output), NUMBER if amount.figures else BARE)
        )
    for other in extra[len(lost) :]:
        if other.figures and any_asked:
            reason = f"number '{other.text}' stands in the translation, and the source has no such number"
            found.append(FactFinding("number", reason, other.start, other.end, BARE))
    return found


def date_findings(
    source: str, output: str, source_language: str, language: str
) -> list[FactFinding]:
    """Months and weekdays that are others or lost."""
    before, after = without_titles(
        fact_words(source, source_language), fact_words(output, language)
    )
    there, here = fact_lists(language), fact_lists(source_language)
    if not there.months or not here.months:
        return []
    asked = months(before, source_language)
    given = months(after, language)
    numeric = {int(a or b) - 1 for a, b in NUMERIC_DATE.findall(output)}
    found = missing("month", asked, given, numeric, output)
    return found + missing(
        "day", weekdays(before, source_language), weekdays(after, language), set(), output
    )


def missing(
    what: str,
    asked: dict[int, FactWord],
    given: dict[int, FactWord],
    others: set[int],
    output: str,
) -> list[FactFinding]:
    """The days or months of a source that its translation lacks, with what stands in their place."""
    lost = [word for number, word in asked.items() if number not in given and number not in others]
    extra = [word for number, word in given.items() if number not in asked]
    found = []
    for place, word in enumerate(lost):
        if place < len(extra):
            other = extra[place]
            reason = f"the {what} '{word.text}' of the source became '{other.text}'"
            found.append(FactFinding("date", reason, other.start, other.end, DATE))
        else:
            reason = f"the {what} '{word.text}' stands in the source, and not in the translation"
            found.append(FactFinding("date", reason, 0, len(output), BARE))
    return found


def months(words: tuple[FactWord, ...], code: str) -> dict[int, FactWord]:
    """The months that a text names, each with its first word."""
    lists, numbers = fact_lists(code), by_name(fact_lists(code).months)
    found: dict[int, FactWord] = {}
    for at, word in enumerate(words):
        number = numbers.get(word.low)
        if number is not None and (word.low not in lists.doubtful_months or dated(words, at, code)):
            found.setdefault(number, word)
    return found


@cache
def by_name(lists: tuple[tuple[str, ...], ...]) -> dict[str, int]:
    """Which month or day each of the names is; of two that share one the first."""
    return {name: number for number, names in reversed([*enumerate(lists)]) for name in names}


def dated(words: tuple[FactWord, ...], at: int, code: str) -> bool:
    """Whether a word that may be a month stands as one does: capitalised, by a figure or after "in"."""
    if not words[at].text[:1].isupper():
        return False
    beside = [words[place].low for place in (at - 1, at + 1) if 0 <= place < len(words)]
    if any(other[:1].isdigit() for other in beside):
        return True
    return at > 0 and words[at - 1].low in fact_lists(code).before_months


def weekdays(words: tuple[FactWord, ...], code: str) -> dict[int, FactWord]:
    """The days of the week that a text names, each with its first word."""
    lists, numbers = fact_lists(code), by_name(fact_lists(code).weekdays)
    found: dict[int, FactWord] = {}
    for word in words:
        ends = lists.joined_days
        stems = (word.low, *(word.low.removesuffix(end).removesuffix("s") for end in ends))
        number = min((numbers[stem] for stem in stems if stem in numbers), default=None)
        if number is None and lists.joined_days:  # Palmsonntag
            number = next(
                (n for n, names in enumerate(lists.weekdays) if word.low.endswith(names[0])), None
            )
        if number is not None:
            found.setdefault(number, word)
    return found


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
    stand_in_findings,
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
VERSION = 16  # of the rules, so that verdicts of others are not taken for these
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
