"""Reads answers before they are compared: yes or no, numbers, dates, and other ways to write a name.

Numbers and dates in answers, in digits or in words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal

from polyglitch.languages import DEFAULT
from polyglitch.languages import language as language_of
from polyglitch.languages.record import without_ending
from polyglitch.systems.answers import answer_lists, bare_answer

Polarity = Literal["yes", "no"]
WORD = re.compile(r"\d+\.\d+|[^\W_]+(?:[.'][^\W_]+)*")


@dataclass(frozen=True)
class ReadAnswer:
    """What an answer says: words that matter, numbers, a date, and whether it denies something."""

    words: frozenset[str]
    numbers: frozenset[float]
    date: Date | None
    negated: bool


def polarity(text: str) -> Polarity | None:
    """Whether an answer is a yes or a no, by how it starts."""
    rest = bare_answer(text)
    changed = True
    while changed:
        changed = False
        for opener in answer_lists()["preambles"]:
            if re.match(rf"{re.escape(opener)}\b[\s,:]*", rest) and rest != opener:
                rest = re.sub(rf"^{re.escape(opener)}\b[\s,:]*", "", rest)
                changed = True
    if says_nothing(rest):
        return None
    sides: tuple[tuple[Polarity, list[str]], ...] = (
        ("no", answer_lists()["no"]),
        ("yes", answer_lists()["yes"]),
    )
    for side, openings in sides:
        for opening in sorted(openings, key=len, reverse=True):
            # "No sequels were made" is no "no": what follows must be a mark, the end, or a new clause.
            if re.match(
                rf"{re.escape(opening)}($|[,.;:!?)]|\s+(it|he|she|they|there|you|the|this|that|i|we)\b)",
                rest,
            ):
                return side
    return None


def says_nothing(text: str) -> bool:
    """Whether an answer says that there is none."""
    said = bare_answer(text)
    return any(
        re.match(rf"(there is |it is |this is |that is )?{re.escape(p)}(\b|$)", said)
        for p in answer_lists()["none"]
    )


@lru_cache(maxsize=4096)
def read(text: str) -> ReadAnswer:
    """What an answer says, in a form that can be compared."""
    said = bare_answer(text)
    date, rest = take_date(re.sub(r"(?<=\d),(?=\d{3}\b)", "", said))
    for sign in "€$£%":
        rest = rest.replace(sign, f" {sign} ")
    for known, pattern in aliases():
        rest = pattern.sub(known, rest)
    found = WORD.findall(rest)
    numbers, words = take_numbers([word for word in found if word not in ("a", "an", "and")])
    if date is not None and date[1:] == (None, None):
        numbers.add(float(date[0] or 0))  # "2000" may be a year or two thousand of something
    negated = bool(set(words) & set(answer_lists()["negations"])) or "n't" in rest
    kept = {answer_form(word) for word in words if word not in answer_lists()["fillers"]}
    return ReadAnswer(
        frozenset(kept - set(answer_lists()["negations"])), frozenset(numbers), date, negated
    )


@cache
def aliases() -> list[tuple[str, re.Pattern[str]]]:
    """Patterns of other spellings, each with what it is turned into."""
    made = []
    for first, *others in answer_lists()["aliases"]:
        for other in sorted(others, key=len, reverse=True):
            made.append((first, re.compile(rf"(?<!\w){re.escape(other)}(?!\w)")))
    return made


def answer_form(word: str) -> str:
    """A word of an answer without its commonest endings, so that forms of one word meet."""
    word = word.removesuffix("'s").replace(".", "")
    bare = without_ending(word, ENDINGS, least=3)
    return f"{bare}y" if bare + ENDINGS[0] == word else bare


ENDINGS = ("ies", "ing", "ed", "es", "s", "ly", "e")
Date = tuple[int | None, int | None, int | None]  # year, month, day


@cache
def _table() -> dict[str, Any]:
    return language_of(DEFAULT).table("qa/numbers.toml", "reading answers")


def take_date(text: str) -> tuple[Date | None, str]:
    """A date that stands in a text, and the text without it."""
    months = _table()["months"]
    name = "|".join(f"{month}|{month[:3]}" for month in months)
    shapes = (
        rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m>{name})\.?,? (?P<y>\d{{4}})",
        rf"(?P<m>{name})\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y>\d{{4}})",
        r"(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})",
        rf"(?P<m>{name})\.? (?P<y>\d{{4}})",
        rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m>{name})\b",
        rf"(?P<m>{name})\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b",
        r"\b(?P<y>1\d{3}|20\d{2})\b(?!\.\d| ?(?:m|km|kg|people|euros|dollars|percent|%))",
    )
    for shape in shapes:
        found = re.search(rf"(?<!\w){shape}(?!\w)", text)
        if found:
            parts = found.groupdict()
            month = parts.get("m")
            number = None
            if month:
                number = (
                    int(month)
                    if month.isdigit()
                    else next(i for i, n in enumerate(months, 1) if n[:3] == month[:3])
                )
            year, day = parts.get("y"), parts.get("d")
            date = (int(year) if year else None, number, int(day) if day else None)
            return date, text[: found.start()] + " " + text[found.end() :]
    return None, text


def take_numbers(found: list[str]) -> tuple[set[float], list[str]]:
    """The numbers among some words, in digits or not, and the words that are left."""
    numbers: set[float] = set()
    words: list[str] = []
    current: float | None = None
    for word in [part for item in found for part in split_number(item)]:
        value = number_of(word)
        if value is None and word in _table()["scales"]:
            current = (1 if current is None else current) * _table()["scales"][word]
        elif (
            value is not None
            and current is not None
            and (value < 10 <= current or current >= 100 > value)
        ):
            current += value
        else:
            if current is not None:
                numbers.add(current)
            current = value
            if value is None:
                words.append(word)
    if current is not None:
        numbers.add(current)
    return numbers, words


def split_number(word: str) -> list[str]:
    """`35g` as a number and its unit, other words as they are."""
    glued = re.fullmatch(r"(\d+(?:\.\d+)?)([a-z]+)", word)
    return [glued[1], glued[2]] if glued and glued[2] not in ("st", "nd", "rd", "th") else [word]


def number_of(word: str) -> float | None:
    """The value of one number word."""
    digits = re.fullmatch(r"(\d+(?:\.\d+)*)(?:st|nd|rd|th)?", word)
    if digits:
        return float(digits[1]) if digits[1].count(".") < 2 else None
    table = _table()
    if word in table["counts"]:
        return float(table["counts"][word])
    base = word if word in table["units"] else word.removesuffix("th")
    if base in table["units"]:
        return float(table["units"].index(base))
    tens = re.sub(r"ieth$", "y", word)
    return float(20 + 10 * table["tens"].index(tens)) if tens in table["tens"] else None
