"""Amounts of a text: figures and number words with magnitude and unit, each with every value it may be read as.

`1.000` is a thousand or one, by the language; a translation may keep the signs of its source or not, so an
amount of the translation has all readings, one of the source only that of its language.

What the facts oracle reads: the lists of a language (`languages/*/facts.toml`), and a text as words in places.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

import msgspec
from rapidfuzz.distance import LCSseq

from polyglitch.compare.metrics.units import cut
from polyglitch.languages import language as language_of

FILE = "facts.toml"
TITLE = 3  # words that both texts have in a row, half of them with a capital, make a title
SHORTEST = 4  # letters of a word that is listed by its lemma and read in all its forms
RECENT = (
    4096  # texts that are kept as words: the mutants of a sentence are read one after the other
)
STRAIGHT = str.maketrans("\u2019\u02bc", "''")
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


class FactFinding(NamedTuple):
    """A fact that a translation does not keep: its kind, a sentence that says so, and where it shows."""

    kind: str
    reason: str
    start: int
    end: int
    weight: float


class NegationForms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Beside `[negation]` of language.toml: what negates by two words, and what excuses a negation elsewhere."""

    first: tuple[str, ...] = ()  # of a negation in two parts: ne ... pas
    second: tuple[str, ...] = ()
    before: tuple[str, ...] = ()  # second parts that may stand before the first: personne ne
    echo: tuple[str, ...] = ()  # that may merely go on with a negation: neither ... nor
    phrases: tuple[str, ...] = ()  # with a negation that another language need not have: "not only"
    forms: tuple[str, ...] = ()  # that deny, as they are written
    loose: tuple[str, ...] = ()  # of the weak ones, those that deny too seldom to excuse anything
    prefixes: tuple[str, ...] = ()  # that deny what follows, which excuse a negation elsewhere
    # By the source's language: what says a word of it that denies, so that it excuses no negation beside.
    answers: dict[str, dict[str, str]] = {}
    # A negation that a slip makes of "in the": before a plain noun (plain_nouns.txt), or these and one, it denies
    # nothing, unless the noun is set against another.
    slip: tuple[str, ...] = ()
    before_nouns: tuple[str, ...] = ()
    set_phrases: tuple[str, ...] = ()  # nouns behind which no mark tells of a contrast: "no todo"
    contrasts: tuple[str, ...] = ()  # words behind which a noun may be denied all the same: but not


