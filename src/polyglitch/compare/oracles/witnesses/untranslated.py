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
from polyglitch.nlp.lexicons.frequencies import frequencies
from polyglitch.protocols import Tools
from polyglitch.records import Trial

SHORTEST = 4  # letters: shorter words are words of many languages
# On the scale of Zipf: a word less than so much rarer in the language than in the source's is a word of both. English
# words that stray into Spanish and Catalan lists are rarer there by 1.2 and more, cognates by less than 1.
COGNATE = 1.0
LIKELY, SURE = 1.0, 2.0  # copied; copied with letters that the language's own words lack


class Untranslated:
    """Looks for words of the source among the changed words of both outputs."""

    name = "untranslated"
    signature = "untranslated(2)"

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
        (SURE if is_foreign(pair.text(word), source, target) else LIKELY, word)
        for word in pair.words
        if is_copied(pair.text(word), given[word.output] - names[word.output], target)
        and not is_cognate(pair.text(word).lower(), source, target)
    ]
    if not found:
        return None
    weight, word = max(found, key=lambda item: item[0])
    return said(pair, word, weight)


def is_copied(text: str, given: set[str], target: str) -> bool:
    """Whether a word of an output is one of its source, and none that the language is known to have."""
    low = text.lower()
    known = language_of(target).function_words
    plain = low.isalpha() and len(low) >= SHORTEST
    return plain and low in given and low not in known and low not in fact_lists(target).loans


def is_cognate(word: str, source: str, target: str) -> bool:
    """Whether a word is about as frequent in both languages, as far as lists of frequencies tell."""
    here, there = frequencies(target), frequencies(source)
    if here is None or there is None:
        return False
    return here(word) > max(0.0, there(word) - COGNATE)


def said(pair: Pair, word: ChangedWord, weight: float) -> Statement:
    """The statement on one word."""
    ordinal = ("first", "second")[word.output]
    words = f"'{pair.text(word)}' was left as it stands in the source (in the {ordinal})"
    return Statement(Untranslated.name, weight, words, word.output, (word.start, word.end))
