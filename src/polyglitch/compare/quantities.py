"""Numbers and dates in answers, in digits or in words."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

Date = tuple[int | None, int | None, int | None]  # year, month, day


@cache
def _table() -> dict[str, Any]:
    text = files("polyglitch").joinpath("resources", "qa", "numbers.toml").read_text("utf-8")
    return tomllib.loads(text)


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
