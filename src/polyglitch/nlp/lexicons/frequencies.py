"""How frequent a word is in its language, by the lists of wordfreq where that is installed: some forty languages."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec

from polyglitch.languages import language as language_of

Frequency = Callable[[str], float]


def lists_at_hand() -> str:
    """Which lists of frequencies are installed, for a signature."""
    return f"wordfreq-{version('wordfreq')}" if find_spec("wordfreq") else "none"


@cache
def frequencies(code: str) -> Frequency | None:
    """The Zipf frequency of words of a language, or nothing where no list is at hand."""
    if not code or not find_spec("wordfreq") or not language_of(code).spaced:
        return None
    from wordfreq import available_languages, zipf_frequency

    if code not in available_languages():
        return None
    return lambda word: float(zipf_frequency(word, code))
