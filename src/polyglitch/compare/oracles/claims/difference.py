"""What parts two answers, and where; and whether two words mean the same in WordNet, where it is installed.

The two inputs as far as they bear on what an answer may leave out or add.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from polyglitch.nlp.lexicons.words import PARTS, WordNet, dictionary_folder, open_wordnet
from polyglitch.represent.claims.answer import denial, read_answer
from polyglitch.represent.claims.facts import Fact, facts, same_fact
from polyglitch.represent.claims.other_languages import other_languages
from polyglitch.represent.claims.words import patterns, phrase_pattern, root

OPTION = re.compile(r"(?:^|\n|\s)\(?([A-Ha-h])[).:]\s+(.+?)(?=\s+\(?[A-Ha-h][).:]\s|\n|$)")
PICK = re.compile(
    r"\A\W*(?:the (?:correct |right |best )?(?:answer|option|choice) is\W*|(?:answer|option)\W*)?"
    r"\(?([A-Ha-h])\)?(?:[).:]|\Z)\s*(.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
EDGE = 300  # characters at either end of an input where the request stands


class Difference(NamedTuple):
    """Something that parts two answers: how much it weighs, in words, and the places in each."""

    kind: str
    weight: float
    reason: str
    first: tuple[int, int] | None = None
    second: tuple[int, int] | None = None


def place_of(part: str, text: str) -> tuple[int, int] | None:
    """Where a value stands in an answer."""
    at = text.find(part) if part else -1
    return (at, at + len(part)) if at >= 0 else None


@cache
def _wordnet() -> WordNet | None:
    return open_wordnet() if dictionary_folder() else None


@lru_cache(maxsize=65536)
def _synonym_roots(word: str) -> frozenset[str]:
    """The roots of the words that share a meaning with a word."""
    known = _wordnet()
    if known is None:
        return frozenset()
    found = {name for part in PARTS for name in known.synonyms(word, part)}
    return frozenset(root(name) for name in found if "_" not in name)


def synonyms(one: str, other: str) -> bool:
    """Whether two words, as they are written, share a meaning in WordNet."""
    return root(other) in _synonym_roots(one) or root(one) in _synonym_roots(other)


class Asked(NamedTuple):
    """What was asked before and after the edit."""

    source: str
    followup: str
    followed: bool = False  # whether the answer must follow the edit

    @property
    def exhaustive(self) -> bool:
        """Whether all that is there was asked for: a summary, an extraction, a rewriting."""
        return self._asks("exhaustive")

    @property
    def condensed(self) -> bool:
        """Whether a summary was asked for, which may leave out what the text says."""
        return self._asks("condensed")

    @property
    def counted(self) -> bool:
        """Whether so and so many things were asked for."""
        return self._asks("counted")

    def _asks(self, name: str) -> bool:
        low = self.source.lower()
        ends = low[:EDGE], low[-EDGE:]
        return any(p.search(part) for p in patterns(name) for part in ends)

    @property
    def turned_question(self) -> bool:
        """Whether only one of the two questions has a denial in it."""
        asks = [
            " ".join(s.text for s in read_answer(text).sentences if s.text.rstrip().endswith("?"))
            for text in (self.source, self.followup)
        ]
        return bool(denial(asks[0])) != bool(denial(asks[1]))

    @property
    def in_another_language(self) -> bool:
        """Whether the second question is in another language than the first, and asks for none."""
        told = phrase_pattern("in_a_language").search(self.followup.lower())
        return not told and other_languages(self.source, self.followup)

    def remarked(self) -> list[Fact]:
        """Facts that only the second input has, where they are no part of what must be followed."""
        if self.followed:
            return []
        before = facts(self.source)
        return [f for f in facts(self.followup) if not any(same_fact(f, g) for g in before)]

    @property
    def question(self) -> str:
        """What is asked: the sentences with a question mark, of either input."""
        return " ".join(
            part.text.rsplit(". ", 1)[-1]  # a text without capitals is one sentence
            for text in (self.source, self.followup)
            for part in read_answer(text).sentences
            if part.text.rstrip().endswith("?")
        )


def chosen_option(answer: str, asked: str) -> str:
    """The answer with the text of its option for the letter, where the input has options by letters."""
    known = {letter.upper(): text.strip() for letter, text in OPTION.findall(asked)}
    picked = PICK.match(answer.strip())
    if len(known) < 2 or not picked or picked[1].upper() not in known:
        return answer
    rest = picked[2].strip()
    text = known[picked[1].upper()]
    return rest if rest and text.lower().rstrip(".") in rest.lower() else f"{text} {rest}".strip()
