"""A suite made elsewhere (CheckList, HateCheck, any table with text, label and capability), run as it is."""

from __future__ import annotations

from polyglitch.compare.oracles.labels import label_relations
from polyglitch.issues.groups import worst_first
from polyglitch.mutate.capabilities.predicates import label_names
from polyglitch.mutate.suite import suite_cases
from polyglitch.registry import Method


def suite(labels: str = "words", report: int = 3) -> Method:
    """Every row of the corpus is a test: its label is what must come back."""
    return Method(
        name="suite",
        task="classification",
        mutate=suite_cases(tuple(sorted(label_names(labels).items()))),
        compare=label_relations(),
        issues=worst_first(report),
    )
