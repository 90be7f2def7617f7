"""Put a word into a sentence so that it still reads right: capital letters, and `a` or `an` before it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from polyglitch.protocols import Slot
from polyglitch.records import Edit

ARTICLE = re.compile(r"\b(an?)( +)$", re.IGNORECASE)
# Spelling misleads for these beginnings: heard as a consonant though written with a vowel, and the reverse.
CONSONANT_SOUND = re.compile(
    r"(uni(?!d(?!ir)|m|n|ll|ss)|unanim|us[aeu]|eu|ewe|one([^r]|$)|once|ubiq|ufo|ut[eio]|ukr|ur[aeiou](?!st)"
    r"|ouija|uvula|u[ks]$)",
    re.IGNORECASE,
)
VOWEL_SOUND = re.compile(r"(hour|hono(u)?r|honest|heir)", re.IGNORECASE)


@dataclass(frozen=True)
class Draft:
    """A sentence with a word put in: its text, where the word starts, and the edit in the original."""

    text: str
    start: int
    edit: Edit


def fit_in(slot: Slot, word: str) -> Draft:
    """The sentence with `word` in the slot, in the case of the word that stood there."""
    token, text = slot.token, slot.parse.text
    word = match_case(word, token.text)
    before, after = text[: token.start], text[token.end :]
    if slot.parse.text[: token.start] and (found := ARTICLE.search(before)):
        article = match_article(found[1], word)
        before = before[: found.start()] + article + found[2]
    edit = Edit("swap", token.start, token.end, token.text, word)
    return Draft(before + word + after, len(before), edit)


def match_case(word: str, model: str) -> str:
    """`word` in capitals where the model is."""
    if model.isupper() and len(model) > 1:
        return word.upper()
    if model[:1].isupper():
        return word[:1].upper() + word[1:]
    return word


def match_article(article: str, word: str) -> str:
    """`a` or `an`, as the word after it sounds, keeping capitals."""
    sounds_open = bool(VOWEL_SOUND.match(word)) or (
        word[:1].lower() in "aeiou" and not CONSONANT_SOUND.match(word)
    )
    new = "an" if sounds_open else "a"
    if article == "AN":
        return new.upper()
    return new.capitalize() if article[0].isupper() else new
