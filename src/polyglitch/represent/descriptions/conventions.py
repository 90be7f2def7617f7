"""Terms and literals as regex text.

Meanings as regexes in the conventions of NL-RX, where a description tells the whole text.

"Lines with a vowel" are the texts that are one vowel; "lines containing a vowel" have one somewhere. The published
regexes put no brackets around a choice inside `.*` or `\\b`; ours are the same, or they could not be compared.

Meanings as regexes in the conventions of KB13, where a description tells what to look for in a text.

"Lines with a vowel" have one somewhere; "words ending in 'er'" are words of letters with a boundary on both sides;
a plain count ("5 numbers") is a lower bound, "only" and "exactly" make it exact.
"""

from __future__ import annotations

from itertools import combinations

from polyglitch.represent.descriptions.lexicon import DescriptionToken
from polyglitch.represent.descriptions.shapes import PLACES, Meaning, alternatives

CLASSES = {
    "vowel": "[AEIOUaeiou]",
    "number": "[0-9]",
    "letter": "[A-Za-z]",
    "character": ".",
    "capital": "[A-Z]",
    "lower": "[a-z]",
    "consonant": "[B-DF-HJ-NP-TV-Zb-df-hj-np-tv-z]",
}


def symbol(token: DescriptionToken) -> str:
    """The regex of one term."""
    return CLASSES[token.value] if token.kind == "TERM" else escape(token.value)


def escape(literal: str) -> str:
    """A literal with what the dialect reserves escaped."""
    return "".join(
        char if char.isalnum() or char in " _<>=,;:'\"!@#%/-" else f"\\{char}" for char in literal
    )


WHOLE_WORD = "[A-Za-z]+"
EVERY_WORD = "~(.*\\b(([A-Za-z]+)&~({0}))\\b.*)"  # no word that is not so


def write_whole(meaning: Meaning, tokens: tuple[DescriptionToken, ...]) -> str:
    """The regex of a meaning."""
    if meaning[0] == "contain" and meaning[1][0] == "one of":  # each is contained, not the choice
        meaning = ("one of", ("contain", meaning[1][1]))
    name, parts = meaning[0], [part for part in meaning[1:] if isinstance(part, tuple)]
    inner = [write_whole(part, tokens) for part in parts]
    if name == "term":
        return symbol(tokens[meaning[1]])
    if name == "some":
        return f"({inner[0]})+"
    if name == "words":
        return f"\\b{inner[0] if inner else WHOLE_WORD}\\b"
    if name in ("or", "and", "list"):
        return ("|" if name == "or" else "&").join(f"({part})" for part in inner)
    if name in ("before", "then"):
        return f"({inner[0]}).*({inner[1]}).*"
    if name == "next":
        return f".*({inner[0]})({inner[1]}).*"
    if name == "one of":
        return one_of([write_whole(part, tokens) for part in alternatives(parts[0])])
    if name == "between":
        one, other = (write_whole(part, tokens) for part in parts[1][1:3])
        return f"({one}).*({inner[0]}).*({other}).*"
    if name == "repeat":
        single = parts[0][1] if parts[0][0] == "some" else parts[0]  # "3 vowels" counts vowels
        return repeated(write_whole(single, tokens), tokens[meaning[2]])
    if name == "run":
        return f"({symbol(tokens[meaning[2]])}){{{tokens[meaning[1]].value[0]}}}"
    if name == "sized":
        return f"\\b({symbol(tokens[meaning[3]])}){{{tokens[meaning[2]].value[0]},}}\\b"
    return UNARY[name].format(inner[0])


UNARY = {
    "contain": ".*{}.*",
    "start": "({})(.*)",
    "end": "(.*)({})",
    "not": "~({})",
    "only": "{}",
    "behind": "{}",
    "ahead": "{}",
    "both ends": "(({0})(.*))&((.*)({0}))",
    "every word": EVERY_WORD,
}


def one_of(parts: list[str]) -> str:
    """One of several regexes, and no two of them."""
    both = "|".join(f"(({one})&({other}))" for one, other in combinations(parts, 2))
    return f"({'|'.join(f'({part})' for part in parts)})&~({both})"