class FactLists(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a language writes its facts; all empty for a language without lists."""

    joiners: tuple[str, ...] = ()  # inside numbers: and
    vague: tuple[str, ...] = ()  # numbers that are none: hundreds, dozens
    halves: tuple[str, ...] = ()  # after a magnitude: a million and a half
    months: tuple[tuple[str, ...], ...] = ()
    doubtful_months: tuple[str, ...] = ()  # that are also other words: may, march
    before_months: tuple[str, ...] = ()  # a doubtful one is a month after these
    weekdays: tuple[tuple[str, ...], ...] = ()
    joined_days: tuple[str, ...] = ()  # written together with a weekday: Montagabend
    afternoon: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()  # letters that its own words do not have; $ is the end of a word
    borrowed: str = (
        ""  # letters that it writes in loans alone, which other languages keep as they are
    )
    loans: tuple[str, ...] = ()  # words that have them all the same
    doubled: tuple[str, ...] = ()  # words that may well stand twice in a row
    parties: tuple[str, ...] = ()  # endings of those who sign a contract: Lessee, Borrower
    also_party: tuple[str, ...] = ()  # what else a contract writes as a name: this Deed
    stand_ins: tuple[str, ...] = ()  # words for a noun that need not be said again: one, ones
    counted_by: tuple[str, ...] = ()  # before them the word is a number: chapter one
    counts_on: tuple[str, ...] = ()  # beside them too: one by one
    articles_before: tuple[str, ...] = ()  # behind which, or behind whose next word, ...
    no_stand_ins: tuple[str, ...] = ()  # ... these stand for no noun: "o caro um"
    joins_nouns: tuple[str, ...] = ()  # what stands between a thing and whose it is
    negation: NegationForms = NegationForms()
    inflect: dict[str, tuple[str, ...]] = {}  # endings of the forms, by the ending of the lemma
    ordinals: dict[str, int] = {}
    hundreds: dict[str, int] = {}  # number words beyond those of language.toml
    magnitudes: dict[str, int] = {}  # short forms: mn, Mrd.
    units: dict[str, tuple[str, ...]] = {}  # the words and signs of each unit, by its usual sign

    @property
    def written(self) -> bool:
        """Whether more is known than words that may stand twice."""
        return self != FactLists(doubled=self.doubled)


@cache
def fact_lists(code: str) -> FactLists:
    """The lists of a language, or empty ones."""
    known = language_of(code)
    if known.file(FILE) is None:
        return FactLists()
    return msgspec.convert(known.table(FILE, "the facts oracle"), FactLists)


@cache
def deniers(code: str) -> frozenset[str]:
    """Words that deny by what they mean, in all their forms."""
    lists, known = fact_lists(code), language_of(code).negation
    found = {*known.implied, *lists.negation.forms}
    for lemma in {*known.weak, *known.implied, *known.more} - set(lists.negation.loose):
        found |= inflected(lemma, lists.inflect)
    return frozenset(found - set(lists.negation.loose))


def inflected(lemma: str, endings: dict[str, tuple[str, ...]]) -> set[str]:
    """The forms of a word by the longest ending that has a list: whole words, so that no other word begins alike."""
    for ending in sorted(endings, key=len, reverse=True):
        if len(lemma) >= SHORTEST and lemma.endswith(ending):
            stem = lemma.removesuffix(ending)
            return {lemma, *(stem + other for other in endings[ending])}
    return {lemma}


class FactWord(NamedTuple):
    """A word or sign as it is written, in lower case, and its place."""

    text: str
    low: str
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        """Whether there is a letter or a figure in it."""
        return self.text.isalnum() or any(character.isalnum() for character in self.text)


@lru_cache(RECENT)
def fact_words(text: str, code: str) -> tuple[FactWord, ...]:
    """A text as words and signs."""
    units = cut(text, code)
    return tuple(
        FactWord(unit, unit.lower().translate(STRAIGHT), *place)
        for unit, place in zip(units.units, units.spans, strict=True)
    )


def kept_titles(
    one: tuple[FactWord, ...], other: tuple[FactWord, ...]
) -> tuple[set[int], set[int]]:
    """Places of titles and long names that both texts have: "On a Wing and a Prayer" is not translated, nor read."""
    here: set[int] = set()
    there: set[int] = set()
    for code in LCSseq.opcodes([word.low for word in one], [word.low for word in other]):
        if code.tag != "equal" or code.src_end - code.src_start < TITLE:
            continue
        run = one[code.src_start : code.src_end]
        capitals = sum(word.text[:1].isupper() for word in run)
        if 2 * capitals >= len(run):
            here |= set(range(code.src_start, code.src_end))
            there |= set(range(code.dest_start, code.dest_end))
    return here, there


def without_titles(
    one: tuple[FactWord, ...], other: tuple[FactWord, ...]
) -> tuple[tuple[FactWord, ...], tuple[FactWord, ...]]:
    """Two texts without the titles that both have."""
    here, there = kept_titles(one, other)
    if not here:
        return one, other
    return (
        tuple(word for at, word in enumerate(one) if at not in here),
        tuple(word for at, word in enumerate(other) if at not in there),
    )


@cache
def by_first_word(phrases: tuple[str, ...]) -> dict[str, list[list[str]]]:
    """Phrases as lists of words, by the word that they begin with: most words of a text begin none."""
    found: dict[str, list[list[str]]] = {}
    for phrase in phrases:
        parts = phrase.split()
        found.setdefault(parts[0], []).append(parts)
    return found


def phrase_places(words: tuple[FactWord, ...], phrases: tuple[str, ...]) -> list[range]:
    """Where phrases of one or more words stand."""
    known = by_first_word(phrases)
    return [
        range(at, at + len(parts))
        for at, word in enumerate(words)
        for parts in known.get(word.low, ())
        if [one.low for one in words[at : at + len(parts)]] == parts
    ]


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
    words, names, firsts = fact_words(text, code), number_names(code), number_begins(code)
    found, at = [], 0
    while at < len(words):
        if words[at].low not in firsts:
            at += 1
            continue
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


@cache
def number_begins(code: str) -> frozenset[str]:
    """The words that number words begin with: most words of a text begin none."""
    return frozenset(name.split(" ")[0] for name in number_names(code))


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
