"""Word lists that predicates and templates name: words by sentiment and class, identity groups, pronouns, names,
places, slurs and profanity; and the pairs of words that general relations trade.

Sentiment is a list of the project's own, joined by the lexicons of installed packages. A word is positive or negative
when its sources say so and none says the contrary. It is neutral only when every source that was asked agrees: no
source gives it a polarity, and it is a word that the bundled data knows. Unknown words are neither.

The terms of abuse lie in one encoded file, decoded only when a capability asks for them; `drop_terms` removes it.
"""

from __future__ import annotations

import base64
import re
import tomllib
import zlib
from collections.abc import Iterable
from functools import cache
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from polyglitch.errors import Missing, UsageError
from polyglitch.languages import having, known_languages
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


ENCODED = "terms.b85"
WORDING = "wording.toml"
ABUSE = ("slur", "slur singular", "slur plural", "profanity")


@cache
def term_lists(language: str) -> dict[str, tuple[str, ...]]:
    """The open lists by name: `identity`, `identity plural`, `pronoun`, `name female`, ..."""
    path = language_of(language).file("groups.toml")
    table = tomllib.loads(path.read_text("utf-8")) if path else {}
    lists: dict[str, tuple[str, ...]] = {}
    for family, rows in table.items():
        for kind, words in rows.items():
            lists[f"{family} {kind}"] = tuple(words)
        lists[family] = tuple(dict.fromkeys(word for words in rows.values() for word in words))
    return lists


@cache
def abuse_lists() -> dict[str, tuple[str, ...]]:
    """Slurs and profanity, decoded; an error says so when they were dropped."""
    path = encoded_file()
    if path is None:
        raise Missing(
            "the list of slurs and profanity",
            "this capability",
            "it was removed by `doctor --drop-slurs`; install the package again",
        )
    table = tomllib.loads(zlib.decompress(base64.b85decode(path.read_bytes().strip())).decode())
    singular, plural = tuple(table["slur_singular"]), tuple(table["slur_plural"])
    return {
        "slur": singular + plural + tuple(table["slur_other"]),
        "slur singular": singular,
        "slur plural": plural,
        "profanity": tuple(table["profanity"]),
    }


def terms(name: str, language: str) -> tuple[str, ...]:
    """The words of a list, or an error that says which lists there are."""
    if name in ABUSE:
        return abuse_lists()[name]
    lists = term_lists(language)
    if name not in lists:
        raise UsageError(f"no word list is called {name!r}{suggest(name, (*lists, *ABUSE))}")
    return lists[name]


def drop_terms() -> bool:
    """Remove the encoded file; whether it was there."""
    path = encoded_file()
    if path is not None:
        Path(str(path)).unlink(missing_ok=True)
    return path is not None


def encoded_file() -> Traversable | None:
    """The encoded file of the language that has one."""
    found = (known.file(ENCODED) for known in known_languages())
    return next((path for path in found if path is not None), None)


@cache
def wording(section: str, language: str) -> dict[str, Any]:
    """One section of the file of a language."""
    table: dict[str, Any] = language_of(language).table(WORDING, "rewording")[section]
    return table


def letter_table(language: str) -> dict[str, Any]:
    """Letters taken for others: of the language, else of one in the same script; empty where there is none."""
    known = language_of(language)
    codes = (known.code, *having(WORDING))
    fitting = (
        code
        for code in codes
        if language_of(code).file(WORDING) and language_of(code).script == known.script
    )
    code = next(fitting, None)
    return wording("letters", code) if code else {}


@cache
def pairs(section: str, kind: str, language: str, both_ways: bool = True) -> dict[str, str]:
    """Word to word, in both directions unless told otherwise."""
    found: dict[str, str] = {}
    for pair in wording(section, language)[kind]:
        one, other = pair.split()
        found.setdefault(one, other)
        if both_ways:
            found.setdefault(other, one)
    return found
