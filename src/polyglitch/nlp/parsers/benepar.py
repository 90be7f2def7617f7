"""Constituents of the Berkeley neural parser (benepar) on top of a spaCy pipeline, when it is installed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

from polyglitch.errors import Missing, UsageError
from polyglitch.languages import all_languages
from polyglitch.languages import language as language_of
from polyglitch.nlp.models.downloads import bundled
from polyglitch.nlp.parsers.spacy import installed, load_pipeline, parse_of
from polyglitch.nlp.parsers.trees import read_brackets
from polyglitch.protocols import Parse, Tree


class BeneparParser:
    """A spaCy pipeline with the component `benepar` as a `Parser`."""

    def __init__(self, pipeline: Any, signature: str) -> None:
        self._pipeline, self.signature = pipeline, signature

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Parse each text as one sentence, batched."""
        return [self._with_tree(doc) for doc in self._pipeline.pipe(texts, batch_size=32)]

    def skim(self, texts: Sequence[str]) -> list[Parse]:
        """Tags and dependencies alone: the tree is the dear part."""
        with self._pipeline.select_pipes(disable="benepar"):
            return [parse_of(doc) for doc in self._pipeline.pipe(texts, batch_size=32)]

    def _with_tree(self, doc: Any) -> Parse:
        parse = parse_of(doc)
        strings = " ".join(sentence._.parse_string for sentence in doc.sents)
        trees = whole(strings, len(parse.tokens))
        # None where there are white space tokens, which we drop and which are words to benepar.
        return Parse(parse.text, parse.tokens, trees, parse.universal, parse.language)


def whole(brackets: str, words: int) -> Tree | None:
    """The constituents of all sentences of a text, or nothing if they do not fit its words."""
    trees: list[Tree] = []
    offset = 0
    for found in read_brackets(brackets):
        trees.append(moved(found.tree, offset))
        offset += len(found.words)
    if not trees or offset != words:
        return None
    return trees[0] if len(trees) == 1 else Tree("TOP", 0, offset, tuple(trees))


def moved(tree: Tree, offset: int) -> Tree:
    """A tree that starts some words further on."""
    children = tuple(moved(child, offset) for child in tree.children)
    return Tree(tree.label, tree.start + offset, tree.end + offset, children)


@cache
def open_benepar(language: str, model: str | None = None) -> BeneparParser:
    """The parser for a language; `model` is a benepar model, by default the language's own."""
    if not find_spec("benepar"):
        raise Missing("benepar", "the parser 'benepar'", "pip install benepar")
    name = model or language_of(language).parser.benepar
    if not name:
        known = ", ".join(one.code for one in all_languages() if one.parser.benepar)
        raise UsageError(
            f"benepar has no model for {language!r}, only for {known}; "
            "leave --parser out, and constituents are projected from dependencies"
        )
    base = installed(language) or bundled(language)
    if base is None:
        raise Missing(f"a spaCy pipeline for {language!r}", "benepar", "see `polyglitch doctor`")
    import benepar  # registers the component

    pipeline = load_pipeline(str(base))
    try:
        pipeline.add_pipe("benepar", config={"model": name})
    except LookupError:
        command = f"python -c 'import benepar; benepar.download(\"{name}\")'"
        raise Missing(f"the model {name!r}", "the parser 'benepar'", command) from None
    return BeneparParser(pipeline, f"benepar:{name}-{benepar.__version__}")
