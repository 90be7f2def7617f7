"""Tags, dependencies and, where the language has them, constituents from stanza, when it is installed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from polyglitch.errors import Missing
from polyglitch.records import Parse, Token, Tree


class StanzaParser:
    """A stanza pipeline as a `Parser`; a token of several words is one token of ours."""

    def __init__(self, pipeline: Any, signature: str, language: str) -> None:
        self._pipeline, self.signature, self._language = pipeline, signature, language

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Parse each text as one sentence, batched."""
        import stanza

        documents = [stanza.Document([], text=text) for text in texts]
        done = self._pipeline.bulk_process(documents)
        return [
            parse_of(text, document.sentences, self._language)
            for text, document in zip(texts, done, strict=True)
        ]

    def skim(self, texts: Sequence[str]) -> list[Parse]:
        """The whole parse: there is no cheaper way."""
        return self.parse(texts)


def parse_of(text: str, sentences: Sequence[Any], language: str) -> Parse:
    """The sentences of a document as one record."""
    tokens: list[Token] = []
    trees: list[Tree] = []
    for sentence in sentences:
        offset = len(tokens)
        place = {
            word.id: offset + index
            for index, token in enumerate(sentence.tokens)
            for word in token.words
        }
        for index, token in enumerate(sentence.tokens, offset):
            tokens.append(token_of(token, index, place))
        if getattr(sentence, "constituency", None) is not None:
            spots = [place[word.id] for word in sentence.words]
            trees.append(tree_of(sentence.constituency.children[0], iter(spots)))
    parse = Parse(text, tuple(tokens), universal=True, language=language)
    if trees and trees[0].start == 0 and trees[-1].end == len(tokens):
        whole = trees[0] if len(trees) == 1 else Tree("TOP", 0, len(tokens), tuple(trees))
        return Parse(text, parse.tokens, whole, universal=True, language=language)
    return parse


def token_of(token: Any, index: int, place: dict[int, int]) -> Token:
    """A surface token; of several words, the first that hangs outside speaks for all."""
    top = next((word for word in token.words if place.get(word.head) != index), token.words[0])
    return Token(
        text=token.text,
        start=token.start_char,
        end=token.end_char,
        tag="+".join(word.xpos or word.upos for word in token.words),
        pos=top.upos,
        lemma=top.lemma or token.text,
        head=place.get(top.head, index),
        relation="root" if top.head == 0 else top.deprel,
    )


def tree_of(node: Any, spots: Any) -> Tree:
    """A stanza constituent; `spots` gives the token of each word, from left to right."""
    if len(node.children) == 1 and not node.children[0].children:
        spot = next(spots)
        return Tree(node.label, spot, spot + 1)
    parts = tuple(tree_of(child, spots) for child in node.children)
    return Tree(node.label, parts[0].start, parts[-1].end, parts)


def models_folder() -> Path:
    """Where stanza keeps its models."""
    return Path(os.environ.get("STANZA_RESOURCES_DIR") or Path.home() / "stanza_resources")


def installed(language: str) -> bool:
    """Whether stanza and a dependency model for the language are there."""
    return find_spec("stanza") is not None and (models_folder() / language / "depparse").is_dir()


@cache
def open_stanza(language: str, model: str | None = None) -> StanzaParser:
    """The parser for a language; `model` is a stanza package such as `gsd`, by default its own choice."""
    if not installed(language):
        raise Missing(
            f"stanza with its model for {language!r}",
            "the parser 'stanza'",
            f"pip install stanza && python -c 'import stanza; stanza.download(\"{language}\")'",
        )
    import stanza

    wanted = ["tokenize", "mwt", "pos", "lemma", "depparse", "constituency"]
    there = [name for name in wanted if (models_folder() / language / name).is_dir()]
    pipeline = stanza.Pipeline(
        language,
        dir=str(models_folder()),
        package=model or "default",
        processors=",".join(there),
        tokenize_no_ssplit=True,
        download_method=None,
        verbose=False,
    )
    signature = f"stanza:{language}-{model or 'default'}-{stanza.__version__}"
    return StanzaParser(pipeline, signature, language)
