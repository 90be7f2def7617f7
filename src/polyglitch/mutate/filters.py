"""Put a word into a sentence so that it still reads right: capital letters, and `a` or `an` before it.

Which swaps read right. Each filter looks at the slot, the draft and how the draft was parsed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from polyglitch.languages import language as language_of
from polyglitch.nlp.proposers.slot_words import breaks_gender, goes_with_article, repeats
from polyglitch.protocols import Parse, Slot, Token
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
    sounded = language_of(slot.parse.language).sounded_articles
    found = ARTICLE.search(before)
    if found and found[1].lower() in sounded:
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


class Swap(msgspec.Struct, frozen=True):
    """A word put in: where it was put, the sentence it made, and that sentence parsed."""

    slot: Slot
    draft: Draft
    parse: Parse

    @property
    def token(self) -> Token | None:
        """The new word as the parser saw it, if it saw one word there."""
        return next((t for t in self.parse.tokens if t.start == self.draft.start), None)


Keep = Callable[[Swap], bool]


def same_tag(swap: Swap) -> bool:
    """Whether the new word was read as the same part of speech as the old one."""
    return swap.token is not None and swap.token.tag == swap.slot.token.tag


def same_tags(swap: Swap) -> bool:
    """Whether every word of the sentence was read as before: the new word misleads nobody."""
    old, new = swap.slot.parse.tokens, swap.parse.tokens
    return [token.tag for token in old] == [token.tag for token in new]


def same_skeleton(swap: Swap) -> bool:
    """Whether tags, heads and relations are all as before."""
    old, new = swap.slot.parse.tokens, swap.parse.tokens
    return [(t.tag, t.head, t.relation) for t in old] == [(t.tag, t.head, t.relation) for t in new]


def not_repeated(swap: Swap) -> bool:
    """Whether the new word is not in the sentence already, in any form."""
    return not repeats(swap.slot, swap.draft.edit.new)


def same_countability(swap: Swap) -> bool:
    """Whether a singular noun goes with its article."""
    return swap.token is None or goes_with_article(swap.slot, swap.token.text)


def same_gender(swap: Swap) -> bool:
    """Whether no daughter became a son in a sentence that goes on about her."""
    return not breaks_gender(swap.slot, swap.draft.edit.new)


# What every method asks of the new word in its sentence, and what most ask of the sentence.
IN_PLACE: tuple[Keep, ...] = (not_repeated, same_countability, same_gender)
NATURAL: tuple[Keep, ...] = (same_tag, same_tags, *IN_PLACE)
