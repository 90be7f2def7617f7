"""Facts of a text with their places: numbers with units, dates, times, weekdays, codes and addresses.

Two ways to write a fact give equal facts: "5" and "five", 15 March 2024 and 2024-03-15, 3 pm and 15:00, 90 minutes
and 1.5 hours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from polyglitch.languages import DEFAULT
from polyglitch.languages import language as language_of
from polyglitch.represent.abstraction.relations import number_at, table
from polyglitch.represent.claims import other_languages
from polyglitch.represent.claims.words import lists, tokens, units

CODE = re.compile(
    r"https?://[^\s<>\"')\]]+[^\s<>\"')\].,;:!?]|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+|"
    r"(?<![\w.])[A-Z]{1,6}[-_#]?\d(?:[\w-]*\w)?|(?<![\w.])\d+(?:\.\d+){2,}(?!\w)|"
    r"(?<!\w)O\([^()\n]{1,20}\)|"
    r"(?<![\w-])\+?\d{1,3}[ -]\d{3}[ -]\d{3,4}(?:[ -]\d{2,4})?(?!\w)|#\d+"
)
CLOCK = re.compile(
    r"(?<![\w:])(\d{1,2})(?:[:.](\d{2}))?\s*([ap])\.?m\b\.?|(?<![\w:.])(\d{1,2}):(\d{2})(?!\w)|"
    r"(?<![\w:.])([01]?\d|2[0-4]) ?h ?([0-5]\d)(?!\w)",
    re.IGNORECASE,
)
# The hyphens of "a 12-million-euro bridge" and "a 20-minute walk", not of "3-in-1".
LINKED = re.compile(r"(?<=\d)-(?=[^\W\d_]{2,}(?!-\d))|(?<=illion)-(?=[^\W\d_])")
RELATIVE = re.compile(
    r"\b(this|next|last|coming|previous|past) (year|month|week|quarter|spring|summer|autumn|winter)\b",
    re.IGNORECASE,
)
CLOSE = 0.0015  # numbers so near each other can be the same, written shorter or in another unit
EXACT = 10_000  # whole numbers below it are years, counts and prices, which nobody rounds in the last digit
ROUGH = 0.02  # a third and 33%
COUNTED = {"twice": 2.0, "thrice": 3.0}
SIGNS = "$€£¥₹"
SCALES = {"degree", "celsius", "fahrenheit"}  # "10 degrees" may be of either


class Fact(NamedTuple):
    """A fact: its kind, what it comes to, and where it stands."""

    kind: str  # number, date, time, day, code
    value: tuple[object, ...]
    start: int
    end: int
    text: str


@lru_cache(maxsize=4096)
def facts(text: str) -> tuple[Fact, ...]:
    """The facts of a text in their order, none inside another."""
    found: list[Fact] = []
    taken: set[int] = set()
    plain = LINKED.sub(" ", text)
    for reader in (_dates, _times, _codes, _relative, _days, _numbers):
        for fact in reader(plain if reader is _numbers else text, taken):
            found.append(fact._replace(text=text[fact.start : fact.end]))
            taken.update(range(fact.start, fact.end))
    return tuple(sorted(found, key=lambda fact: fact.start))


def same_fact(one: Fact, other: Fact) -> bool:
    """Whether two facts come to the same."""
    if {one.kind, other.kind} == {"date", "number"}:
        date, number = (one, other) if one.kind == "date" else (other, one)
        return any(number.value[:2] == (float(d[0]), "") for d in date.value if d[0])  # type: ignore[index]
    if {one.kind, other.kind} == {"time", "number"}:
        time, number = (one, other) if one.kind == "time" else (other, one)
        hour, minute = divmod(int(time.value[0]), 60)  # type: ignore[call-overload]
        hours = [(float(hour), ""), (float(hour - 12), ""), (3600.0 * hour, "time")]  # 14 horas
        return not minute and number.value[:2] in hours
    if one.kind != other.kind:
        return False
    if one.kind == "number":
        return _same_number(one.value, other.value)
    if one.kind == "date":
        return any(_dates_agree(a, b) for a in one.value for b in other.value)
    return one.value == other.value


def _same_number(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Equal in the base of their unit; where one has no unit, equal as they are written."""
    (a, unit, plain), (b, other_unit, other_plain) = one, other
    first, second = float(str(a)), float(str(b))
    if unit != other_unit:
        sides = {unit, other_unit}
        if "" not in sides and not ("degree" in sides and sides <= SCALES):
            return False
        part, share = (first, second) if unit == "" else (second, first)
        if "percent" in (unit, other_unit) and part < 1:
            return abs(part * 100 - share) <= ROUGH * 100
        first, second = float(str(plain)), float(str(other_plain))
    elif first * float(str(other_plain)) != second * float(str(plain)):  # miles and kilometres
        return abs(first - second) <= CLOSE * max(abs(first), abs(second))
    return first == second or _written_shorter(first, second)


