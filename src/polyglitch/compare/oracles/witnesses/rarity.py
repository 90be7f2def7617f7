"""The rarity witness: the rarest changed word, by the frequency lists of wordfreq where that is installed.

A word that its language hardly has is a word left untranslated, misspelled or made up. It needs no model and knows some
forty languages; where nothing parts words it has nothing to say.
"""

from __future__ import annotations

from collections.abc import Sequence

from polyglitch.compare.oracles.witnesses.changed_words import Pair, changed_pair
from polyglitch.compare.oracles.witnesses.confidence import ORDINALS
from polyglitch.compare.oracles.witnesses.statement import Statement
from polyglitch.languages import language as language_of
from polyglitch.languages import two_letters
from polyglitch.nlp.lexicons.frequencies import Frequency, frequencies, lists_at_hand
from polyglitch.protocols import Tools
from polyglitch.records import Trial

COMMONEST = (
    8.0  # on the scale of Zipf frequencies: "the" is 7.7, a word in a million 3, an unknown one 0
)


class Rarity:
    """Looks the changed words up in a list of frequencies."""

    name = "rarity"

    def __init__(self, language: str | None = None) -> None:
        self.language = language  # of the outputs, where the campaign does not tell
        self.signature = f"rarity(lists={lists_at_hand()},version=1)"

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """How rare the rarest changed word is, from 0 to 8; nothing without a list for the language."""
        code = two_letters(self.language or tools.languages[1])
        frequency = frequencies(code or "")
        if frequency is None:
            return [None] * len(trials)
        name = language_of(code).name or str(code)
        pairs = [changed_pair(trial, code) for trial in trials]
        return [pair and rarest(pair, frequency, name) for pair in pairs]


def rarest(pair: Pair, frequency: Frequency, language: str) -> Statement | None:
    """What is to be said of the rarest changed word."""
    words = [word for word in pair.words if not word.early and pair.text(word)[0].isalpha()]
    if not words:
        return None
    found, word = min(
        ((frequency(pair.text(word)), word) for word in words), key=lambda one: one[0]
    )
    said = (
        f"rare in {language}, about one in {counted(10 ** (9 - found))} words"
        if found
        else f"not in the list of {language} words"
    )
    text = f"{pair.text(word)!r} in the {ORDINALS[word.output]} translation is {said}"
    return Statement(Rarity.name, COMMONEST - found, text, word.output, (word.start, word.end))


def counted(number: float) -> str:
    """A number as people say it: 89 million, 40,000."""
    return f"{number / 1e6:,.0f} million" if number >= 1e6 else f"{round(number, -3):,.0f}"
