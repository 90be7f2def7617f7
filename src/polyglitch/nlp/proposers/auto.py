"""The proposer for who names none: the bundled data where it has the sentence, else the best that is installed.

Candidates that were made once for the bundled sentences and ship as data: a first run needs no model.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib.resources import files

import msgspec

from polyglitch.errors import Missing, UsageError, as_works_here
from polyglitch.languages import language as language_of
from polyglitch.nlp.lexicons.words import dictionary_folder
from polyglitch.nlp.models.downloads import (
    LANGUAGE_MODELS,
    MODEL_SIGNATURES,
    data_folder,
    lacking,
    language_model,
    learned_signature,
)
from polyglitch.nlp.models.onnx_graph import ARITHMETIC, has_onnxruntime
from polyglitch.nlp.proposers.corpus import open_word_sets
from polyglitch.nlp.proposers.through_english import open_through_english, route_of
from polyglitch.protocols import Proposer, Tools
from polyglitch.records import Candidate, Slot, digest
from polyglitch.registry import load, suggest

log = logging.getLogger("polyglitch")
# For each kind of words: the proposer with a language model, {}, and the one without, as the registry knows them.
CHOICES = {
    "smollm": ("{}", "vectors"),
    "unlike": ("unlike:{}", "unlike:vectors"),
    "alike": ("in-context:{}:{}", "vectors"),
    "dictionary": ("dictionary", "vectors"),
    "in-context": ("in-context:{}:{}", "vectors"),
    "more": ("{}:0.8", "vectors"),
    "any": ("{}:0", "vectors"),
    # For sentences that got no word of these: more of them where there is a model, and none without.
    "poor": ("{}:0.65", ""),
    "poor-alike": ("in-context:{}:{}", ""),
}
# How natural words must be that are to say the same: any, those that are written down, and verbs of these. Of Gemma's
# strict readers took 58 of 100 listed words below .97, and 94 from there on; of others 91 of 100 from .93 on.
LEAST_ALIKE = {
    "gemma": {
        "alike": "0.94/0.97/0.97",
        "in-context": "0.94/0.97/0.97",
        "poor-alike": "0.91/0.75/0.8",
    },
    "smollm": {"alike": "0.93/0.86", "in-context": "0.94/0.9", "poor-alike": "0.91/0.66/0.66"},
}
AIM = 85  # natural swaps of 100, below which whoever gets them is told
# What ships for the bundled sentences, by the kind of words: nothing for those that are not named.
BUNDLED = {
    "smollm": "smollm",
    "alike": "alike",
    "in-context": "in-context",
    "dictionary": "dictionary",
    "poor": "poor",
    "poor-alike": "poor-alike",
}


class AutoProposer:
    """Opens a model only when a sentence comes that the data does not have."""

    def __init__(
        self, bundled: BundledProposer, name: str, opener: Callable[[], Proposer] | None
    ) -> None:
        self._bundled, self._open = bundled, opener
        self.signature = f"auto({bundled.signature}+{name})"

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` words for each slot, best first."""
        known = [self._bundled.knows(slot.parse.text) for slot in slots]
        others = [slot for slot, ready in zip(slots, known, strict=True) if not ready]
        found = iter(self._model().propose(others, top) if others else [])
        ready = iter(self._bundled.propose(slots, top))
        return [
            here if known[number] else next(found)
            for number, here in zip(range(len(slots)), ready, strict=True)
        ]

    def _model(self) -> Proposer:
        if self._open is None:
            raise Missing(
                "a model that proposes words",
                "swapping words of other sentences than the bundled ones",
                " and ".join(lacking(LANGUAGE_MODELS[0])),
            )
        return self._open()


class NoWords:
    """Fits `Proposer`, where a second look needs a model that is not there."""

    signature = "nothing"

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """None for each slot."""
        return [[] for _ in slots]


