"""Which parser serves a language: what the user names, else what is installed, fetched or bundled, else a tagger, else
the words alone, of which nothing is known but where each stands.

It remembers what it parsed last: methods that share seeds and mutants share their parses.

What was computed last, by key: methods that share seeds share what is dear to compute about them.

Tags and dependencies from spaCy: the pipeline that was named, an installed one, one of ours, or a bundled one.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from cachetools import LRUCache

from polyglitch import registry
from polyglitch.errors import Missing, UsageError
from polyglitch.files.lazy_numpy import one_thread
from polyglitch.languages import language as language_of
from polyglitch.nlp.models.downloads import bundled, fetched, offer_parser
from polyglitch.nlp.parsers import stanza as stanza_parser
from polyglitch.nlp.parsers import udpipe as udpipe_parser
from polyglitch.nlp.parsers.equal_windows import share_windows
from polyglitch.nlp.parsers.word_kinds import (
    DISPENSABLE,
    find_words_at_once,
    known_kinds,
    parse_of,
    remember_rules,
)
from polyglitch.protocols import Parser
from polyglitch.records import Parse, Token
from polyglitch.registry import installed_points

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
WORD = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")
BATCH = 256
SKIMMED = 3000  # documents that may be asked for in full: mutants of the seeds whose cases wait, some 30 MB
USUAL = ("{}_core_news_lg", "{}_core_news_md", "{}_core_news_sm")  # what spaCy calls pipelines


class Recent(Generic[K, V]):
    """The values made last, at most so many."""

    def __init__(self, most: int) -> None:
        self._seen: LRUCache[K, V] = LRUCache(most)

    def get(self, keys: Sequence[K], make: Callable[[list[K]], list[V]]) -> list[V]:
        """The value of each key, made now, all together, where it was not made lately."""
        distinct = list(dict.fromkeys(keys))
        new = [key for key in distinct if key not in self._seen]
        # Read before anything new is kept: a long batch may push out what it asks for.
        found = {key: self._seen[key] for key in distinct if key in self._seen}
        found |= dict(zip(new, make(new), strict=True)) if new else {}
        self._seen.update(found)
        return [found[key] for key in keys]

    def known(self, key: K) -> V | None:
        """The value of a key, if it was made lately."""
        return self._seen.get(key)


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
    if package := installed(language):
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
        if not isinstance(self._parser, SpacyParser) or not self._parser.tags_alone:
            return self.parse(texts)
        cheaper = self._parser.tag

        def make(new: list[str]) -> list[Parse]:
            """What was parsed in full lately has tags and lemmas too."""
            whole = [self._whole.known(text) for text in new]
            rest = [text for text, parse in zip(new, whole, strict=True) if parse is None]
            tagged = iter(self._told(cheaper(rest)) if rest else ())
            return [parse or next(tagged) for parse in whole]

        return self._tagged.get(texts, make)

    def _told(self, parses: list[Parse]) -> list[Parse]:
        """The parses with their language, which a parser need not tell."""
        return [
            parse if parse.language else msgspec.structs.replace(parse, language=self._language)
            for parse in parses
        ]


class SpacyParser:
    """A spaCy pipeline as a `Parser`."""

    def __init__(self, pipeline: Any) -> None:
        self._pipeline = pipeline
        parts = pipeline.pipe_names
        self._dispensable = [name for name in DISPENSABLE if name in parts and "tagger" in parts]
        self._kinds = known_kinds(pipeline)
        self.tags_alone = not needs_parser(pipeline)
        self._skimmed: LRUCache[str, Any] = LRUCache(SKIMMED)
        meta = pipeline.meta
        self.signature = f"spacy:{meta['lang']}_{meta['name']}-{meta['version']}"

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Parse each text as one sentence, batched; of those skimmed lately only what is missing is done."""
        begun = {text: self._skimmed.pop(text) for text in set(texts) if text in self._skimmed}
        rest = list(dict.fromkeys(text for text in texts if text not in begun))
        begun |= dict(zip(rest, self._docs(rest, self._dispensable), strict=True))
        whole = {text: self._completed(doc) for text, doc in begun.items()}
        return [whole[text] for text in texts]

    def tag(self, texts: Sequence[str]) -> list[Parse]:
        """Tags and lemmas alone, at half of the price: right where `tags_alone`, and heads mean nothing."""
        return [self._completed(doc) for doc in self._docs(texts, [*self._dispensable, "parser"])]

    def skim(self, texts: Sequence[str]) -> list[Parse]:
        """Tags and dependencies alone, at two thirds of the price: no lemmas."""
        docs = self._docs(texts, self._dispensable)
        for doc in docs:
            doc.tensor = doc.tensor[:0]  # nothing reads it any more, and it is most of the memory
        self._skimmed.update((doc.text, doc) for doc in docs)
        return [parse_of(doc) for doc in docs]

    def _docs(self, texts: Sequence[str], without: Sequence[str]) -> list[Any]:
        """What the pipeline makes of each text but for some parts; beside a translator that has the other cores."""
        with one_thread(), self._pipeline.select_pipes(disable=without):
            return list(self._pipeline.pipe(texts, batch_size=BATCH))

    def _completed(self, doc: Any) -> Parse:
        """The parse of a document that lacks what its dispensable parts say."""
        if self._kinds and (found := self._kinds.parse(doc)):
            return found
        for name in self._dispensable:
            doc = self._pipeline.get_pipe(name)(doc)
        return parse_of(doc)

    @property
    def lookups(self) -> Any:
        """The tables of the lemmatizer."""
        return self._pipeline.get_pipe("lemmatizer").lookups


