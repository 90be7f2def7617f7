"""A text in words where there is no parser: no tags, no heads."""

from __future__ import annotations

import re

from polyglitch.protocols import Parse, Token

WORD = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")


def plain_parse(text: str) -> Parse:
    """The words and marks of a text, each its own head."""
    found = [(match.group(), *match.span()) for match in WORD.finditer(text)]
    tokens = tuple(
        Token(word, start, end, "", "", word.lower(), number, "")
        for number, (word, start, end) in enumerate(found)
    )
    return Parse(text, tokens)