class InOrder:
    """Several proposers, each asked about the sentences for which those before it have no word at all.

    What a language's own sets say is surer than what came home through English, which takes longer too.
    """

    def __init__(self, proposers: Sequence[Proposer], language: str = "") -> None:
        self._proposers, self._language = proposers, language
        self.signature = f"auto({'>'.join(one.signature for one in proposers)})"

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` words for each slot."""
        if self._language:
            tell_how_natural(self._language)
        found: list[list[Candidate]] = [[] for _ in slots]
        left = list(range(len(slots)))
        for proposer in self._proposers:
            offered = proposer.propose([slots[n] for n in left], top) if left else []
            for number, some in zip(left, offered, strict=True):
                found[number] = some
            served = {slots[n].parse.text for n in left if found[n]}
            left = [n for n in left if slots[n].parse.text not in served]
        return found


def open_auto(language: str, kind: str = "smollm", *, tools: Tools) -> Proposer:
    """The proposer for a language and a kind of words: fitting (smollm), more, any, poor, alike, ..."""
    if kind not in CHOICES:
        raise UsageError(
            f"auto:{kind}: no kind of words is called {kind!r}{suggest(kind, tuple(CHOICES))}"
        )
    known = "auto" in language_of(language).proposers
    return open_english(language, kind) if known else open_without_model(language, kind, tools)


open_auto.wants_tools = True  # type: ignore[attr-defined]  # the registry gives it the campaign's


def open_without_model(language: str, kind: str, tools: Tools) -> Proposer:
    """What proposes words of a language without a model of it: its word sets, and English words that come home."""
    known, found = language_of(language), list[Proposer]()
    if known.file("word_sets.txt"):
        found.append(open_word_sets(language, kind))
    known_as = language_model()
    if known.english and known_as and route_of(language, tools):
        best = named_with(CHOICES[kind][0], known_as, kind)
        found.append(open_through_english(language, best, tools=tools))
    if found:
        return InOrder(found, known.code)
    way = (
        f"{known.english.install} and {' and '.join(lacking(LANGUAGE_MODELS[0]))}; or "
        if known.english
        else ""
    )
    raise Missing(
        f"a proposer for {language!r}",
        "swapping words",
        f"{way}name `corpus` (words of the campaign's own sentences) or a masked language model of that language: "
        "proposer = masked-lm:NAME-OR-FOLDER",
    )


def named_with(best: str, known_as: str, kind: str) -> str:
    """The name of the proposer of a kind of words with a language model."""
    return best.format(known_as, LEAST_ALIKE[known_as].get(kind, ""))


@cache
def tell_how_natural(code: str) -> None:
    """Say once how the swaps of a language read that has no model, where fewer are natural than we aim for."""
    known = language_of(code)
    if known.swaps_natural >= AIM:
        return
    read = (
        f"{known.swaps_natural} of 100 read naturally"
        if known.swaps_natural
        else "nobody has read any"
    )
    log.warning(
        "%s swaps without a model of the language: %s; a masked model of it may make better ones: "
        "--param sit.proposer=masked-lm:NAME",
        known.name or code,
        read,
    )


@cache
def open_english(language: str, kind: str) -> AutoProposer:
    """The bundled data, else the best model that is installed."""
    best, plain = CHOICES[kind]
    if known_as := language_model():
        best = named_with(best, known_as, kind)
        opener = partial(open_named, language, best)
        return AutoProposer(
            bundled(language, kind), f"{best}@{model_installed(known_as, language)}", opener
        )
    if not plain:
        return AutoProposer(bundled(language, kind), "nothing", NoWords)
    if not lacking("vectors"):
        opener = partial(open_plain, language, plain)
        return AutoProposer(bundled(language, kind), plain, opener)
    return AutoProposer(bundled(language, kind), "nothing", None)


def model_installed(known_as: str, language: str) -> str:
    """What a model's words depend on, told without opening it: proposals are kept under its name across runs."""
    heard = [str(data_folder("minilm") is not None), str(dictionary_folder() is not None)]
    heard += [ARITHMETIC] * has_onnxruntime()
    known = language_of(language)
    listed = [*known.lines("near_words"), *known.lines("times")]
    return digest([MODEL_SIGNATURES[known_as](), learned_signature(known_as), *heard, *listed], 8)


@cache
def open_plain(language: str, name: str) -> Proposer:
    """The proposer without the language model; whoever gets it is told once what would be better."""
    better = as_works_here(" and ".join(lacking(LANGUAGE_MODELS[0])))
    log.warning("words by vectors alone, whatever the sentence says; better ones: %s", better)
    return open_named(language, name)


@cache
def open_named(language: str, name: str) -> Proposer:
    """A proposer by its registered name, imported only now."""
    registered, _, argument = name.partition(":")
    factory = load("proposers", registered)
    made: Proposer = factory(language, argument) if argument else factory(language)
    return made


def bundled(language: str, kind: str) -> BundledProposer:
    """The data of a kind of words, where there is any."""
    by = BUNDLED.get(kind)
    return open_bundled(language, by) if by else BundledProposer((), "none")


FILE = "proposals.{}.jsonl"


class BundledRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """A word of a sentence, by where it starts, and what a proposer said of it: words with their scores."""

    sentence: str
    by: str
    start: int
    word: str
    candidates: tuple[tuple[str, float], ...]
    judged: bool = False  # whether the scores are probabilities that a reader takes the word

    def offered(self) -> list[Candidate]:
        """The words as a proposer offers them."""
        if self.judged:
            return [Candidate(word, score, score) for word, score in self.candidates]
        return [Candidate(word, score) for word, score in self.candidates]


class BundledProposer:
    """Looks slots up; knows only the sentences that it was made for."""

    def __init__(self, rows: Sequence[BundledRow], signature: str) -> None:
        self._found = {(row.sentence, row.start): row for row in rows}
        self._sentences = frozenset(row.sentence for row in rows)
        self.signature = signature

    def knows(self, sentence: str) -> bool:
        """Whether this sentence was looked at when the data was made."""
        return sentence in self._sentences

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` words for each slot, best first; none for a slot that is not in the data."""
        found = [self._found.get((slot.parse.text, slot.token.start)) for slot in slots]
        return [row.offered()[:top] if row else [] for row in found]


@cache
def open_bundled(language: str, by: str = "smollm") -> BundledProposer:
    """What a proposer, smollm or dictionary, said of the bundled sentences of a language."""
    file = files("polyglitch").joinpath(
        "resources", "sample", FILE.format(language_of(language).code)
    )
    if not file.is_file():
        raise Missing(f"bundled sentences in {language!r}", "the proposer 'bundled'", "use another")
    text = file.read_text("utf-8")
    rows = [msgspec.json.decode(line, type=BundledRow) for line in text.splitlines()]
    mine = [row for row in rows if row.by == by]
    if not mine:
        known = tuple(sorted({row.by for row in rows}))
        raise UsageError(f"bundled:{by}: nothing is bundled by {by!r}{suggest(by, known)}")
    return BundledProposer(mine, f"bundled:{by}-{digest([text], 8)}")
