"""Numbers, units and dates of a source that its translation must have."""

from __future__ import annotations

import re

from polyglitch.compare.oracles.facts.lists import (
    FactFinding,
    FactWord,
    fact_lists,
    fact_words,
    without_titles,
)
from polyglitch.compare.oracles.facts.numbers import Amount, other_values, read_amounts
from polyglitch.languages import language as language_of

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
    lists = fact_lists(code)
    found: dict[int, FactWord] = {}
    for at, word in enumerate(words):
        number = next((n for n, names in enumerate(lists.months) if word.low in names), None)
        if number is not None and (word.low not in lists.doubtful_months or dated(words, at, code)):
            found.setdefault(number, word)
    return found


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
    lists = fact_lists(code)
    found: dict[int, FactWord] = {}
    for word in words:
        stems = {
            word.low,
            *(word.low.removesuffix(end).removesuffix("s") for end in lists.joined_days),
        }
        number = next((n for n, names in enumerate(lists.weekdays) if stems & set(names)), None)
        if number is None and lists.joined_days:  # Palmsonntag
            number = next(
                (n for n, names in enumerate(lists.weekdays) if word.low.endswith(names[0])), None
            )
        if number is not None:
            found.setdefault(number, word)
    return found
