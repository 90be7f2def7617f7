"""Words of meaning with their places, brought to a root so that forms of one word meet.

The word lists by which answers are read, compiled once a language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any, NamedTuple

from polyglitch.languages import DEFAULT
from polyglitch.languages import language as language_of
from polyglitch.languages.record import having
from polyglitch.represent.claims.other_languages import little_words_in, spoken_language

JOINED = (
    "unknown",
    "refusal",
    "courtesy",
    "exhaustive",
    "condensed",
    "units",
    "opposites",
    "of_the_clock",
)  # lists of which every language may have its own
ANY_WORDS = r"(?:\\S+ ){0,6}?"  # what `~` stands for in a pattern
TOKEN = re.compile(
    r"[^\W\d_]+(?:_[^\W_]+)+|\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|[^\W\d_]+(?:['’][^\W\d_]+)?|[^\w\s]|_"
)
LEAST = 3  # letters of a root


@cache
def lists() -> dict[str, Any]:
    """The file `claims.toml` of the default, with what other languages have of their own for some of its lists.

    An answer may come in any of them, asked for or not; so all are looked for at once.
    """
    found = dict(language_of(DEFAULT).table("claims.toml", "reading claims"))
    for code in having("claims.toml"):
        if code != DEFAULT:
            own = language_of(code).table("claims.toml", "reading claims")
            for name in JOINED:
                found[name] = [*found[name], *own.get(name, ())]
            for side, words in own.get("bounds", {}).items():
                bounds = found["bounds"]
                found["bounds"] = {**bounds, side: [*bounds[side], *words]}
            negation = language_of(code).negation
            plain = [word for word in negation.words if word not in negation.echo]
            found["denies"] = [*found["denies"], *plain]  # "ne ... pas" denies once
    return found


def agreeing(side: str) -> list[str]:
    """How other languages than the default say yes, or no."""
    codes = [code for code in having("claims.toml") if code != DEFAULT]
    return [
        word for code in codes for word in language_of(code).table("claims.toml", "claims")[side]
    ]


@cache
def patterns(name: str) -> tuple[re.Pattern[str], ...]:
    """The patterns of a list, for lower-case text."""
    made = (re.sub("~", ANY_WORDS, each) for each in lists()[name])
    return tuple(re.compile(rf"(?<!\w)(?:{each})") for each in made)


@cache
def units() -> dict[str, tuple[str, float]]:
    """Dimension and factor by each way to write a unit."""
    return {
        form: (dimension, float(factor))
        for dimension, factor, forms in lists()["units"]
        for form in forms.split()
    }


@cache
def opposites() -> dict[str, frozenset[str]]:
    """The words that mean the opposite of a word, both ways."""
    pairs = [pair.split() for pair in lists()["opposites"]]
    for sides in lists()["opposed_ways"]:
        one, other = (side.split() for side in sides)
        pairs += [[x, y] for x in one for y in other]
    return _table(pairs)


@cache
def alike() -> dict[str, frozenset[str]]:
    """The roots that may stand for a root."""

    return _table([root(word) for word in row.split()] for row in lists()["alike"])


def _table(rows: Any) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for row in rows:
        for word in row:
            found.setdefault(word, set()).update(set(row) - {word})
    return {word: frozenset(others) for word, others in found.items()}


@cache
def phrase_pattern(name: str) -> re.Pattern[str]:
    """Any phrase of a list, for lower-case text."""
    longest = sorted(lists()[name], key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)")


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
    """The stem of a word, of its base form where it is irregular: forms of one word meet, few others do."""
    bare = word.lower().removesuffix("'s")
    return str(stemmer().stemWord(irregular_forms().get(bare, bare)))


@cache
def stemmer() -> Any:
    """Snowball's stemmer of the language that answers are read in."""
    import snowballstemmer  # all its languages at once: not before an answer is read

    return snowballstemmer.stemmer(language_of(DEFAULT).name.lower())


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
