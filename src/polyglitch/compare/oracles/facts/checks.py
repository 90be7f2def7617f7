"""All checks of one translation against its source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import lru_cache

from polyglitch.compare.oracles.facts.amounts import amount_findings, date_findings
from polyglitch.compare.oracles.facts.lists import RECENT, FactFinding
from polyglitch.compare.oracles.facts.negation import negation_findings
from polyglitch.compare.oracles.facts.wording import (
    copied_findings,
    language_findings,
    length_findings,
    name_findings,
    repeat_findings,
)

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
