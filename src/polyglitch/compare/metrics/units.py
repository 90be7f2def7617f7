"""How a text is cut into units, words where blanks part them, characters where nothing does; and where two cut texts
differ.

Each character is judged by its own script, so mixed text needs no setting: in a Chinese sentence a Latin name stays one
word. Korean parts words by blanks and is cut into words. Punctuation marks are units of their own. Two cut texts differ
by blocks of units that were deleted, inserted or replaced.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import count
from typing import Literal, NamedTuple

from rapidfuzz.distance import LCSseq

from polyglitch.compare.metrics.gnu_diff import Flags, changed_units
from polyglitch.languages import language as language_of
from polyglitch.records import Span

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
CUT = 1024  # texts that several witnesses look at: those of a batch
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


@lru_cache(CUT)
def cut(text: str, language: str | None = None) -> Units:
    """Cut a text into words or characters by script; the language, if known, settles elisions.

    Many look at the same texts one after the other: nobody may change what they share.
    """
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
TEXTS = 8_192  # a batch and its neighbours
PIECES = {eliding: Pieces(eliding) for eliding in (False, True)}


class UnitCodes:
    """Units as single characters, as if each were a letter: distances over texts then need no look at the words.

    Codes are comparable within one object. There are as many as Python has characters; who needs more gets a
    `ValueError` and has to compare the units themselves.
    """

    def __init__(self) -> None:
        self.letters: dict[str, str] = {}
        self.words = CodedWords(self)
        self.texts: dict[str, str] = {}
        self.fresh = count()  # handed out one by one, so that threads never share a code

    def code(self, text: str) -> str:
        """A text with one character a unit; the same text is coded once, as several metrics look at it."""
        found = self.texts.get(text)
        if found is None:
            found = self.texts[text] = "".join(map(self.words.__getitem__, text.split()))
        return found


class CodedWords(dict[str, str]):
    """The codes between two blanks."""

    def __init__(self, codes: UnitCodes) -> None:
        super().__init__()
        self.codes = codes

    def __missing__(self, word: str) -> str:
        letters, fresh = self.codes.letters, self.codes.fresh
        coded = "".join(
            [
                letters.get(unit) or letters.setdefault(unit, chr(next(fresh)))
                for unit in units(word)
            ]
        )
        if len(word) <= LONGEST_WORD:
            self[word] = coded
        return coded


_codes = [UnitCodes()]


def unit_codes() -> UnitCodes:
    """The codes to use for one batch: those of before, until they hold too much."""
    codes = _codes[0]
    if len(codes.words) > WORDS or len(codes.texts) > TEXTS or len(codes.letters) > WORDS:
        codes = _codes[0] = UnitCodes()
    return codes


@cache
def unparted() -> re.Pattern[str]:
    """A character of a script that does not part words by blanks."""
    return re.compile(f"[{UNPARTED}]")


@cache
def han() -> re.Pattern[str]:
    """A Chinese character."""
    return re.compile(f"[{HAN}]")


class DiffBlock(NamedTuple):
    """A place of difference: units `a_start:a_end` of one side stand against `b_start:b_end`."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int

    @property
    def kind(self) -> Literal["deleted", "inserted", "replaced"]:
        """What happened to the first side's units."""
        if self.b_start == self.b_end:
            return "deleted"
        return "inserted" if self.a_start == self.a_end else "replaced"


def blocks(a: Sequence[str], b: Sequence[str]) -> list[DiffBlock]:
    """The blocks between two lists of units, by a longest common subsequence."""
    flags_a, flags_b = [False] * len(a), [False] * len(b)
    for code in LCSseq.opcodes(a, b):
        if code.tag != "equal":
            flags_a[code.src_start : code.src_end] = [True] * (code.src_end - code.src_start)
            flags_b[code.dest_start : code.dest_end] = [True] * (code.dest_end - code.dest_start)
    return blocks_of(flags_a, flags_b)


def published_blocks(
    a: Sequence[str], b: Sequence[str], *, reverse: bool = False
) -> list[DiffBlock]:
    """The blocks as GNU `wdiff` gives them; `reverse` diffs b with a, and ties fall otherwise."""
    if reverse:
        flags_b, flags_a = changed_units(b, a)
    else:
        flags_a, flags_b = changed_units(a, b)
    return blocks_of(flags_a, flags_b)


def blocks_of(flags_a: Flags, flags_b: Flags) -> list[DiffBlock]:
    """Join the changed units of both sides; units that are not flagged must be the same on both."""
    found = []
    a = b = 0
    while a < len(flags_a) or b < len(flags_b):
        a_start, b_start = a, b
        while a < len(flags_a) and flags_a[a]:
            a += 1
        while b < len(flags_b) and flags_b[b]:
            b += 1
        if (a, b) != (a_start, b_start):
            found.append(DiffBlock(a_start, a, b_start, b))
        else:
            a, b = a + 1, b + 1
    return found


def explain(
    a: Units, b: Units, found: Sequence[DiffBlock]
) -> tuple[tuple[Span, ...], tuple[str, ...]]:
    """The blocks as spans of outputs 0 and 1, and in words."""
    spans, reasons = [], []
    for block in found:
        a_place, b_place = a.place(block.a_start, block.a_end), b.place(block.b_start, block.b_end)
        old, new = a.text[slice(*a_place)], b.text[slice(*b_place)]
        reason = {
            "deleted": f"'{old}' is missing",
            "inserted": f"'{new}' was added",
            "replaced": f"'{old}' became '{new}'",
        }[block.kind]
        reasons.append(reason)
        if block.kind != "inserted":
            spans.append(Span(0, *a_place, reason))
        if block.kind != "deleted":
            spans.append(Span(1, *b_place, reason))
    return tuple(spans), tuple(reasons)


def differences(
    a: str, b: str, language: str | None = None
) -> tuple[tuple[Span, ...], tuple[str, ...]]:
    """What differs between two texts, unit by unit, as spans and in words."""
    first, second = cut(a, language), cut(b, language)
    return explain(first, second, blocks(first.units, second.units))


class Kept(dict[int, int | None]):
    """For `str.translate`: nothing for blanks and punctuation, looked up once a character."""

    def __missing__(self, code: int) -> int | None:
        c = chr(code)
        self[code] = None if c.isspace() or unicodedata.category(c).startswith("P") else code
        return self[code]


KEPT = Kept()


def letters_only(text: str) -> str:
    """Letters, digits and symbols only: what tells one output from another."""
    if text.isascii():  # which has one form only, and is folded faster
        return text.lower().translate(KEPT)
    return unicodedata.normalize("NFKC", text).casefold().translate(KEPT)
