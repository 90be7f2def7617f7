"""How a text is cut into units: words where blanks part them, characters where nothing does.

Each character is judged by its own script, so mixed text needs no setting: in a Chinese sentence a
Latin name stays one word. Korean parts words by blanks and is cut into words. Punctuation marks are
units of their own.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from polyglitch.languages import language as language_of

# Signs that Python's \w leaves out though they are written inside words: accents, Hebrew and Arabic
# points, vowel signs of Indic scripts (without the danda, a full stop), and the joiners that
# Persian needs.
MARKS = (
    r"\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    r"\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0900-\u0963\u0966-\u0df3\u200c\u200d"
)
HAN = r"\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = r"\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
# Thai, Lao, Myanmar, Khmer: a letter with the vowel and tone signs that sit on it is one unit.
SOUTH_EAST = r"\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u109f\u1780-\u17d3"
SIGNS = (
    r"\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1060"
    r"\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d\u17b4-\u17d3"
)
UNPARTED = HAN + KANA + SOUTH_EAST
APOSTROPHES = "'\u2019\u02bc"
LETTER = rf"(?:(?![{UNPARTED}])[\w{MARKS}])"


class Units(NamedTuple):
    """A text cut into units, with the place of each in it."""

    text: str
    units: list[str]
    spans: list[tuple[int, int]]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """The characters that the units `start:end` take up; an empty place for no units."""
        if start < end:
            return self.spans[start][0], self.spans[end - 1][1]
        at = self.spans[start][0] if start < len(self.spans) else len(self.text)
        return at, at


@cache
def pattern(eliding: bool) -> re.Pattern[str]:
    """What one unit looks like."""
    elided = rf"{LETTER}+[{APOSTROPHES}](?={LETTER})|" if eliding else ""
    number = r"\d+(?:[.,:]\d+)+(?!\w)"
    word = rf"{LETTER}+(?:[{APOSTROPHES}\-\u2010\u2011]{LETTER}+)*"
    return re.compile(rf"{elided}{number}|{word}|[{SOUTH_EAST}][{SIGNS}]*|\S")


@cache
def western_pattern(eliding: bool) -> re.Pattern[str]:
    """The same for texts of Latin letters alone, where no sign needs a second look: several times as fast."""
    elided = r"\w+'(?=\w)|" if eliding else ""
    return re.compile(rf"{elided}\d+(?:[.,:]\d+)+(?!\w)|\w+(?:['\-]\w+)*|\S")


def pattern_for(text: str, eliding: bool) -> re.Pattern[str]:
    """What one unit of a text looks like; where elisions part words l'homme is two."""
    if not text.isascii():
        try:
            text.encode("latin-1")
        except UnicodeEncodeError:
            return pattern(eliding)
    return western_pattern(eliding)


def cut(text: str, language: str | None = None) -> Units:
    """Cut a text into words or characters by script; the language, if known, settles elisions."""
    eliding = language_of(language).elides  # a change of noun is a change of one unit only
    found = list(pattern_for(text, eliding).finditer(text))
    return Units(text, [match.group() for match in found], [match.span() for match in found])


def cut_characters(text: str) -> Units:
    """Cut a text into its characters, blanks left out, as the published diff oracle does."""
    places = [index for index, character in enumerate(text) if not character.isspace()]
    return Units(text, [text[index] for index in places], [(index, index + 1) for index in places])


def units(text: str, language: str | None = None) -> list[str]:
    """The units of a text without their places."""
    known = PIECES[language_of(language).elides]
    # No unit holds a blank, and few words are new: what they are cut into is looked up.
    return [unit for word in text.split() for unit in known[word]]


class Pieces(dict[str, list[str]]):
    """The units between two blanks, of the words met lately."""

    def __init__(self, eliding: bool) -> None:
        super().__init__()
        self.eliding = eliding

    def __missing__(self, word: str) -> list[str]:
        found: list[str] = pattern_for(word, self.eliding).findall(word)
        if len(self) >= WORDS:
            self.clear()
        if len(word) <= LONGEST_WORD:
            self[word] = found
        return found


WORDS = 16_384  # more than a language's common ones
LONGEST_WORD = 40  # a sentence without blanks comes but once
PIECES = {eliding: Pieces(eliding) for eliding in (False, True)}


@cache
def unparted() -> re.Pattern[str]:
    """A character of a script that does not part words by blanks."""
    return re.compile(f"[{UNPARTED}]")


@cache
def han() -> re.Pattern[str]:
    """A Chinese character."""
    return re.compile(f"[{HAN}]")
