"""The two inputs of a case as one row of units, so that what is left out of the one is left out of the other.

A text in words where there is no parser: no tags, no heads.
"""

from __future__ import annotations

import re
from collections.abc import Set
from typing import NamedTuple

from polyglitch.records import Parse, Token

# Marks that a deletion left without what they set off.
DOUBLED = re.compile(r"([,;:–—-])(?:\s*[,;:–—-])+")
BEFORE_END = re.compile(r"(?:(?<!\s)\s+|(?<![\s,;:–—-]))[,;:–—-]+\s*(?=[.?!]|$)")
AT_START = re.compile(r"^[\s,;:.–—-]+")
SPACED = re.compile(r"(?<!\s)\s+([,;:.?!)])")
STRAY = re.compile(r"^['\"]\s+|(?<!\s)\s+['\"]$")  # a quotation mark whose other half is gone
ARTICLE = re.compile(r"\b(an?) ([A-Za-z])", re.IGNORECASE)


class Unit(NamedTuple):
    """A token, or the stretch that the edit touched: its text in each input, nothing where it is not there."""

    texts: tuple[str, str]
    before: str  # blanks before it


class InputPair(NamedTuple):
    """Two inputs in units; `edited` are those that may not go."""

    units: tuple[Unit, ...]
    edited: frozenset[int]
    places: tuple[int, ...]  # for each token of the first input its unit
    capital: tuple[bool, bool]  # whether each input begins with a capital

    def render(self, kept: Set[int]) -> tuple[str, str]:
        """Both inputs with only the kept units, marks and capitals set right."""
        return self._text(kept, 0), self._text(kept, 1)

    def is_word(self, place: int) -> bool:
        """Whether a unit is more than a mark."""
        return any(character.isalnum() for character in self.units[place].texts[0])

    def _text(self, kept: Set[int], side: int) -> str:
        text, gap = "", ""
        for place, unit in enumerate(self.units):
            gap = gap or unit.before
            if place in kept and unit.texts[side]:
                text += (gap if text else "") + unit.texts[side]
                gap = ""
        return tidy(text, self.capital[side]) if len(kept) < len(self.units) else text


def tidy(text: str, capital: bool) -> str:
    """A text after a deletion: no stray marks, a capital where there was one."""
    text = BEFORE_END.sub("", DOUBLED.sub(r"\1", AT_START.sub("", text)))
    text = STRAY.sub("", SPACED.sub(r"\1", text).strip())
    return text[:1].upper() + text[1:] if capital else text


def well_formed(text: str) -> bool:
    """Whether quotes and brackets come in twos and `a` and `an` fit the letter that follows."""
    paired = text.count('"') % 2 == 0 and text.count("(") == text.count(")") and "()" not in text
    fits = all(
        (found[1].lower() == "an") == (found[2] in "aeiouAEIOU") for found in ARTICLE.finditer(text)
    )
    return paired and fits


def swapped_pair(parse: Parse, first: str, second: str) -> InputPair:
    """Two texts that share a beginning and an end: what lies between them is the edit."""
    start, end = 0, 0
    shorter = min(len(first), len(second))
    while start < shorter and first[start] == second[start]:
        start += 1
    while end < shorter - start and first[-1 - end] == second[-1 - end]:
        end += 1
    inside = [
        number
        for number, token in enumerate(parse.tokens)
        if token.end > start - glued(first, second, start) and token.start < len(first) - end
    ] or [min(place_at(parse, start), len(parse.tokens) - 1)]
    low, high = parse.tokens[inside[0]].start, parse.tokens[inside[-1]].end
    units: list[Unit] = []
    places: list[int] = []
    for number, token in enumerate(parse.tokens):
        if number == inside[0]:
            middle = (first[low:high], second[low : high + len(second) - len(first)])
            units.append(Unit(middle, gap_before(parse, number)))
        elif number not in inside:
            units.append(Unit((token.text, token.text), gap_before(parse, number)))
        places.append(len(units) - 1)
    return InputPair(
        tuple(units), frozenset({places[inside[0]]}), tuple(places), capitals(first, second)
    )


def contained_pair(parse: Parse, whole: str, part: str) -> InputPair:
    """A text and a stretch of it: the rest of the text is in the first input only."""
    at = whole.find(part)
    inside = [
        number
        for number, token in enumerate(parse.tokens)
        if at <= token.start and token.end <= at + len(part)
    ]
    units = tuple(
        Unit((token.text, token.text if number in inside else ""), gap_before(parse, number))
        for number, token in enumerate(parse.tokens)
    )
    # The phrase may lose words too, in both texts, but not the one it hangs on.
    heads = [number for number in inside if parse.tokens[number].head not in inside] or inside
    return InputPair(units, frozenset(heads), tuple(range(len(units))), capitals(whole, part))


def glued(first: str, second: str, start: int) -> int:
    """How many letters of a word the texts share before they part: `a` and `an` are two words."""
    back = 0
    here, there = first[start : start + 1], second[start : start + 1]
    while (
        start - back > 0
        and first[start - back - 1].isalnum()
        and (here.isalnum() or there.isalnum())
    ):
        back += 1
    return back


def place_at(parse: Parse, start: int) -> int:
    """The token at or after a character."""
    return next(
        (n for n, token in enumerate(parse.tokens) if token.end > start), len(parse.tokens) - 1
    )


def gap_before(parse: Parse, number: int) -> str:
    """The blanks before a token."""
    end = parse.tokens[number - 1].end if number else 0
    return (
        " "
        if parse.text[end : parse.tokens[number].start].strip(" ")
        != parse.text[end : parse.tokens[number].start]
        else ""
    )


def capitals(first: str, second: str) -> tuple[bool, bool]:
    """Whether each text begins with a capital."""
    return first[:1].isupper(), second[:1].isupper()


WORD = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")


def plain_parse(text: str) -> Parse:
    """The words and marks of a text, each its own head."""
    found = [(match.group(), *match.span()) for match in WORD.finditer(text)]
    tokens = tuple(
        Token(word, start, end, "", "", word.lower(), number, "")
        for number, (word, start, end) in enumerate(found)
    )
    return Parse(text, tokens)
