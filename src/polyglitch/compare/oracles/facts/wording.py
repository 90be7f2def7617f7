"""What a translation must not be: of another language or script, cut off, repeating itself, partly left as it was."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache

from polyglitch.compare.oracles.facts.lists import (
    FactFinding,
    FactWord,
    fact_lists,
    fact_words,
    kept_titles,
)
from polyglitch.languages import language as language_of

LANGUAGE, CUT, REPEATED, COPIED, NAME = 0.95, 0.8, 0.8, 0.75, 0.7
LONG_ENOUGH = 8  # words of a source whose length tells anything
TOO_SHORT = 0.4  # a translation with fewer words than this share lost something
MOSTLY = 0.5  # of the letters are in the script of the language
TELLING = 3  # function words of the source language that tell its text
LEAST_LETTERS = 4  # of a copied word: shorter ones are words of many languages
SCRIPTS = {"CJK": "Han", "HIRAGANA": "Kana", "KATAKANA": "Kana"}
WRITTEN_WITH = {"Kana": ("Kana", "Han")}  # scripts that are written with others
KEEP = re.compile(
    r"\{\w*\}|%[sd]\b|https?://\S+|(?<![\w.+-])[\w.+-]++@[\w-]++\.[\w.]++|\b(?=\w{3})[A-Z]++\d[A-Z\d]*+\b"
)


def language_findings(
    source: str, output: str, source_language: str, language: str
) -> list[FactFinding]:
    """A translation that is the source over again, or in another script or language."""
    words = [word for word in fact_words(output, language) if word.is_word]
    expected = language_of(language).script
    scripts = letters_by_script(output)
    total = scripts.total()
    whole = (0, len(output), LANGUAGE)
    allowed = WRITTEN_WITH.get(expected, (expected,))
    if (
        language
        and total >= LEAST_LETTERS
        and sum(scripts[one] for one in allowed) < MOSTLY * total
    ):
        reason = f"the translation is written in {scripts.most_common(1)[0][0]} letters, not in {expected}"
        return [FactFinding("language", reason, *whole)] if len(words) > 1 else []
    own, other = tell_words(language), tell_words(source_language)
    if not own or not other or expected != language_of(source_language).script:
        return []
    foreign = [word for word in words if word.low in other - own]
    native = [word for word in words if word.low in own]
    if len(foreign) >= TELLING and len(foreign) > len(native):
        reason = f"the translation is in the language of the source: '{foreign[0].text}', '{foreign[1].text}'"
        return [FactFinding("language", reason, *whole)]
    return []


@cache
def tell_words(code: str) -> frozenset[str]:
    """The function words of a language."""
    return language_of(code).function_words


def letters_by_script(text: str) -> Counter[str]:
    """How many letters of each script a text has."""
    return Counter(script_of(character) for character in text if character.isalpha())


@cache
def script_of(character: str) -> str:
    """The script of a letter, by its Unicode name."""
    first = unicodedata.name(character, "?").split()[0].split("-")[0]
    return SCRIPTS.get(first, first.capitalize())


def length_findings(
    source: str, output: str, source_language: str, language: str
) -> list[FactFinding]:
    """A translation that ends too soon."""
    if not language_of(language).spaced or not language_of(source_language).spaced:
        return []
    before = [word for word in fact_words(source, source_language) if word.is_word]
    after = [word for word in fact_words(output, language) if word.is_word]
    if len(before) < LONG_ENOUGH or len(after) >= TOO_SHORT * len(before):
        return []
    reason = f"the source has {len(before)} words, the translation {len(after)}"
    return [FactFinding("cut off", reason, 0, len(output), CUT)]


def repeat_findings(
    source: str, output: str, source_language: str, language: str
) -> list[FactFinding]:
    """Words and runs of words that stand twice in a row, where the source repeats nothing."""
    if repeats(fact_words(source, source_language), frozenset()):
        return []
    allowed = frozenset(fact_lists(language).doubled)
    found = []
    for one, other in repeats(fact_words(output, language), allowed):
        reason = f"'{output[one.start : other.end]}' stands twice in a row"
        found.append(FactFinding("repeated", reason, one.start, other.end, REPEATED))
    return found[:1]


def repeats(
    words: tuple[FactWord, ...], allowed: frozenset[str]
) -> list[tuple[FactWord, FactWord]]:
    """First and last word of what repeats the words just before it."""
    found = []
    for size in (1, 2, 3, 4, 5, 6):
        for at in range(len(words) - 2 * size + 1):
            one, other = words[at : at + size], words[at + size : at + 2 * size]
            same = [word.text for word in one] == [word.text for word in other]
            # Two letters at least: "a a" is also an article after a preposition, and a figure may well be repeated.
            plain = all(word.text.isalpha() for word in one) if size == 1 else one[0].is_word
            if same and plain and (size > 1 or (len(one[0].low) > 1 and one[0].low not in allowed)):
                found.append((other[0], other[-1]))
    return found


def copied_findings(
    source: str, output: str, source_language: str, language: str
) -> list[FactFinding]:
    """Words of the source that stand in the translation as they were, though they are no words of its language."""
    lists = fact_lists(language)
    if language == source_language or (not lists.unlike and not tell_words(language)):
        return []
    before = {word.text for word in fact_words(source, source_language)}
    found = []
    words = fact_words(output, language)
    titles = kept_titles(fact_words(source, source_language), words)[1]
    for at, word in enumerate(words):
        beside = [words[place].text for place in (at - 1, at + 1) if 0 <= place < len(words)]
        named = all(other[:1].isupper() for other in beside)  # part of a name: Simple and Select
        copied = word.text in before and word.text == word.low and not named and at not in titles
        if copied and is_foreign(word.low, source_language, language):
            reason = f"'{word.text}' was left as it stands in the source"
            found.append(FactFinding("untranslated", reason, word.start, word.end, COPIED))
    return found


def is_foreign(low: str, source_language: str, language: str) -> bool:
    """Whether a word can hardly be one of a language: a function word of the other, or letters that its words lack."""
    lists = fact_lists(language)
    if not low.replace("-", "").isalpha() or low in lists.loans or low in tell_words(language):
        return False
    if language_of(language).script != language_of(source_language).script:
        return len(low) >= LEAST_LETTERS
    if low in tell_words(source_language):
        return len(low) >= LEAST_LETTERS - 1
    letters = (
        re.escape(piece.removesuffix("$")) + ("$" if piece.endswith("$") else "")
        for piece in lists.unlike
    )
    return len(low) >= LEAST_LETTERS and any(re.search(piece, low) for piece in letters)


def name_findings(
    source: str, output: str, source_language: str, language: str
) -> list[FactFinding]:
    """Codes, addresses and placeholders that are not kept, and people's names after a title."""
    found = []
    folded = fold(output)
    for piece in dict.fromkeys(KEEP.findall(source)):
        if fold(piece.rstrip(".,;:!?)")) not in folded:
            reason = f"'{piece}' stands in the source, and not in the translation"
            found.append(FactFinding("name", reason, 0, len(output), NAME))
    if language_of(language).script != language_of(source_language).script:
        return found
    titles = frozenset(title for title in language_of(source_language).titles if len(title) <= 3)
    for name in titled(fact_words(source, source_language), titles):
        if fold(name) not in folded:
            reason = f"the name '{name}' stands in the source, and not in the translation"
            found.append(FactFinding("name", reason, 0, len(output), NAME))
    return found


def titled(words: tuple[FactWord, ...], titles: frozenset[str]) -> list[str]:
    """Names right after a short title: Mr. Cohen."""
    found = []
    for at, word in enumerate(words[:-1]):
        follower = (
            words[at + 2] if words[at + 1].text == "." and at + 2 < len(words) else words[at + 1]
        )
        if (
            word.low in titles
            and word.text[:1].isupper()
            and follower.text[:1].isupper()
            and len(follower.text) > 2
        ):
            found.append(re.sub(r"['\u2019]s?$", "", follower.text))
    return found


@cache
def fold(text: str) -> str:
    """A text without accents and capitals."""
    return "".join(
        c for c in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(c)
    )
