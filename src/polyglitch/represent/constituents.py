"""A text as the counts of its phrases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from polyglitch.language.projection import tree_of
from polyglitch.protocols import Parse, Tools, Tree
from polyglitch.represent.counts import label_counts


def constituents(texts: Sequence[str], tools: Tools, language: str | None) -> list[Counter[str]]:
    """How often each phrase label occurs in each text."""
    return label_counts("constituents", texts, tools, language, phrases)


def phrases(parse: Parse) -> Counter[str]:
    """The phrase labels of a parse; parts of speech are not counted."""
    found: Counter[str] = Counter()
    tree = tree_of(parse)
    open_nodes: list[Tree] = [tree] if tree else []
    while open_nodes:
        node = open_nodes.pop()
        if node.children:
            found[node.label] += 1
            open_nodes += node.children
    return found
