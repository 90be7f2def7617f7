"""Words by sentiment and class: a list of the project's own, joined by the lexicons of installed packages.

A word is positive or negative when its sources say so and none says the contrary. It is neutral only when every source
that was asked agrees: no source gives it a polarity, and it is a word that the bundled data knows. Unknown words
are neither.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from polyglitch.errors import Missing, UsageError
from polyglitch.languages import having
from polyglitch.languages import language as language_of
from polyglitch.registry import suggest

Polarity = Literal["positive", "negative", "neutral", "mixed", "unknown"]
SOURCES = ("bundled", "afinn", "vader", "textblob")
# Who says that a word may be added: not the lexicon of a system under test, which could then never stumble over it.
INDEPENDENT = ("bundled", "afinn")
PACKAGES = {"afinn": "afinn", "vader": "vaderSentiment", "textblob": "textblob"}
CLASSES = {"ADJ": "adjective", "NOUN": "noun", "PROPN": "noun", "VERB": "verb", "ADV": "adverb"}

# VADER's scale is -4..4 and TextBlob's -1..1: below these a rating says "hardly anything", not a side.
VADER_SIDE, VADER_SILENT = 0.7, 0.35
TEXTBLOB_SIDE, TEXTBLOB_SILENT = 0.3, 0.12
AFINN_SIDE, AFINN_SILENT = 1.5, 0.5  # whole numbers from -5 to 5
WORD_OF_XML = re.compile(r'<word form="([^"]+)"[^>]*?\bpos="(\w+)"[^>]*?\bpolarity="(-?[\d.]+)"')


class SentimentLexicon:
    """What the chosen sources say of a word."""

    def __init__(self, language: str, sources: tuple[str, ...]) -> None:
        self.signature = f"lexicon:{language}:{'+'.join(sources)}"
        self._classes, self._votes = _bundled(language)
        self._extra: list[dict[str, float]] = []
        if "afinn" in sources:
            self._extra.append(_scaled(_afinn(), AFINN_SIDE, AFINN_SILENT))
        if "vader" in sources:
            self._extra.append(_scaled(_vader(), VADER_SIDE, VADER_SILENT))
        if "textblob" in sources:
            self._extra.append(_scaled(_textblob(), TEXTBLOB_SIDE, TEXTBLOB_SILENT))

    def polarity(self, word: str, lemma: str = "") -> Polarity:
        """The side a word is on, looked up as it stands and by its lemma."""
        votes = [vote for form in {word.lower(), lemma.lower()} for vote in self._sides(form)]
        if not any(votes):
            return "neutral" if votes else "unknown"
        if (max(votes) > 0 > min(votes)) or max(map(abs, votes)) < 1:
            return "mixed"
        return "positive" if max(votes) > 0 else "negative"

    def neutral_for(self, word: str, lemma: str, known: bool) -> bool:
        """Whether no source gives the word a side; `known` vouches for words outside the lists."""
        found = self.polarity(word, lemma)
        return found == "neutral" or (found == "unknown" and known)

    def words(self, polarity: str, word_class: str) -> tuple[str, ...]:
        """The bundled words of a side and class, in order: what templates are filled with."""
        try:
            return self._classes[polarity][word_class]
        except KeyError:
            known = tuple(f"{p} {c}" for p, table in self._classes.items() for c in table)
            raise UsageError(
                f"no word list {polarity + ' ' + word_class!r}{suggest(f'{polarity} {word_class}', known)}"
            ) from None

    def _sides(self, form: str) -> Iterable[float]:
        if form in self._votes:
            yield self._votes[form]
        for source in self._extra:
            if form in source:
                yield source[form]


def installed_sources() -> tuple[str, ...]:
    """The bundled list, and the lexicons of the packages that are there."""
    return tuple(name for name in SOURCES if name not in PACKAGES or find_spec(PACKAGES[name]))


@cache
def open_lexicon(language: str, sources: tuple[str, ...] = ()) -> SentimentLexicon:
    """The lexicon of a language: of the named sources, or of those that are installed, the ones that rate its words."""
    sources = sources or installed_sources()
    for name in sources:
        if name not in SOURCES:
            raise UsageError(f"no lexicon is called {name!r}{suggest(name, SOURCES)}")
    if sources == INDEPENDENT:
        sources = tuple(name for name in sources if name in installed_sources())
    rated = ("bundled", *language_of(language).lexicons)
    chosen = tuple(name for name in sources if name in rated) or ("bundled",)
    return SentimentLexicon(language, chosen)


def _bundled(language: str) -> tuple[dict[str, dict[str, tuple[str, ...]]], dict[str, float]]:
    path = language_of(language).file("sentiment.toml")
    if path is None:
        known = ", ".join(having("sentiment.toml"))
        raise UsageError(f"no word list for the language {language!r}; there are: {known}")
    table = tomllib.loads(path.read_text("utf-8"))
    classes = {
        side: {kind: tuple(dict.fromkeys(words.split())) for kind, words in lists.items()}
        for side, lists in table.items()
    }
    votes: dict[str, float] = {}
    for side, vote in (("neutral", 0.0), ("positive", 1.0), ("negative", -1.0)):
        for words in classes[side].values():
            votes.update(dict.fromkeys(words, vote))
    return classes, votes


def _scaled(ratings: dict[str, float], side: float, silent: float) -> dict[str, float]:
    """Ratings as votes: 1 or -1 for a side, 0 for silence, and a half where a source hesitates."""
    return {
        word: 0.0
        if abs(rating) < silent
        else (1.0 if rating > 0 else -1.0) * (1.0 if abs(rating) >= side else 0.5)
        for word, rating in ratings.items()
    }


def _installed(package: str, *names: str) -> str:
    """A data file inside an installed package, read without importing it."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise Missing(package, f"the lexicon {names[-1]!r}", "pip install 'polyglitch[sentiment]'")
    return Path(spec.origin).parent.joinpath(*names).read_text("utf-8")


def _afinn() -> dict[str, float]:
    rows = (
        line.split("\t") for line in _installed("afinn", "data", "AFINN-en-165.txt").splitlines()
    )
    return {row[0]: float(row[1]) for row in rows if len(row) > 1 and row[0].isalpha()}


def _vader() -> dict[str, float]:
    rows = (
        line.split("\t") for line in _installed("vaderSentiment", "vader_lexicon.txt").splitlines()
    )
    return {row[0]: float(row[1]) for row in rows if len(row) > 1 and row[0].isalpha()}


def _textblob() -> dict[str, float]:
    """The mean over the senses of a word."""
    senses: dict[str, list[float]] = {}
    for form, _, polarity in WORD_OF_XML.findall(_installed("textblob", "en", "en-sentiment.xml")):
        senses.setdefault(form.lower(), []).append(float(polarity))
    return {word: sum(found) / len(found) for word, found in senses.items()}
