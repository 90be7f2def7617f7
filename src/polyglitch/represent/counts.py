"""How often each label occurs in the structure of a text, kept in the store once it was parsed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from polyglitch.protocols import Parse, Tools
from polyglitch.records import digest


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
