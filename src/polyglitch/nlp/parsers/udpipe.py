"""Tags and dependencies from UDPipe, where `ufal.udpipe` is installed and a model of the language is at hand."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from polyglitch.errors import Missing, UsageError
from polyglitch.languages import language as language_of
from polyglitch.nlp.parsers.conllu import TreebankWord, merge
from polyglitch.records import Parse, Token

MODELS = "UDPIPE_MODELS"  # a folder of models, named as UDPipe names them: german-gsd-ud-2.5-191206.udpipe
INSTALL = "pip install ufal.udpipe, and a model NAME.udpipe in the folder that UDPIPE_MODELS names"


class UdpipeParser:
    """A UDPipe model as a `Parser`; a token of several words is one token of ours."""

    def __init__(self, pipeline: Any, signature: str, language: str) -> None:
        self._pipeline, self.signature, self._language = pipeline, signature, language

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Parse each text as one sentence."""
        return [self._parse(text) for text in texts]

    def skim(self, texts: Sequence[str]) -> list[Parse]:
        """The whole parse: there is no cheaper way."""
        return self.parse(texts)

    def _parse(self, text: str) -> Parse:
        # A line end would start another sentence, in a model that is told to take each line for one.
        written = self._pipeline.process(" ".join(text.splitlines()))
        tokens: list[Token] = []
        for sentence in sentences(written):
            tokens += tokens_of(sentence, text, tokens[-1].end if tokens else 0, len(tokens))
        return Parse(text, tuple(tokens), universal=True, language=self._language)


def sentences(written: str) -> Iterator[list[TreebankWord]]:
    """The sentences that UDPipe wrote, as surface tokens."""
    for block in written.split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if line and line[0] != "#"]
        if rows:
            yield merge(rows)


def tokens_of(words: list[TreebankWord], text: str, place: int, offset: int) -> list[Token]:
    """The words of a sentence with their places in the text."""
    found: list[Token] = []
    for index, word in enumerate(words):
        start = text.find(word.text, place)
        start = place if start < 0 else start
        place = min(len(text), start + len(word.text))
        relation = "root" if word.head == index else word.relation
        pos = word.tag.partition("+")[0]
        head = offset + word.head
        lemma = word.lemma or word.text
        found.append(Token(word.text, start, place, word.tag, pos, lemma, head, relation))
    return found


def model_of(language: str) -> Path | None:
    """The model of a language among those at hand, the last by name."""
    known = language_of(language)
    folders = [Path(place) for place in (os.environ.get(MODELS, ""),) if place]
    if (spec := find_spec("spacy_udpipe")) and spec.origin:
        folders.append(Path(spec.origin).parent / "models")
    starts = (f"{known.name.lower()}-", f"{known.code}_", f"{known.code}-")
    found = [
        path
        for folder in folders
        for path in sorted(folder.glob("*.udpipe"))
        if known.code and path.name.lower().startswith(starts)
    ]
    return found[-1] if found else None


def has_udpipe() -> bool:
    """Whether the library is there."""
    return find_spec("ufal") is not None and find_spec("ufal.udpipe") is not None


def installed(language: str) -> Path | None:
    """The model that would serve a language, where the library is there too."""
    return model_of(language) if has_udpipe() else None


@cache
def open_udpipe(language: str, model: str | None = None) -> UdpipeParser:
    """The parser for a language: the file named, or a model at hand."""
    path = Path(model) if model else model_of(language)
    if path is None or not has_udpipe():
        raise Missing(f"UDPipe with its model for {language!r}", "the parser 'udpipe'", INSTALL)
    if not path.is_file():
        raise UsageError(f"udpipe:{model}: there is no such file; a model ends in .udpipe")
    from ufal.udpipe import Model, Pipeline

    loaded = Model.load(str(path))
    if loaded is None:
        raise UsageError(f"udpipe:{path}: the file is not a model of UDPipe")
    pipeline = Pipeline(
        loaded, "tokenizer=presegmented", Pipeline.DEFAULT, Pipeline.DEFAULT, "conllu"
    )
    return UdpipeParser(pipeline, f"udpipe:{path.stem}", language_of(language).code)
