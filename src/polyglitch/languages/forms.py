"""Whether two words are forms of one, told by spelling: each question has its own measure, and its own name.

They differ on purpose. What proposes or compares words was read and tuned with each; a stemmer of one language serves
none of them, since the language of a text is not always told and a word list of another must not be mixed in.
"""

from __future__ import annotations

SAME_START = 4  # letters that two forms of a word share at least, and more than half of the longer
MOST_SHARED = 0.6  # so much of a beginning shared makes two forms of one word


def shared_beginning(one: str, other: str) -> int:
    """How many letters two words begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def differ_by_ending(one: str, other: str) -> bool:
    """Whether only endings part two words: all but two letters of the shorter are shared, and at least three."""
    short, long = sorted((one, other), key=len)
    shared = shared_beginning(short, long)
    return shared >= 3 and shared >= len(short) - 2 and len(long) - shared <= 4


def share_half(one: str, other: str) -> bool:
    """Whether two words are equal, or begin alike for four letters and more than half of the longer."""
    shared = shared_beginning(one, other)
    return one == other or (shared >= SAME_START and 2 * shared > max(len(one), len(other)))


def share_most(one: str, other: str) -> bool:
    """Whether two words, whatever their case, begin alike for three letters and 60% of the longer."""
    one, other = one.lower(), other.lower()
    shared = shared_beginning(one, other)
    longer = max(len(one), len(other))
    return one == other or (shared >= 3 and shared / longer >= MOST_SHARED)


def without_ending(word: str, endings: tuple[str, ...], least: int) -> str:
    """A word without the first of some endings that it has, if at least so many letters are left."""
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            return word[: -len(ending)]
    return word
