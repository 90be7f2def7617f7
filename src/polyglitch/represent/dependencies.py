"""A text as the counts of its dependency relations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from polyglitch.protocols import Parse, Tools
from polyglitch.represent.counts import label_counts


def dependencies(texts: Sequence[str], tools: Tools, language: str | None) -> list[Counter[str]]:
    """How often each relation occurs in each text."""
    return label_counts("dependencies", texts, tools, language, relations, skim=True)


def relations(parse: Parse) -> Counter[str]:
    """The relations of a parse; the arc of the root is not counted, as published."""
    return Counter(
        token.relation for index, token in enumerate(parse.tokens) if token.head != index
    )
