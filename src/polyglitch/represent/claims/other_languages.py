"""Facts in other languages than the default: number words, months, weekdays, little words, each from its folder."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from polyglitch.languages import DEFAULT, known_languages
from polyglitch.languages import language as language_of
from polyglitch.languages.record import having

TELLING = 2  # words of a language that tell a text is in it
SHORTEST = 4  # words of a text that tell its language
SURE = 4  # letters of a word that is of its language even in a short text
FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


def words_of(text: str) -> list[str]:
    """The words of a text in small letters, code left out; none of a text that is too short to tell its language."""
    words = re.findall(r"[^\W\d_]+", FENCE.sub(" ", text).lower())
    return words if len(words) >= SHORTEST else []


def other_languages(one: str, other: str) -> bool:
    """Whether two texts are in different languages, by their little words, though neither may tell in which."""
    found = []
    for text in (one, other):
        words = words_of(text)
        found.append({k.code: sum(w in k.function_words for w in words) for k in known_languages()})
    best = [max(each, key=lambda code: each[code]) for each in found]
    clear = all(each[code] >= TELLING for each, code in zip(found, best, strict=True))
    crossed = zip(found, best, best[::-1], strict=True)
    return clear and all(2 * each[theirs] <= each[mine] for each, mine, theirs in crossed)


@lru_cache(maxsize=4096)
def spoken_language(text: str) -> str:
    """The code of the language a text is in, by its commonest words; empty where too little tells."""
    words = words_of(text)
    if not words:
        return ""
    found = {
        known.code: sum(word in known.common for word in words)
        for known in known_languages()
        if known.spaced and known.common
    }
    best = max(found, key=lambda code: found[code])
    second = max((count for code, count in found.items() if code != best), default=0)
    return best if found[best] >= TELLING and found[best] > 1.5 * second else ""


@cache
def others() -> tuple[str, ...]:
    """The languages beside the default whose answers are read."""
    return tuple(code for code in having("claims.toml") if code != DEFAULT)


@cache
def numbers_in(code: str) -> dict[str, float]:
    """Number words of a language; the word for one is an article too."""
    return {word: float(value) for word, value in language_of(code).numbers.items() if value > 1}


@cache
def sure_numbers() -> dict[str, float]:
    """Number words of all languages that no other reading of a short text suggests."""
    own = language_of(DEFAULT)
    taken = own.function_words | set(own.table("claims.toml", "reading numbers")["no_numbers"])
    return {
        word: value
        for code in others()
        for word, value in numbers_in(code).items()
        if len(word) >= SURE and word not in taken and word.isalpha()
    }


def number_words(text: str) -> dict[str, float]:
    """The number words by which a text is read, beside those of the default."""
    code = spoken_language(text)
    if not code:
        return sure_numbers()
    return numbers_in(code) if code in others() else {}


@cache
def months() -> dict[str, int]:
    """The number of a month by its name in other languages."""
    return {
        name: number
        for code in others()
        for number, names in enumerate(language_of(code).table("facts.toml", "dates")["months"], 1)
        for name in names
        if len(name) >= SURE or name == names[0]
    }


@cache
def weekdays() -> dict[str, int]:
    """The place of a day in the week, from Monday, by its name in other languages."""
    return {
        name: place
        for code in others()
        for place, names in enumerate(language_of(code).table("facts.toml", "days")["weekdays"])
        for name in names[:1]  # others, such as "segunda", mean other things too
    }


@cache
def little_words_in(code: str) -> frozenset[str]:
    """The function words of a language; none for the default, whose list is used throughout."""
    return language_of(code).function_words if code in others() else frozenset()


def little_words_of(text: str) -> frozenset[str]:
    """The little words of the language a text is in; those of all others where a short text does not tell."""
    code = spoken_language(text)
    if code:
        return little_words_in(code)
    return frozenset().union(*map(little_words_in, others()))
