"""Tags and dependencies from spaCy: the pipeline that was named, an installed one, one of ours, or a bundled one."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from cachetools import LRUCache

from polyglitch.errors import Missing, UsageError
from polyglitch.files.lazy_numpy import one_thread
from polyglitch.languages import language as language_of
from polyglitch.nlp.models.downloads import bundled, fetched, offer_parser
from polyglitch.protocols import Parse, Token
from polyglitch.registry import installed_points

BATCH = 256
SKIMMED = 1000  # documents that may be asked for in full: mutants of the seeds at hand, some 10 MB
USUAL = ("{}_core_news_lg", "{}_core_news_md", "{}_core_news_sm")  # what spaCy calls pipelines
DISPENSABLE = ("attribute_ruler", "lemmatizer")  # where a tagger gives the tags


class SpacyParser:
    """A spaCy pipeline as a `Parser`."""

    def __init__(self, pipeline: Any) -> None:
        self._pipeline = pipeline
        parts = pipeline.pipe_names
        self._dispensable = [name for name in DISPENSABLE if name in parts and "tagger" in parts]
        self.tags_alone = not needs_parser(pipeline)
        self._skimmed: LRUCache[str, Any] = LRUCache(SKIMMED)
        meta = pipeline.meta
        self.signature = f"spacy:{meta['lang']}_{meta['name']}-{meta['version']}"

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Parse each text as one sentence, batched; of those skimmed lately only what is missing is done."""
        begun = {text: self._skimmed.pop(text) for text in set(texts) if text in self._skimmed}
        for name in self._dispensable if begun else ():
            part = self._pipeline.get_pipe(name)
            begun = {text: part(doc) for text, doc in begun.items()}
        rest = [text for text in texts if text not in begun]
        whole = iter(self._docs(rest))
        return [parse_of(begun[text] if text in begun else next(whole)) for text in texts]

    def tag(self, texts: Sequence[str]) -> list[Parse]:
        """Tags and lemmas alone, at half of the price: right where `tags_alone`, and heads mean nothing."""
        with self._pipeline.select_pipes(disable=["parser"]):
            return [parse_of(doc) for doc in self._docs(texts)]

    def skim(self, texts: Sequence[str]) -> list[Parse]:
        """Tags and dependencies alone, at two thirds of the price: no lemmas."""
        with self._pipeline.select_pipes(disable=self._dispensable):
            docs = self._docs(texts)
        for doc in docs:
            doc.tensor = doc.tensor[:0]  # nothing reads it any more, and it is most of the memory
        self._skimmed.update((doc.text, doc) for doc in docs)
        return [parse_of(doc) for doc in docs]

    def _docs(self, texts: Sequence[str]) -> list[Any]:
        """What the pipeline makes of each text; beside a translator that has the other cores."""
        with one_thread():
            return list(self._pipeline.pipe(texts, batch_size=BATCH))

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
        universal=language_of(doc.lang_).universal_relations,
        language=doc.lang_,
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
    return "; or train a small one: ".join(ways) or stanza


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
    return pipeline


def multiply_by_numpy(pipeline: Any) -> None:
    """Have numpy make the products: its library takes half the time of spaCy's own on the sizes of a sentence."""
    models = (getattr(part, "model", None) for _, part in pipeline.components)
    for layer in (layer for model in models if model is not None for layer in model.walk()):
        if getattr(layer.ops, "use_blis", False):
            layer.ops.use_blis = False
