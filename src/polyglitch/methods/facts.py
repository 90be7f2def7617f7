"""Facts: each translation must keep the negations, numbers, units, dates and names of its own source.

No mutant and no second output: what a translator gets wrong in a sentence and in its mutant alike shows only here.
"""

from __future__ import annotations

from polyglitch.compare.oracles.facts.oracle import THRESHOLD
from polyglitch.compare.oracles.facts.oracle import facts as facts_kept
from polyglitch.issues.groups import worst_first
from polyglitch.mutate.suite import as_they_are
from polyglitch.registry import Method


def facts(threshold: float = THRESHOLD, report: int = 3) -> Method:
    """Translate every sentence as it is; report the translations that break a fact of it."""
    return Method(
        name="facts",
        task="translation",
        mutate=as_they_are("facts kept"),
        compare=facts_kept(threshold=threshold),
        issues=worst_first(report),
    )
