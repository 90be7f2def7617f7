"""Which parser serves a language: what the user names, else what is installed, else what is bundled."""

from __future__ import annotations

from typing import NamedTuple

from polyglitch import registry
from polyglitch.language import spacy_parser, stanza_parser
from polyglitch.protocols import Parser


class Choice(NamedTuple):
    """A parser that would be opened, and why it is this one."""

    name: str  # as `--parser` takes it
    model: str
    origin: str  # installed or bundled


def choose(language: str) -> Choice | None:
    """The best parser there is for a language, without loading it."""
    if package := spacy_parser.installed(language):
        return Choice("spacy", package, "installed")
    if stanza_parser.installed(language):
        return Choice("stanza", language, "installed")
    if folder := spacy_parser.bundled(language):
        return Choice("spacy", folder.name, "bundled")
    return None


def open_parser(language: str, name: str | None = None) -> Parser:
    """A parser by name (`spacy`, `stanza`, `spacy:PACKAGE`, ...), or the best there is."""
    if name is None:
        choice = choose(language)
        name = choice.name if choice else "spacy"  # which says what to install
    kind, _, model = name.partition(":")
    opener = registry.load("parsers", kind)
    return opener(language, model or None)  # type: ignore[no-any-return]
