"""Function words by language, from data files; a language without one has none.

Forms of one word, told by their spelling.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def stop_words(language: str | None) -> frozenset[str]:
    """The stop words of a language in lower case, an empty set where no list is known."""
    code = (language or "").split("-")[0].lower()
    table = files("polyglitch").joinpath("resources", "stopwords", f"{code}.txt")
    if not code.isalpha() or not table.is_file():
        return frozenset()
    lines = table.read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def same_stem(one: str, other: str) -> bool:
    """Whether two words look like forms of one: a shared beginning and only endings apart."""
    short, long = sorted((one, other), key=len)
    shared = next(
        (i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short)
    )
    return shared >= 3 and shared >= len(short) - 2 and len(long) - shared <= 4
