"""General relations: small changes after which a classifier, reader or chat model must agree with itself."""

from __future__ import annotations

from dataclasses import replace

from polyglitch.methods.alict import alict
from polyglitch.mutate.capabilities.spec import load_suite
from polyglitch.mutate.relations import reads_grammar
from polyglitch.registry import Method


def relations(
    relations: tuple[str, ...] = (), per_relation: int | None = None, report: int = 3
) -> Method:
    """Test the general relations, all or some; no label is needed."""
    read = {c.name: reads_grammar(c.change) for c in load_suite("general", relations)}
    left_out = ", ".join(name for name, grammar in read.items() if grammar)
    needs = ("parser",) if all(read.values()) else (f"words:{left_out}",) if left_out else ()
    made = alict(
        "general",
        relations,
        expansions=0,
        lexicons=("bundled",),
        per_capability=per_relation,
        report=report,
    )
    return replace(made, name="relations", language=None, needs=needs)
