"""A text as the counts of its phrases.

A text as the counts of its dependency relations.

How often each label occurs in the structure of a text, kept in the store once it was parsed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from polyglitch.nlp.parsers.constituents import tree_of
from polyglitch.protocols import Tools
from polyglitch.records import Parse, Tree, digest


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


def dependencies(texts: Sequence[str], tools: Tools, language: str | None) -> list[Counter[str]]:
    """How often each relation occurs in each text."""
    return label_counts("dependencies", texts, tools, language, relations, skim=True)


def relations(parse: Parse) -> Counter[str]:
    """The relations of a parse; the arc of the root is not counted, as published."""
    return Counter(
        token.relation for index, token in enumerate(parse.tokens) if token.head != index
    )


def label_counts(
    kind: str,
    texts: Sequence[str],
    tools: Tools,
    language: str | None,
    count: Callable[[Parse], Counter[str]],
    skim: bool = False,
) -> list[Counter[str]]:
    """The labels of each text; only texts never seen before by this parser are parsed, or skimmed."""
    parser = tools.parser(language)
    place = f"{kind} by {parser.signature}"
    keys = [digest([text]) for text in texts]
    known = tools.remember(place, keys)
    new = [text for text, key in zip(texts, keys, strict=True) if key not in known]
    read = parser.skim if skim else parser.parse
    found = {digest([parse.text]): dict(count(parse)) for parse in read(new)}
    if found:
        tools.keep(place, found)
    return [Counter((known | found)[key]) for key in keys]
