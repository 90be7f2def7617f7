"""Makes characters visible that hide or reorder text: controls, overrides, zero-width ones."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

# Blank, yet letters, marks or symbols by their category: Hangul fillers, joiner, Braille blank.
BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
JOINERS = frozenset("\u200c\u200d")
# Control, format, surrogate, private use, unassigned; line and paragraph separators.
HIDDEN_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
# From Arabic on, joiners spell words (Persian, Hindi) and build emoji; before it, they only hide.
FIRST_JOINING = "\u0600"


@lru_cache(maxsize=4096)
def is_hidden(char: str) -> bool:
    """Whether a character cannot be seen, or changes how others are seen."""
    if char in "\n\t":
        return False
    if char in BLANK or "\ufe00" <= char <= "\ufe0e" or "\U000e0000" <= char <= "\U000e0fff":
        return True
    return unicodedata.category(char) in HIDDEN_CATEGORIES


def hidden_places(text: str) -> Iterator[int]:
    """Where the hidden characters of a text are; joiners that do their duty are left alone."""
    if text.isascii() and text.isprintable():
        return
    for place, char in enumerate(text):
        if is_hidden(char) and not (char in JOINERS and joins(text, place)):
            yield place


def joins(text: str, place: int) -> bool:
    """Whether a joiner stands between two characters of a script that needs it."""
    around = text[max(place - 1, 0) : place] + text[place + 1 : place + 2]
    return len(around) == 2 and all(c >= FIRST_JOINING and not is_hidden(c) for c in around)


def code_point(char: str) -> str:
    """A hidden character in writing, as `⟨U+202E⟩`."""
    return f"⟨U+{ord(char):04X}⟩"


def name_of(char: str) -> str:
    """What Unicode calls a character."""
    return unicodedata.name(char, unicodedata.category(char) + " character").lower()


def split_hidden(text: str) -> Iterator[tuple[str, bool]]:
    """The text in order, as runs that are fit to be seen and single characters that are not."""
    start = 0
    for place in hidden_places(text):
        if place > start:
            yield text[start:place], False
        yield text[place], True
        start = place + 1
    if start < len(text):
        yield text[start:], False


def plain(text: str) -> str:
    """The text with every hidden character in writing."""
    return "".join(code_point(run) if hidden else run for run, hidden in split_hidden(text))
