"""Which parser serves a language: what the user names, else what is installed, fetched or bundled, else a tagger, else
the words alone, of which nothing is known but where each stands.

It remembers what it parsed last: methods that share seeds and mutants share their parses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.util import find_spec
from typing import NamedTuple

import msgspec

from polyglitch import registry
from polyglitch.languages import language as language_of
from polyglitch.nlp.models.downloads import bundled, fetched
from polyglitch.nlp.parsers import spacy as spacy_parser
from polyglitch.nlp.parsers import stanza as stanza_parser
from polyglitch.nlp.parsers import udpipe as udpipe_parser
from polyglitch.nlp.recent import Recent
from polyglitch.protocols import Parse, Parser, Token

WORD = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")


class BareWords:
    """Fits `protocols.Parser`: no tags and no dependencies; a word that may be a name is called one."""

    signature = "words"
    tags_only = True

    def __init__(self, language: str) -> None:
        self._language = language_of(language)

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Cut each text into words and marks."""
        return [self._parse(text) for text in texts]

    def skim(self, texts: Sequence[str]) -> list[Parse]:
        """The same: there is nothing to leave out."""
        return self.parse(texts)

    def _parse(self, text: str) -> Parse:
        found = enumerate(WORD.finditer(text))
        tokens = tuple(
            Token(m[0], m.start(), m.end(), "", self._pos(m[0]), m[0].lower(), number, "")
            for number, m in found
        )
        return Parse(text, tokens, language=self._language.code)

    def _pos(self, word: str) -> str:
        """What can be told from letters alone; a capital keeps a word from being changed as if it were none."""
        if not word[0].isalnum():
            return "PUNCT"
        common = word.lower() in self._language.function_words
        return "PROPN" if word[0].isupper() and not common else "X"


def open_words(language: str, model: str | None = None) -> BareWords:
    """The words of a language that has blanks between them."""
    return BareWords(language)


class ParserChoice(NamedTuple):
    """A parser that would be opened, and why it is this one."""

    name: str  # as `--parser` takes it
    model: str
    origin: str  # installed, fetched or bundled
    tags_only: bool = False

    @property
    def told(self) -> str:
        """How a person is told of it."""
        model = f":{self.model}" if self.model else ""
        return f"{self.name}{model}, {self.origin}{', words and tags only' * self.tags_only}"


def choose(language: str) -> ParserChoice | None:
    """The best parser there is for a language, without loading it; a tagger where there is none."""
    if package := spacy_parser.installed(language):
        return ParserChoice("spacy", package, "installed")
    if find_spec("stanza") and stanza_parser.installed(language):
        return ParserChoice("stanza", language, "installed")
    if find_spec("ufal") and (model := udpipe_parser.installed(language)):
        return ParserChoice("udpipe", str(model), "installed")
    if find_spec("spacy") and (folder := fetched(language)):
        return ParserChoice("spacy", folder.name, "fetched")
    if find_spec("spacy") and (folder := bundled(language)):
        return ParserChoice("spacy", folder.name, "bundled")
    if (tagger := language_of(language).parser.tagger) and find_spec(tagger):
        return ParserChoice(tagger, "", "installed", tags_only=True)
    return None


def open_parser(language: str, name: str | None = None) -> Parser:
    """A parser by name (`spacy`, `stanza`, `spacy:PACKAGE`, ...), or the best there is."""
    if name is None:
        choice = choose(language)
        name = choice.name if choice else "spacy"  # which says what to install
    kind, _, model = name.partition(":")
    opener = registry.load("parsers", kind)
    return opener(language, model or None)  # type: ignore[no-any-return]


def open_parser_or_words(language: str, name: str | None = None) -> Parser:
    """The parser, or bare words where none is named and none is installed."""
    bare = name is None and choose(language) is None
    return BareWords(language) if bare else open_parser(language, name)


REMEMBERED = 2000  # parses: the seeds at hand with their mutants and outputs, some 20 MB


class RememberingParser:
    """Fits `protocols.Parser`; asks the parser it wraps only for texts it has not seen lately."""

    def __init__(self, parser: Parser, language: str = "") -> None:
        self._parser, self.signature = parser, parser.signature
        self.tags_only: bool = getattr(parser, "tags_only", False)
        self._language = language_of(language).code
        self._whole: Recent[str, Parse] = Recent(REMEMBERED)
        self._skimmed: Recent[str, Parse] = Recent(REMEMBERED)
        self._tagged: Recent[str, Parse] = Recent(REMEMBERED)

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Parse each text, batched, each distinct text once."""
        return self._whole.get(texts, lambda new: self._told(self._parser.parse(new)))

    def skim(self, texts: Sequence[str]) -> list[Parse]:
        """Tags and dependencies of each text, without the rest where that is cheaper."""
        return self._skimmed.get(texts, lambda new: self._told(self._parser.skim(new)))

    def tag(self, texts: Sequence[str]) -> list[Parse]:
        """Tags and lemmas of each text; heads only where the parser knows no cheaper way."""
        if not isinstance(self._parser, spacy_parser.SpacyParser) or not self._parser.tags_alone:
            return self.parse(texts)
        cheaper = self._parser.tag
        return self._tagged.get(texts, lambda new: self._told(cheaper(new)))

    def _told(self, parses: list[Parse]) -> list[Parse]:
        """The parses with their language, which a parser need not tell."""
        return [
            parse if parse.language else msgspec.structs.replace(parse, language=self._language)
            for parse in parses
        ]
