"""Amounts of a text: figures and number words with magnitude and unit, each with every value it may be read as.

`1.000` is a thousand or one, by the language; a translation may keep the signs of its source or not, so an
amount of the translation has all readings, one of the source only that of its language.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from polyglitch.compare.oracles.facts.lists import FactLists, FactWord, fact_lists, fact_words
from polyglitch.languages import language as language_of

BLANKS = "\u0020\u00a0\u2009\u202f"
GROUPED = rf"(?<![\d.,])\d{{1,3}}(?:[{BLANKS}]\d{{3}})+(?!\d)(?:[.,]\d+)?"
PLAIN = r"\d+(?:[.,'\u2019]\d+)*"
LETTERS = r"(?<!\w)(?:{})([^\W\d_]*)"
ROMAN = re.compile(r"\b([IVXLC]{2,7}|V|X)(?:e|ème|er|[ºª°])?\b")
ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
SIGNS = "$€£¥₽"
RANGE = 14  # letters between two numbers that share the magnitude of the second
LEAST = 3  # of number words: "one" is an article, "two" also "both" or "a pair"
BESIDE = 80  # letters before or after a number in which its unit is looked for
NEAR = 1e-6


class Amount(NamedTuple):
    """A number with its place, what it may be worth, its units, and whether the other text must have it."""

    text: str
    start: int
    end: int
    values: frozenset[float]
    units: frozenset[str] = frozenset()
    required: bool = True
    figures: bool = True
    factor: int = 1  # of the million after the figures

    def same(self, other: Amount) -> bool:
        """Whether the two may be one number."""
        return any(abs(a - b) <= NEAR * max(1.0, abs(a)) for a in self.values for b in other.values)


@cache
def figure_pattern(spaced: bool) -> re.Pattern[str]:
    """A number in figures with the letters that are written together with it."""
    return re.compile(LETTERS.format(f"{GROUPED}|{PLAIN}" if spaced else PLAIN))


def read_amounts(text: str, code: str, strict: bool) -> list[Amount]:
    """All amounts of a text in order; `strict` reads signs in figures as the language does."""
    lists, mark = fact_lists(code), language_of(code).decimal_mark
    found = []
    for match in figure_pattern(mark != ".").finditer(text):
        figures, suffix = match.group()[: match.start(1) - match.start()], match.group(1)
        found += figure_amounts(text, match, figures, suffix, code, mark, strict)
    taken = [(amount.start, amount.end) for amount in found]
    for amount in word_amounts(text, code, lists):
        if not any(start < amount.end and amount.start < end for start, end in taken):
            found.append(amount)
    return shared_magnitudes(sorted(found, key=lambda amount: amount.start))


def shared_magnitudes(amounts: list[Amount]) -> list[Amount]:
    """With the values of "3 to 10 million" read as 3 million too."""
    found = list(amounts)
    for at in range(len(found) - 1):
        one, other = found[at : at + 2]
        if one.factor == 1 and other.factor > 1 and other.start - one.end <= RANGE:
            more = frozenset(value * other.factor for value in one.values)
            found[at] = one._replace(values=one.values | more)
    return found


def figure_amounts(
    text: str, match: re.Match[str], figures: str, suffix: str, code: str, mark: str, strict: bool
) -> list[Amount]:
    """The amount of some figures, or several for a date or a version (12.05.2019)."""
    values = readings(figures, mark, strict)
    if not values:
        return [
            Amount(
                part.group(),
                match.start() + part.start(),
                match.start() + part.end(),
                frozenset({float(part.group())}),
            )
            for part in re.finditer(r"\d+", figures)
        ]
    lists = fact_lists(code)
    worth = set(values)
    low = suffix.lower()
    if low in lists.magnitudes:
        worth |= {value * lists.magnitudes[low] for value in values}
    if len(figures) == 4 and figures.endswith("0"):
        worth.add(float(figures[2:]))  # the 1980s are the 80s
    end, factor = magnitude_after(text, match.end(), code) if not suffix else (match.end(), 1)
    last = half_after(text, end, code) if factor > 1 else end
    worth = {(value + 0.5 * (last > end)) * factor for value in worth}
    end = last
    clock = text[match.end(1) - len(suffix) :][:BESIDE].lower()
    if re.match(
        rf"(?:[:.]\d\d)?\s*(?:{'|'.join(map(re.escape, lists.afternoon)) or '$.'})\b", clock
    ):
        worth |= {value + 12 for value in values if value < 12}
    units = units_around(text, match.start(), end, low, code)
    place = match.start(), end
    return [Amount(text[place[0] : end], *place, frozenset(worth), units, factor=factor)]


def readings(figures: str, mark: str, strict: bool) -> set[float]:
    """What figures may be worth; nothing if they are several numbers."""
    plain = re.sub(rf"[{BLANKS}'\u2019]", "", figures)
    signs = [character for character in plain if character in ".,"]
    groups = re.split(r"[.,]", plain)
    if not signs:
        return {float(plain)}
    threes = all(len(group) == 3 for group in groups[1:]) and 1 <= len(groups[0]) <= 3
    found = set()
    if len(set(signs)) == 2 and len([s for s in signs if s == signs[-1]]) == 1:
        return {float("".join(groups[:-1]) + "." + groups[-1])}
    if threes and groups[0] != "0":
        found.add(float("".join(groups)))
    if len(signs) == 1:
        decimal = float(f"{groups[0]}.{groups[1]}")
        if strict and found:
            return {decimal} if signs[0] == mark else found
        found.add(decimal)
    return found


def magnitude_after(text: str, end: int, code: str) -> tuple[int, int]:
    """Where an amount ends with the million after it, and by what that multiplies."""
    factor = 1
    for _ in range(2):
        match = re.match(rf"[{BLANKS}\-]?([^\W\d_]+)(\.?)", text[end : end + BESIDE])
        if not match:
            break
        worth = large(code).get(match.group(1).lower())
        if worth is None:
            break
        factor, end = factor * worth, end + match.end(1)
    return end, factor


def half_after(text: str, end: int, code: str) -> int:
    """Where an amount ends with the half after its magnitude, or where it ended without."""
    for half in fact_lists(code).halves:
        if match := re.match(rf"[{BLANKS}]?{re.escape(half)}\b", text[end : end + BESIDE].lower()):
            return end + match.end()
    return end


@cache
def large(code: str) -> dict[str, int]:
    """Words that multiply the figures before them."""
    known = language_of(code).numbers
    named = {name: value for name, value in known.items() if value >= 1000 and " " not in name}
    return {**named, **fact_lists(code).magnitudes}


def units_around(text: str, start: int, end: int, suffix: str, code: str) -> frozenset[str]:
    """The unit after an amount, or the sign before it."""
    before = re.search(rf"([^\W\d_]{{0,2}}[{SIGNS}])\s?$", text[max(0, start - BESIDE) : start])
    if before:
        return unit_names(before.group(1).lower(), code) or unit_names(before.group(1)[-1], code)
    if suffix:
        return unit_names(suffix, code)
    after = re.match(rf"[{BLANKS}\-]?(%|[{SIGNS}])", text[end : end + BESIDE])
    if after:
        return unit_names(after.group(1), code)
    # "of" may stand between a million and its dollars; it is as long as the articles of these languages.
    words = re.match(r"[\s\-]*([^\W\d_]+)\.?(?:\s+([^\W\d_]+))?", text[end : end + BESIDE])
    if not words:
        return frozenset()
    first, second = words.group(1).lower(), (words.group(2) or "").lower()
    direct = unit_names(f"{first} {second}", code) or unit_names(first, code)
    return direct or (unit_names(second, code) if len(first) <= 2 else frozenset())


@cache
def unit_names(word: str, code: str) -> frozenset[str]:
    """The units that a word may stand for: a pound is money or weight."""
    return frozenset(unit for unit, words in fact_lists(code).units.items() if word in words)


def word_amounts(text: str, code: str, lists: FactLists) -> list[Amount]:
    """Numbers written as words, put together: two hundred and five thousand."""
    words, names = fact_words(text, code), number_names(code)
    found, at = [], 0
    while at < len(words):
        run, end = number_run(words, at, names, lists.joiners)
        if not run:
            at += 1
            continue
        near = words[max(0, at - 2) : end + 2]
        vague = any(word.low in lists.vague for word in near)
        value = put_together(run)
        start, last = words[at].start, words[end - 1].end
        half = half_after(text, last, code) if run[-1] >= 1000 else last
        value, last = value + 0.5 * run[-1] * (half > last), half
        clear = not vague and value >= LEAST and (len(run) > 1 or value < 100)
        units = units_around(text, start, last, "", code)
        clear = clear and not part_of_name(words, at, end)
        factor = int(max(run)) if max(run) >= 1000 else 1
        values = frozenset({value})
        found.append(Amount(text[start:last], start, last, values, units, clear, False, factor))
        at = end
    return found


def part_of_name(words: tuple[FactWord, ...], at: int, end: int) -> bool:
    """Whether a number word is one of a name: Brisbane's Nine News."""
    follower = words[end].text[:1] if end < len(words) else ""
    return at > 0 and words[at].text[:1].isupper() and follower.isupper()