def _written_shorter(one: float, other: float) -> bool:
    """Whether a number is another one rounded: 1.24 million for 1,238,402, but no year for the year beside it."""
    if abs(one - other) > CLOSE * max(abs(one), abs(other)):
        return False
    if one.is_integer() and other.is_integer() and max(abs(one), abs(other)) < EXACT:
        return False
    short, long = sorted((one, other), key=_digits)
    digits = _digits(short)
    return digits > 1 and float(f"{long:.{digits - 1}e}") == short


def _digits(number: float) -> int:
    """How many digits tell a number, zeros at its ends aside."""
    return len(f"{abs(number):.12g}".replace(".", "").strip("0").split("e")[0])


def _dates_agree(one: object, other: object) -> bool:
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a and b]  # type: ignore[call-overload]
    return bool(pairs) and all(a == b for a, b in pairs)


@cache
def _date_shapes() -> tuple[re.Pattern[str], ...]:
    months = language_of(DEFAULT).table("qa/numbers.toml", "reading dates")["months"]
    name = "|".join(f"{m}|{m[:3]}|{m[:4]}" for m in months)
    day = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
    shapes = (
        rf"{day}(?: of)?[ -](?P<m>{name})\.?,?[ -](?P<y>\d{{4}})",
        rf"(?P<m>{name})\.? {day},? (?P<y>\d{{4}})",
        r"(?P<y>\d{4})[-/](?P<m>\d{1,2})[-/](?P<d>\d{1,2})(?:T[\d:.]+Z?)?",
        r"(?P<d>\d{1,2})(?P<sep>[./-])(?P<m>\d{1,2})(?P=sep)(?P<y>\d{4})",
        rf"(?P<m>{name})\.?,? (?:of )?(?P<y>\d{{4}})",
        rf"{day}(?: of)? (?P<m>{name})\b",
        rf"(?P<m>{name})\.? (?:the )?{day}(?!:)",
    )
    made = [re.compile(rf"(?<![\w.])(?<!\D-){shape}(?![\w-])", re.IGNORECASE) for shape in shapes]
    alone = "|".join(m.capitalize() for m in months)  # "may" and "march" are words too
    own = "|".join(sorted(map(re.escape, other_languages.months()), key=len, reverse=True))
    foreign = (
        rf"(?P<d>\d{{1,2}})(?:er|º|\.)?(?: de| d['’])? ?(?P<m>{own})(?:(?: de)?,? (?P<y>\d{{4}}))?",
        rf"(?P<m>{own})(?: de)? (?P<y>\d{{4}})",
    )
    made += [re.compile(rf"(?<![\w.]){shape}(?!\w)", re.IGNORECASE) for shape in foreign]
    made.append(re.compile(r"(?<![\w.])(?P<d>[0-3]?\d)\.(?P<m>0[1-9]|1[0-2])\.(?=\s|$)"))  # 15.09.
    return (*made, re.compile(rf"(?<!^)(?<![.!?] )(?<!\w)(?P<m>{alone})(?!\w)"))


