"""The words of a text without a parser: where each stands, and nothing of its grammar."""

from __future__ import annotations

import re
from collections.abc import Sequence

from polyglitch.languages import language as language_of
from polyglitch.protocols import Parse, Token

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
