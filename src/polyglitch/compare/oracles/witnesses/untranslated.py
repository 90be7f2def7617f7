"""The untranslated witness: a changed word that stands in its output as it stands in the source.

Among words that both outputs share such a word may well be a loan; where only one output has it, it mostly was left.
"""

from __future__ import annotations

from collections.abc import Sequence

from polyglitch.compare.metrics.units import cut
from polyglitch.compare.oracles.facts.lists import fact_lists
from polyglitch.compare.oracles.facts.wording import is_foreign
from polyglitch.compare.oracles.witnesses.changed_words import ChangedWord, Pair, changed_pair
from polyglitch.compare.oracles.witnesses.statement import Statement
from polyglitch.languages import language as language_of
from polyglitch.languages import two_letters
from polyglitch.nlp.lexicons.frequencies import frequencies, lists_at_hand
from polyglitch.protocols import Tools
from polyglitch.records import Trial

SHORTEST = 4  # letters: shorter words are words of many languages
LIKELY, SURE = 1.0, 2.0  # copied; copied, and hardly a word of the language
RARER = 1.3  # on Zipf's scale: a word that its own language has twenty times more often is no loan
AT_HOME = 3.0  # on the same scale, once in a million words: "menu", "scanner" and "script" are words of many languages
AS_COMMON = 0.5  # one that both languages have about as often is: "hotel", "local"


class Untranslated:
    """Looks for words of the source among the changed words of both outputs."""

    name = "untranslated"

    def __init__(self) -> None:
        self.signature = f"untranslated(lists={lists_at_hand()},version=2)"

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """The copied word that looks most like one of the source's language."""
        source, target = (two_letters(code) or "" for code in tools.languages)
        if source == target or language_of(source).script != language_of(target).script:
            return [None] * len(trials)
        pairs = (changed_pair(trial, target) for trial in trials)
        return [pair and left_over(pair, source, target) for pair in pairs]


def left_over(pair: Pair, source: str, target: str) -> Statement | None:
    """What is to be said of the copied words of a pair."""
    given = [set(cut(text, source).units) for text in pair.inputs]
    names = [{unit for unit in units if unit[:1].isupper()} for units in given]
    found = [
        (how_foreign(pair.text(word), source, target), word)
        for word in pair.words
        if is_copied(pair.text(word), given[word.output] - names[word.output], target)
    ]
    weight, word = max(found, key=lambda item: item[0], default=(0.0, None))
    return said(pair, word, weight) if word and weight else None


def how_foreign(text: str, source: str, target: str) -> float:
    """How surely a copied word is none of the target's: by lists of frequencies where there are, and by its letters."""
    here, there = frequencies(target), frequencies(source)
    foreign = is_foreign(text, source, target)
    if here is None or there is None:
        return SURE if foreign else LIKELY
    rarer = there(text) - here(text)
    if here(text) >= AT_HOME or rarer <= AS_COMMON:
        return 0.0
    return SURE if foreign or rarer >= RARER else LIKELY


def is_copied(text: str, given: set[str], target: str) -> bool:
    """Whether a word of an output is one of its source, and none that the language is known to have."""
    low = text.lower()
    known = language_of(target).function_words
    plain = low.isalpha() and len(low) >= SHORTEST
    return plain and low in given and low not in known and low not in fact_lists(target).loans


def said(pair: Pair, word: ChangedWord, weight: float) -> Statement:
    """The statement on one word."""
    ordinal = ("first", "second")[word.output]
    words = f"'{pair.text(word)}' was left as it stands in the source (in the {ordinal})"
    return Statement(Untranslated.name, weight, words, word.output, (word.start, word.end))
