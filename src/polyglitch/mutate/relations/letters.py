"""Changes of letters, case, spaces and marks: what was typed differs, what was said does not."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Iterator

from polyglitch.languages import language as language_of
from polyglitch.nlp.lexicons.terms import letter_table
from polyglitch.records import Parse, Token

COMMAS = ",،，、"
ACCENTED = ("Latin", "Greek", "Arabic", "Hebrew")  # elsewhere such marks are vowels and letters
EXCLAIM = "!！՜"
SHORTEST = 4  # in a shorter word one wrong letter may make another word


def swap_letters(parse: Parse, dice: random.Random) -> Iterator[str]:
    """Two inner letters of a word trade places."""
    for token in _words(parse, dice):
        word = token.text
        spots = [i for i in range(1, len(word) - 2) if word[i] != word[i + 1]]
        if spots:
            i = dice.choice(spots)
            yield _put(parse, token, word[:i] + word[i + 1] + word[i] + word[i + 2 :])


def drop_letter(parse: Parse, dice: random.Random) -> Iterator[str]:
    """An inner letter is missing."""
    for token in _words(parse, dice):
        i = dice.randrange(1, len(token.text) - 1)
        yield _put(parse, token, token.text[:i] + token.text[i + 1 :])


def double_letter(parse: Parse, dice: random.Random) -> Iterator[str]:
    """An inner letter is there twice."""
    for token in _words(parse, dice):
        i = dice.randrange(1, len(token.text) - 1)
        yield _put(parse, token, token.text[:i] + token.text[i] + token.text[i:])


def keyboard_slip(parse: Parse, dice: random.Random) -> Iterator[str]:
    """A letter becomes its neighbour on the keyboard."""
    near: dict[str, str] = {}
    for pair in str(letter_table(parse.language).get("keyboard", "")).split():
        near[pair[0]] = near.get(pair[0], "") + pair[1]
        near[pair[1]] = near.get(pair[1], "") + pair[0]
    for token in _words(parse, dice):
        i = dice.randrange(1, len(token.text) - 1)
        if token.text[i] in near:
            yield _put(
                parse,
                token,
                token.text[:i] + dice.choice(near[token.text[i]]) + token.text[i + 1 :],
            )


def scanned(parse: Parse, dice: random.Random) -> Iterator[str]:
    """A letter as a scanner misreads it."""
    yield from _swap_pairs(parse, dice, "scanned")


def lookalike(parse: Parse, dice: random.Random) -> Iterator[str]:
    """A letter of another script that looks the same."""
    yield from _swap_pairs(parse, dice, "lookalikes")


def upper_case(parse: Parse, dice: random.Random) -> Iterator[str]:
    """All in capitals."""
    yield parse.text.upper()


def lower_case(parse: Parse, dice: random.Random) -> Iterator[str]:
    """No capitals at all."""
    yield parse.text.lower()


def title_case(parse: Parse, dice: random.Random) -> Iterator[str]:
    """A capital on every word."""
    yield re.sub(r"(?<![\w'’])[a-z]", lambda match: match[0].upper(), parse.text)


def extra_spaces(parse: Parse, dice: random.Random) -> Iterator[str]:
    """Two spaces where there was one, once."""
    places = [match.start() for match in re.finditer(" ", parse.text)]
    if places:
        at = dice.choice(places)
        yield parse.text[:at] + " " + parse.text[at:]


def outer_spaces(parse: Parse, dice: random.Random) -> Iterator[str]:
    """Spaces before and after the text."""
    yield f"  {parse.text}  "


def drop_final_mark(parse: Parse, dice: random.Random) -> Iterator[str]:
    """Without the full stop at the end."""
    text, stop = parse.text.rstrip(), language_of(parse.language).full_stop
    ending = next((mark for mark in (stop, ".") if text.endswith(mark)), "")
    yield text.removesuffix(ending).rstrip() if ending else parse.text


def add_final_mark(parse: Parse, dice: random.Random) -> Iterator[str]:
    """With a full stop where the end is bare."""
    if parse.text.rstrip()[-1:].isalnum():
        yield parse.text.rstrip() + language_of(parse.language).full_stop


def drop_commas(parse: Parse, dice: random.Random) -> Iterator[str]:
    """Without commas."""
    yield re.sub(rf"[{COMMAS}](?!\d)", "", parse.text)


def straight_quotes(parse: Parse, dice: random.Random) -> Iterator[str]:
    """Typographic quotes and apostrophes for straight ones."""
    yield re.sub(r"'", "’", re.sub(r'"([^"]*)"', r"“\1”", parse.text))


def drop_accents(parse: Parse, dice: random.Random) -> Iterator[str]:
    """Letters without their accents, in the scripts where a word without them is still read."""
    if language_of(parse.language).script not in ACCENTED:
        return
    parts = unicodedata.normalize("NFD", parse.text)
    yield unicodedata.normalize("NFC", "".join(c for c in parts if not unicodedata.combining(c)))


def exclaim(parse: Parse, dice: random.Random) -> Iterator[str]:
    """An exclamation mark for the full stop."""
    marks = language_of(parse.language).sentence_marks
    if parse.text.rstrip()[-1:] not in f"?!\"'{''.join(marks[1:3])}":
        mark = next((mark for mark in marks if mark in EXCLAIM), "!")
        yield parse.text.rstrip(f" .{language_of(parse.language).full_stop}") + mark


def _swap_pairs(parse: Parse, dice: random.Random, kind: str) -> Iterator[str]:
    table = letter_table(parse.language)
    pairs = [pair.split() for pair in table.get(kind, ())]
    for token in _words(parse, dice):
        fitting = [(old, new) for old, new in pairs if old in token.text[1:-1]]
        if fitting:
            old, new = dice.choice(fitting)
            at = token.text.index(old, 1)
            yield _put(parse, token, token.text[:at] + new + token.text[at + len(old) :])


def _words(parse: Parse, dice: random.Random) -> list[Token]:
    """Long enough words of letters, in random order; names are left as they are, and characters that are words."""
    if not language_of(parse.language).spaced:
        return []
    words = [
        token
        for token in parse.tokens
        if len(token.text) >= SHORTEST and token.text.isalpha() and token.pos != "PROPN"
    ]
    dice.shuffle(words)
    return words


def _put(parse: Parse, token: Token, word: str) -> str:
    return parse.text[: token.start] + word + parse.text[token.end :]
