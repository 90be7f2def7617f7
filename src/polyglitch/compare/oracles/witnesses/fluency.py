"""The fluency witness: which changed word goes least with the words around it, by a small network of the language.

It needs no source, no lens and no rule: "deve bolha", "felizes em ajuda", "um zíper que picadas" are no Portuguese
whatever they stand for. It knows good text and what was broken in it (`nlp/models/misfits.py`), nothing of meaning.
"""

from __future__ import annotations

from collections.abc import Sequence

from polyglitch.compare.oracles.witnesses.changed_words import (
    ORDINALS,
    ChangedWord,
    Pair,
    Statement,
    changed_pair,
)
from polyglitch.languages import two_letters
from polyglitch.nlp.models.misfits import WordOdds, misfits
from polyglitch.protocols import Tools
from polyglitch.records import Trial


class Fluency:
    """Reads both outputs as texts of their language."""

    name = "fluency"
    signature = "fluency(1)"

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """The log-odds that the oddest changed word does not belong there; nothing where no network knows them."""
        target = two_letters(tools.languages[1]) or ""
        network = misfits(target)
        if network is None:
            return [None] * len(trials)
        pairs = [changed_pair(trial, target) for trial in trials]
        texts = list(dict.fromkeys(text for pair in pairs if pair for text in pair.outputs))
        odds = dict(zip(texts, network.odds(texts), strict=True))
        return [pair and oddest(pair, odds) for pair in pairs]


def oddest(pair: Pair, odds: dict[str, list[WordOdds]]) -> Statement | None:
    """What is to be said of the changed word that goes least with its neighbours."""
    # What both have, one of them elsewhere, is no choice of one output.
    had = [{pair.text(word).lower() for word in pair.words if word.output == at} for at in (0, 1)]
    words = [word for word in pair.words if pair.text(word).lower() not in had[1 - word.output]]
    told = [(odds_of(word, odds[pair.outputs[word.output]]), word) for word in words]
    found, word = max(
        ((value, word) for value, word in told if value is not None),
        key=lambda one: one[0],
        default=(0.0, None),
    )
    if word is None:
        return None
    text = (
        f"{pair.text(word)!r} in the {ORDINALS[word.output]} translation "
        "hardly goes with the words around it"
    )
    return Statement(Fluency.name, found, text, word.output, (word.start, word.end))


def odds_of(word: ChangedWord, odds: Sequence[WordOdds]) -> float | None:
    """The odds of a changed word; nothing for one that merely comes too soon, or is cut otherwise."""
    if word.early:
        return None
    return max(
        (one.odds for one in odds if one.start < word.end and one.end > word.start), default=None
    )
