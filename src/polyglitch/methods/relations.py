"""General relations: small changes after which a classifier, reader or chat model must agree with itself."""

from __future__ import annotations

from dataclasses import replace

from polyglitch.component import Method
from polyglitch.methods.alict import alict


def relations(
    relations: tuple[str, ...] = (), per_relation: int | None = None, report: int = 3
) -> Method:
    """Test the general relations, all or some; no label is needed."""
    made = alict("general", relations, expansions=0, per_capability=per_relation, report=report)
    return replace(made, name="relations", language=None)