def needs_parser(pipeline: Any) -> bool:
    """Whether parts of speech are told by dependencies too, as English "which" is."""
    if "tagger" not in pipeline.pipe_names or "attribute_ruler" not in pipeline.pipe_names:
        return True
    rules = pipeline.get_pipe("attribute_ruler").patterns
    return any(
        "DEP" in token for rule in rules for pattern in rule["patterns"] for token in pattern
    )


def installed(language: str) -> str | None:
    """The best installed pipeline for a language, or nothing."""
    if not find_spec("spacy"):
        return None
    code = language_of(language).code
    names = language_of(language).parser.spacy or tuple(name.format(code) for name in USUAL)
    return next((name for name in names if find_spec(name)), None)


def how_to_install(language: str) -> str:
    """What brings a parser for a language: a package, or training a small one."""
    stanza = f"pip install stanza && python -c 'import stanza; stanza.download(\"{language}\")'"
    ways = [way for way in (language_of(language).parser.install, offer_parser(language)) if way]
    parser = "; or train a small one: ".join(ways) or stanza
    tagger = language_of(language).parser.tagger_install
    return f"{tagger}; or a parser: {parser}" if tagger and not choose(language) else parser


def open_spacy(language: str, model: str | None = None) -> SpacyParser:
    """The parser for a language: the model named (a package or a folder), or the best there is."""
    return opened(language, model)


@cache
def opened(language: str, model: str | None) -> SpacyParser:
    """The same, each pipeline loaded once however it was asked for: that takes a second."""
    if not find_spec("spacy"):
        raise Missing("spaCy", "parsing", "pip install 'polyglitch[nlp]'")
    chosen = model or installed(language) or fetched(language) or bundled(language)
    if chosen is None:
        what = f"a parser for the language {language!r}"
        raise Missing(what, "the structure of its sentences", how_to_install(language))
    pipeline = load_pipeline(str(chosen))
    if model and pipeline.lang != language_of(language).code:
        return open_spacy(language)  # the model named is for the other language of the campaign
    return SpacyParser(pipeline)


@contextmanager
def torch_left_alone() -> Iterator[None]:
    """Spare spaCy the import of torch, 1.5 s and 200 MB: only its transformer pipelines use it."""
    transformers = ("spacy_transformers", "spacy_curated_transformers")
    if "torch" in sys.modules or any(find_spec(name) for name in transformers):
        yield
        return
    sys.modules["torch"] = None  # type: ignore[assignment] # for the moment, an ImportError
    try:
        yield
    finally:
        del sys.modules["torch"]


@contextmanager
def commands_left_alone() -> Iterator[None]:
    """Spare spaCy the import of its command line, a quarter of its start; it comes when somebody asks for it."""
    names = ("spacy.cli", "spacy.cli.info")
    if "spacy" in sys.modules:
        yield
        return
    for name in names:
        sys.modules[name] = ModuleType(name)
    sys.modules[names[1]].info = spacy_info  # type: ignore[attr-defined]
    try:
        yield
    finally:
        for name in names:
            del sys.modules[name]


def spacy_info(*args: Any, **more: Any) -> Any:
    """What `spacy.info` is, imported when it is called."""
    from spacy.cli.info import info

    return info(*args, **more)


@cache
def sort_entry_points() -> None:
    """Sort the entry points that spaCy looks up, hundreds of times a pipeline, by their group: it takes either."""
    import catalogue  # type: ignore[import-untyped]

    groups: dict[str, list[Any]] = {}
    for point in installed_points():
        groups.setdefault(point.group, []).append(point)
    catalogue.AVAILABLE_ENTRY_POINTS = groups


def load_pipeline(name: str) -> Any:
    """A spaCy pipeline by package or folder, or an error that says what is wrong with the name."""
    with torch_left_alone(), commands_left_alone():
        import spacy

    sort_entry_points()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # version notes of the model, of no use to our user
        try:
            pipeline = spacy.load(name, exclude=["ner"])
        except OSError:
            raise UsageError(
                f"the spaCy pipeline {name!r} is neither an installed package nor a folder; "
                "`python -m spacy info` lists what is installed"
            ) from None
    if "parser" not in pipeline.pipe_names:
        raise UsageError(f"the spaCy pipeline {name!r} has no dependency parser")
    multiply_by_numpy(pipeline)
    share_windows(pipeline)
    remember_rules(pipeline)
    find_words_at_once(pipeline)
    return pipeline


def multiply_by_numpy(pipeline: Any) -> None:
    """Have numpy make the products: its library takes half the time of spaCy's own on the sizes of a sentence."""
    models = (getattr(part, "model", None) for _, part in pipeline.components)
    for layer in (layer for model in models if model is not None for layer in model.walk()):
        if getattr(layer.ops, "use_blis", False):
            layer.ops.use_blis = False
