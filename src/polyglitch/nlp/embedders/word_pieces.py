"""WordPiece as BERT's uncased models use it: a text as pieces of a vocabulary, each with the characters it covers."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from polyglitch.nlp.models.byte_pairs import TextToken

LONGEST_WORD = 100  # letters; a longer one is unknown as a whole, as in BERT
REMEMBERED = 50_000  # words, some 15 MB
# Blocks of Chinese characters, each of which is a word of its own.
CHINESE = (
    *((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F)),
    *((0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)),
)


class WordPieces:
    """The pieces of texts, lower-case and without accents, between the two marks that BERT expects."""

    def __init__(self, vocabulary: Sequence[str], longest: int) -> None:
        self._number = {piece: number for number, piece in enumerate(vocabulary)}
        self._longest = longest
        self._parts = lru_cache(REMEMBERED)(self._split)

    def encode(self, text: str) -> list[TextToken]:
        """At most `longest` pieces with the marks."""
        found = [TextToken(self._number["[CLS]"], 0, 0)]
        for letters, places in words(text):
            at = 0
            for number, size in self._parts(letters):
                found.append(TextToken(number, places[at], places[at + size - 1] + 1))
                at += size
        return [*found[: self._longest - 1], TextToken(self._number["[SEP]"], 0, 0)]

    def _split(self, word: str) -> list[tuple[int, int]]:
        """The longest pieces from left to right, with their lengths."""
        found: list[tuple[int, int]] = []
        start = 0
        while start < len(word) <= LONGEST_WORD:
            for end in range(len(word), start, -1):
                piece = ("##" if start else "") + word[start:end]
                if piece in self._number:
                    found.append((self._number[piece], end - start))
                    start = end
                    break
            else:
                break
        return found if start == len(word) else [(self._number["[UNK]"], len(word))]


def words(text: str) -> Iterator[tuple[str, list[int]]]:
    """Words and single marks as the vocabulary writes them, with where each of their letters stands in the text."""
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        written = "".join(plain(letter))
        alone = bool(written) and is_alone(written[0])
        if letters and (alone or (not written and is_blank(letter))):
            yield "".join(letters), places
            letters, places = [], []
        if alone:
            for one in written:
                yield one, [place]
            continue
        letters += written
        places += [place] * len(written)
    if letters:
        yield "".join(letters), places


def plain(letter: str) -> Iterator[str]:
    """A character in lower case without accents; nothing for blanks, accents and control characters."""
    if is_blank(letter) or letter in "\0\ufffd" or unicodedata.category(letter)[0] == "C":
        return
    for one in unicodedata.normalize("NFD", letter):
        if unicodedata.category(one) != "Mn":
            yield from one.lower()


def is_blank(letter: str) -> bool:
    """Whether words end here."""
    return letter in " \t\n\r" or letter.isspace()


def is_alone(letter: str) -> bool:
    """Whether a character is a word of its own: marks and Chinese characters."""
    code = ord(letter)
    if code < 128:
        return not letter.isalnum() and 32 < code < 127
    chinese = any(first <= code <= last for first, last in CHINESE)
    return chinese or unicodedata.category(letter)[0] == "P"
