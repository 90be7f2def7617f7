"""Words of meaning with their places, brought to a root so that forms of one word meet."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

from polyglitch.languages import DEFAULT
from polyglitch.languages import language as language_of
from polyglitch.represent.claims.lists import alike, lists, opposites
from polyglitch.represent.claims.other_languages import little_words_in, spoken_language

TOKEN = re.compile(
    r"[^\W\d_]+(?:_[^\W_]+)+|\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|[^\W\d_]+(?:['’][^\W\d_]+)?|[^\w\s]|_"
)
ENDINGS = (
    *("ations", "ation", "ments", "ment", "nesses", "ness", "ities", "ity", "ions", "ion", "ingly"),
    *("edly", "ally", "ings", "ing", "ies", "ied", "ers", "ors", "est", "er", "or", "ed", "es"),
    *("als", "al", "ly", "able", "ible", "ance", "ence", "ful", "ive", "s", "e", "y"),
)
LEAST = 3  # letters of a root


class AnswerWord(NamedTuple):
    """A word with its root and place."""

    text: str
    root: str
    start: int
    end: int


def tokens(text: str) -> list[tuple[str, int, int]]:
    """Words, numbers and marks, in lower case, with their places."""
    return [(m[0].lower().replace("’", "'"), m.start(), m.end()) for m in TOKEN.finditer(text)]


@lru_cache(maxsize=8192)
def root(word: str) -> str:
    """A word without its commonest endings: forms of one word meet, few others do."""
    bare = word.lower().removesuffix("'s")
    irregular = irregular_forms().get(bare)
    bare = irregular or bare
    for ending in ENDINGS:
        if bare.endswith(ending) and len(bare) - len(ending) >= LEAST:
            bare = bare[: -len(ending)]
            break
    if len(bare) > LEAST and bare[-1] == bare[-2] and bare[-1] not in "aeiou":
        bare = bare[:-1]  # "shipped" and "ship", "cancelled" and "cancel"
    return bare[:-1] if len(bare) > LEAST and bare[-1] in "eiy" else bare


@cache
def irregular_forms() -> dict[str, str]:
    """Base form by irregular past or participle."""
    found: dict[str, str] = {}
    for line in _irregular_lines():
        base, *forms = line.split("\t")
        for form in forms:
            for one in form.split("/"):
                found.setdefault(one.strip(), base)
    return found


def _irregular_lines() -> list[str]:
    place = language_of(DEFAULT).file("qa/irregular_verbs.tsv")
    lines = place.read_text("utf-8").splitlines() if place else []
    return [line for line in lines if line and not line.startswith("#")]


@cache
def little_words() -> frozenset[str]:
    """Words that say too little to be compared."""
    known = language_of(DEFAULT)
    return known.function_words | frozenset(lists()["hedges"]) | frozenset(lists()["denies"])


def content_words(text: str, covered: frozenset[int] = frozenset()) -> list[AnswerWord]:
    """The words of meaning that stand outside the covered places."""
    little = little_words() | little_words_in(spoken_language(text))
    return [
        AnswerWord(word, root(word), start, end)
        for word, start, end in tokens(text)
        if word[0].isalpha() and start not in covered and word not in little
        if word.partition("'")[0] not in little or word.endswith("'s")  # "you're", "we'll"
        if len(word) > 1 and not word.startswith("'")
    ]


def opposed(one: str, other: str) -> bool:
    """Whether two words are listed as opposites, or only a prefix that denies parts them."""
    if other in opposites().get(one, ()):
        return True
    short, long = sorted((one, other), key=len)
    return len(short) > LEAST and long in {
        p + short for p in ("un", "in", "im", "dis", "non", "ir")
    }


@lru_cache(maxsize=65536)
def reach(one: str) -> frozenset[str]:
    """A root, what is listed as saying the same, and the shorter roots that it goes on."""
    shorter = {one[:size] for size in range(max(4, len(one) - 4), len(one))}
    return frozenset({one, *alike().get(one, ()), *shorter})


def same_meaning(one: str, other: str) -> bool:
    """Whether two roots are equal or listed as saying the same, or one goes on the other."""
    return other in reach(one) or one in reach(other)


def said_among(word: str, there: frozenset[str], reached: frozenset[str]) -> bool:
    """Whether some roots, given with all that they reach, say a root in some form."""
    return word in reached or bool(reach(word) & there)


def reach_of(roots: Iterable[str]) -> frozenset[str]:
    """All that some roots reach."""
    return frozenset(each for one in roots for each in reach(one))