@cache
def number_names(code: str) -> dict[str, int]:
    """Number words with their values; those of several words too."""
    return {**language_of(code).numbers, **fact_lists(code).hundreds}


def number_run(
    words: tuple[FactWord, ...], at: int, names: dict[str, int], joiners: tuple[str, ...]
) -> tuple[list[int], int]:
    """The values of number words that stand together, and where they end."""
    run: list[int] = []
    ends: list[int] = []
    while at < len(words):
        step = 1 if run and words[at].low in joiners else 0
        value, length = longest_name(words, at + step, names)
        if value is None or (run and not continues(run, value)):
            break
        last = max((place for place, item in enumerate(run) if item >= 1000), default=None)
        if last is not None and 1000 <= run[last] <= value and last < len(run) - 1:
            return run[: last + 1], ends[last]  # three million and | five million
        run.append(value)
        at += step + length
        ends.append(at)
    return run, at


def longest_name(
    words: tuple[FactWord, ...], at: int, names: dict[str, int]
) -> tuple[int | None, int]:
    """The number that begins at a word, and how many words it takes."""
    for length in (3, 2, 1):
        name = " ".join(word.low for word in words[at : at + length])
        if len(words) >= at + length and name in names:
            return names[name], length
    return None, 0


def continues(run: list[int], value: int) -> bool:
    """Whether a number word goes on with the number before it instead of beginning another."""
    last = run[-1]
    return (
        value in (100, 1000)
        or value >= 1000
        or (last >= 100 and value < last)
        or (last >= 20 and last % 10 == 0 and value < 10)
    )


def put_together(run: list[int]) -> float:
    """The value of number words in a row."""
    total, current = 0, 0
    for value in run:
        if value >= 1000:
            total, current = total + max(1, current) * value, 0
        elif value == 100:
            current = max(1, current) * 100
        else:
            current += value
    return float(total + current)


def other_values(text: str, code: str) -> set[float]:
    """What a text says by ordinals and Roman numerals: nobody must keep them, but they may stand for a number."""
    ordinals = fact_lists(code).ordinals
    found = {float(ordinals[word.low]) for word in fact_words(text, code) if word.low in ordinals}
    for match in ROMAN.finditer(text):
        values = [ROMAN_VALUES[letter] for letter in match.group(1)]
        later = [*values[1:], 0]
        found.add(float(sum(-a if a < b else a for a, b in zip(values, later, strict=True))))
    return found