def repeated(inner: str, quantity: DescriptionToken) -> str:
    """A repetition; a count without "exactly" is a lower bound there, "less than n" the opposite of n or more."""
    low, high, kind = quantity.value
    if kind == "over":
        return f"({inner}){{{low + 1},}}"
    if kind == "under":
        return f"~(({inner}){{{high + 1},}})"
    if kind in ("exact", "range"):
        return f"({inner}){{{low},{high}}}"
    if kind == "most":
        return f"({inner}){{0,{high}}}"
    if low < 2:
        if kind == "bare" and low == 1:
            return inner
        return f"({inner}){'+' if low else '*'}"
    return f"({inner}){{{low},}}"


LETTERS = "[A-Za-z]"
SEARCH_WORD = f"\\b{LETTERS}+\\b"
GAP = "[^A-Za-z]*"
SIMPLE = ("term", "some", "words", "sized", "run")


def write_search(meaning: Meaning, tokens: tuple[DescriptionToken, ...]) -> str:
    """The regex of a meaning."""
    return _Writer(tokens).holds(meaning, False)


class _Writer:
    """`holds` writes what a whole text must be, `piece` what stands somewhere in it."""

    def __init__(self, tokens: tuple[DescriptionToken, ...]) -> None:
        self.tokens = tokens

    def holds(self, meaning: Meaning, word: bool) -> str:
        name = meaning[0]
        if name in SIMPLE:
            return f".*{self.piece(meaning)}.*"
        if name in ("or", "and", "list"):
            return self.several(meaning, word)
        if name in ("before", "then") and meaning[2][0] == "not":  # nothing of it in all the rest
            return f".*{self.group(meaning[1])}({self.holds(meaning[2], word)})"
        if name in ("before", "then", "between", "next"):
            return f".*({self.piece(meaning)}).*"
        if name == "one of":
            return one_of([self.holds(part, word) for part in alternatives(meaning[1])])
        if name == "every word":
            return EVERY_WORD.format(self.holds(meaning[1], True))
        if name == "both ends":
            sides = (self.edge(meaning[1], word, shape) for shape in ("{}.*", ".*{}"))
            return "&".join(f"({side})" for side in sides)
        if name == "repeat":
            return self.counted(meaning[1], self.tokens[meaning[2]], word, False)
        if name == "not":
            return f"~({self.holds(meaning[1], word)})"
        if name == "contain" or name in PLACES:
            return self.holds(meaning[1], word)
        if name == "start":
            return self.edge(meaning[1], word, "{}.*")
        if name == "end":
            return self.edge(meaning[1], word, ".*{}")
        return self.only(meaning[1], word)

    def edge(self, inner: Meaning, word: bool, shape: str) -> str:
        if inner[0] in ("and", "list", "not", "start", "end", "only"):
            rest = [self.holds(part, word) for part in inner[2:] if isinstance(part, tuple)]
            first = shape.format(f"({self.piece(inner[1])})")
            return "&".join(f"({part})" for part in (first, *rest)) if inner[0] == "and" else first
        return shape.format(f"({self.piece(inner)})")

    def several(self, meaning: Meaning, word: bool) -> str:
        parts = meaning[1:]
        if meaning[0] == "or" and all(part[0] in SIMPLE for part in parts):
            return f".*({'|'.join(self.piece(part) for part in parts)}).*"
        sign = "|" if meaning[0] == "or" else "&"
        return sign.join(f"({self.holds(part, word)})" for part in parts)

    def only(self, inner: Meaning, word: bool) -> str:
        while inner[0] in ("contain", "only"):
            inner = inner[1]
        if inner[0] == "repeat":
            return self.counted(inner[1], self.tokens[inner[2]], word, True)
        if inner[0] == "some" or (inner[0] == "term" and self.tokens[inner[1]].plural):
            return f"{self.piece(inner)}*"
        if inner[0] in ("words", "sized"):
            return f"{GAP}{self.piece(inner)}{GAP}"
        if inner[0] == "or" and all(part[0] in ("some", "term") for part in inner[1:]):
            return f"({'|'.join(self.piece(part) for part in inner[1:])})*"
        return self.piece(inner) if inner[0] == "term" else self.holds(inner, word)

    def piece(self, meaning: Meaning) -> str:
        name = meaning[0]
        if name == "term":
            token = self.tokens[meaning[1]]
            return f"\\b{symbol(token)}\\b" if token.kind == "WORD" else symbol(token)
        if name in ("some", "contain", "only"):
            return self.piece(meaning[1])
        if name == "run":
            return f"{symbol(self.tokens[meaning[2]])}{{{self.tokens[meaning[1]].value[0]}}}"
        if name == "words":
            return self.word(f"{LETTERS}+", meaning[1]) if len(meaning) > 1 else SEARCH_WORD
        if name == "sized":
            low = self.tokens[meaning[2]].value[0]
            inner = meaning[1]
            return self.word(f"{LETTERS}{{{low}}}", None if inner == ("words",) else inner)
        if name == "next":
            return f"{self.group(meaning[1])}{self.group(meaning[2])}"
        if name in ("before", "then"):
            return f"{self.group(meaning[1])}.*{self.group(meaning[2])}"
        if name == "between":
            one, other = (self.group(part) for part in meaning[2][1:3])
            middle = self.group(meaning[1])
            return f"({one}.*{middle}.*{other}|{other}.*{middle}.*{one})"
        if name == "or":
            return f"({'|'.join(self.piece(part) for part in meaning[1:])})"
        if name in ("and", "list"):
            one, other = self.group(meaning[1]), self.group(meaning[2])
            return f"({one}.*{other}|{other}.*{one})"
        if name == "repeat":
            low = max(1, self.tokens[meaning[2]].value[0])
            inner_piece = self.group(meaning[1])
            return inner_piece if low == 1 else f"({inner_piece}.*){{{low - 1}}}{inner_piece}"
        return f"({self.holds(meaning, False)})"

    def group(self, meaning: Meaning) -> str:
        found = self.piece(meaning)
        return f"({found})" if meaning[0] in ("or", "and", "before", "then") else found

    def word(self, letters: str, inner: Meaning | None) -> str:
        if inner is None:
            return f"\\b{letters}\\b"
        return f"\\b(({letters})&({self.holds(inner, True)}))\\b"

    def counted(self, inner: Meaning, quantity: DescriptionToken, word: bool, only: bool) -> str:
        while inner[0] == "contain":
            inner = inner[1]
        low, high, kind = quantity.value
        if kind == "run":
            return f".*({self.piece(inner)}){{{low}}}.*"
        if kind == "over":
            low += 1
        if kind in ("least", "over") or (kind == "bare" and not only):
            high = None
        piece = self.piece(inner)
        if self.is_length(inner, word):
            exact = kind == "bare" or only
            high = low if exact else high
            low = max(low, 1) if word else low
            return f"{piece}{{{low},{'' if high is None else high}}}"
        if inner[0] in ("words", "sized") and high is not None:
            return f"({GAP}{piece}{GAP}){{{low},{high}}}"
        if only and inner[0] in ("some", "term"):
            bound = low if kind in ("bare", "exact") else "" if high is None else high
            return (
                f"({piece}){{{low},{bound}}}"
                if inner[0] == "some"
                else self.exactly(piece, low, low)
            )
        return self.exactly(piece, low, high)

    def is_length(self, inner: Meaning, word: bool) -> bool:
        """Whether a count of it is the length of the text: characters anywhere, letters in a word."""
        term = inner[1] if inner[0] == "some" else inner
        if term[0] != "term":
            return False
        token = self.tokens[term[1]]
        names = ("character", "letter") if word else ("character",)
        return token.kind == "TERM" and token.value in names

    def exactly(self, piece: str, low: int, high: int | None) -> str:
        least = f"(.*{piece}.*){{{low}}}" if low != 1 else f".*{piece}.*"
        if high is None:
            return least
        most = f"~((.*{piece}.*){{{high + 1}}})"
        return f"({least})&({most})" if low else most