def _dates(text: str, taken: set[int]) -> Iterator[Fact]:
    months = language_of(DEFAULT).table("qa/numbers.toml", "reading dates")["months"]
    done: set[int] = set()
    for shape in _date_shapes():
        for found in shape.finditer(text):
            if found.start() in done or found.end() - 1 in done:
                continue
            part = found.groupdict()
            month = (part.get("m") or "").lower().rstrip(".")
            year, day = int(part.get("y") or 0), int(part.get("d") or 0)
            number = int(month) if month.isdigit() else _month(month, months)
            both = {(year, number, day)}
            if part.get("sep") and day <= 12:
                both.add((year, day, number))  # 03/04/2024 may be either
            readable = tuple(sorted(d for d in both if d[1] <= 12 and d[2] <= 31))
            if not readable and part.get("sep"):  # 2026-19-05 is no date, 05.19.2026 is one
                readable = tuple((y, d, m) for y, m, d in both if d <= 12 and m <= 31)
            if readable:
                done.update(range(found.start(), found.end()))
                yield Fact("date", readable, found.start(), found.end(), found[0])


def _month(name: str, months: list[str]) -> int:
    if name in other_languages.months():
        return other_languages.months()[name]
    return next(i for i, month in enumerate(months, 1) if month[:3] == name[:3])


@cache
def _dotted_clock() -> re.Pattern[str]:
    """18.30 before a word that tells a time of the day."""
    told = "|".join(map(re.escape, lists()["of_the_clock"]))
    return re.compile(
        rf"(?<![\w:.])([01]?\d|2[0-4])\.([0-5]\d)(?= (?:{told})(?!\w))", re.IGNORECASE
    )


def _times(text: str, taken: set[int]) -> Iterator[Fact]:
    for found in CLOCK.finditer(text):
        if found.start() in taken:
            continue
        hour, minute, half, plain, rest, french, after = found.groups()
        hours = int(hour or plain or french) % (12 if half else 24) + (
            12 if (half or "").lower() == "p" else 0
        )
        value = 60 * hours + int(minute or rest or after or 0)
        yield Fact("time", (value,), found.start(), found.end(), found[0])
    for found in _dotted_clock().finditer(text):
        if found.start() not in taken:
            value = 60 * (int(found[1]) % 24) + int(found[2])
            yield Fact("time", (value,), found.start(), found.end(), found[0])
    for word, start, end in tokens(text):
        if word in lists()["clock"]:
            hour, _, _ = lists()["clock"][word].partition(":")
            yield Fact("time", (60 * int(hour),), start, end, text[start:end])


def _codes(text: str, taken: set[int]) -> Iterator[Fact]:
    for found in CODE.finditer(text):
        if found.start() not in taken:
            plain = re.sub(r"[\s#_-]", "", found[0]).upper().removesuffix("/")
            yield Fact("code", (plain,), found.start(), found.end(), found[0])


def _relative(text: str, taken: set[int]) -> Iterator[Fact]:
    """This year, next week, last Friday."""
    for found in RELATIVE.finditer(text):
        which, what = found[1].lower(), found[2].lower()
        value = ({"coming": "next", "previous": "last", "past": "last"}.get(which, which), what)
        if found.start() not in taken:
            yield Fact("relative", value, found.start(), found.end(), found[0])


def _days(text: str, taken: set[int]) -> Iterator[Fact]:
    for word, start, end in tokens(text):
        if word in other_languages.weekdays():
            day = lists()["weekdays"][other_languages.weekdays()[word]]
            yield Fact("day", (day,), start, end, text[start:end])
            continue
        base = word.removesuffix("'s").removesuffix("s")
        if word not in lists()["weekdays"] and base not in lists()["weekdays"]:
            short = text[start:end] if len(word) in (3, 4) and text[start].isupper() else ""
            full = [
                d for d in lists()["weekdays"] if short and d.startswith(word) and word != "sun"
            ]
            if not full or (text[:start].strip()[-1:] in ("", ".") and word == "sat"):
                continue
            base = full[0]
        else:
            base = word if word in lists()["weekdays"] else base
        yield Fact("day", (base,), start, end, text[start:end])


