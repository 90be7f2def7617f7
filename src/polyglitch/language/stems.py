"""Forms of one word, told by their spelling."""

from __future__ import annotations


def same_stem(one: str, other: str) -> bool:
    """Whether two words look like forms of one: a shared beginning and only endings apart."""
    short, long = sorted((one, other), key=len)
    shared = next(
        (i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short)
    )
    return shared >= 3 and shared >= len(short) - 2 and len(long) - shared <= 4