def _numbers(text: str, taken: set[int]) -> Iterator[Fact]:
    found = tokens(text)
    words = [word for word, _, _ in found]
    foreign = other_languages.number_words(text)
    at = 0
    while at < len(found):
        word, start, _ = found[at]
        part = _fraction(words, at)
        if word in units() and words[at + 1 : at + 4] == ["and", "a", "half"]:
            dimension, factor = units()[word]  # "every hour and a half"
            stop = found[at + 3][2]
            yield Fact("number", (1.5 * factor, dimension, 1.5), start, stop, text[start:stop])
            at += 4
            continue
        value, used = part if part else (None, 1)
        if start in taken:
            at += 1
            continue
        if word in COUNTED:
            yield Fact(
                "number",
                (COUNTED[word], "times", COUNTED[word]),
                start,
                found[at][2],
                text[start : found[at][2]],
            )
            at += 1
            continue
        if value is None and word in foreign:
            value = foreign[word]
        if value is None and (word[0].isdecimal() or word in table()["numbers"]):
            value, used = number_at(words, at)
            used = max(1, used)
        if value is None:
            at += 1
            continue
        last = at + used
        if part and words[last : last + 2] in (["of", "a"], ["of", "an"]):
            last += 2 if words[last + 2 : last + 3] and words[last + 2] in units() else 0
        amount, unit, last = _with_unit(value, words, at, last)
        places = found[at:last]
        sign = found[at - 1] if at and words[at - 1] in SIGNS else None
        begin = sign[1] if sign else start
        if sign:
            unit, amount = (
                units()[sign[0]][0],
                amount if unit in ("", units()[sign[0]][0]) else value,
            )
        if _is_minus(found, at):
            amount = -amount
        stop = places[-1][2]
        if not (word == "one" and not unit and len(words) > 3):  # "one" is a pronoun too
            yield Fact("number", (amount, unit, value), begin, stop, text[begin:stop])
        at = last


def _is_minus(found: list[tuple[str, int, int]], at: int) -> bool:
    """Whether a dash before a number is its sign: nothing before the dash, and nothing after it."""
    if not at or found[at - 1][0] != "-" or not found[at][0][0].isdigit():
        return False
    free = at < 2 or found[at - 2][2] < found[at - 1][1]
    return free and found[at - 1][2] == found[at][1]


def _with_unit(value: float, words: list[str], at: int, last: int) -> tuple[float, str, int]:
    """A number in the base of the unit after it; "1.2M" and "40k" are scaled."""
    after = words[last] if last < len(words) else ""
    if after in lists()["scale_letters"] and at and words[at - 1] in SIGNS:
        return value * lists()["scale_letters"][after], units()[words[at - 1]][0], last + 1
    if after == "k" and words[at][0].isdigit():
        value, last = value * 1000, last + 1
        after = words[last] if last < len(words) else ""
    if after in ("st", "nd", "rd", "th"):
        return value, "", last + 1
    if after == "-":  # "a 30-day trial"
        after, step = (words[last + 1] if last + 1 < len(words) else ""), 2
    else:
        step = 1
    if after == "°" and last + step < len(words) and words[last + step] in ("c", "f"):
        return value, "celsius" if words[last + step] == "c" else "fahrenheit", last + step + 1
    if after in units():
        dimension, factor = units()[after]
        if words[last + step : last + step + 3] == ["and", "a", "half"]:
            return (value + 0.5) * factor, dimension, last + step + 3  # an hour and a half
        if dimension == "degree" and words[last + step : last + step + 1] in (
            ["celsius"],
            ["fahrenheit"],
        ):
            return value, words[last + step], last + step + 1
        return value * factor, dimension, last + step
    return value, "", last


def _fraction(words: list[str], at: int) -> tuple[float, int] | None:
    """Half, a third, three quarters, 3/4: its value and how many words it takes."""
    parts = lists()["fractions"]
    window = words[at : at + 3]
    if window[0] == "half" and window[1:2] not in (["past"], ["an"], ["-"]):
        return (0.5, 1)
    goes_on = len(window) == 3 and window[2].isalpha() and window[2] != "of"
    if len(window) > 1 and window[1] in parts and window[0] in ("a", "one", "two", "three"):
        if window[0] == "a" and goes_on:
            return None  # "a third option"
        return (("a", "one", "two", "three").index(window[0]) or 1) * parts[window[1]], 2
    return None
