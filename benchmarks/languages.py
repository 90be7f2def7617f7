"""Cases in every language, and the finds of campaigns on real systems: how many, and what a reader said of them.

    python -m benchmarks.languages [--language es] [--method sit ...] [--set sample] [--limit 50] [--show]

`sample` are the bundled sentences, on which the sets of words were tuned; `gsd` are sentences of the GSD test sets of
Universal Dependencies, put aside before any was looked at, where that reference data is there (POLYGLITCH_SHARED).
`--parser` names one where none is installed. What one reader said of the cases stands in `readings/languages.tsv`, of
the issues of campaigns in `readings/issues.tsv`.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from benchmarks.constituents import reference_data
from benchmarks.results import record
from polyglitch.campaign import make_method
from polyglitch.cli.demo import sentences
from polyglitch.corpus.read import open_corpus
from polyglitch.errors import PolyglitchError
from polyglitch.languages import language as language_of
from polyglitch.nlp.parsers.choose import choose
from polyglitch.nlp.parsers.conllu import read_parses
from polyglitch.records import Case, Input, Seed
from polyglitch.tools import Toolbox

READINGS = Path(__file__).parent / "readings"
LANGUAGES = ("de", "es", "fr", "it", "pt", "zh")
METHODS = ("sit", "transrepair", "cat")
# Of the shuffled sentences of a treebank those kept apart; those before them were tuned on, or read and mended by. The
# French ones were read last and what they showed was mended; of the German ones nobody has read a case.
KEPT_APART = {"de": (610, 799), "fr": (260, 337)}
OTHERS = (60, 160)
SHUFFLE = 22
WORDS = (6, 30)  # a sentence: what is shorter has no slot, what is longer is a list


def bundled(language: str) -> list[str]:
    """The sentences that ship."""
    return [seed.input.text for seed in open_corpus(sentences(language))]


def kept_apart(language: str) -> list[str]:
    """Sentences of the treebank's test set that nothing was tuned on; none where the data is not there."""
    path = reference_data() / "trees" / f"ud_{language}_gsd_test.conllu.gz"
    if not path.is_file():
        return []
    texts = [parse.text for parse in read_parses(path)]
    found = [text for text in texts if WORDS[0] <= len(text.split()) <= WORDS[1]]
    random.Random(SHUFFLE).shuffle(found)
    first, last = KEPT_APART.get(language, OTHERS)
    return found[first:last]


SETS = {"sample": bundled, "gsd": kept_apart}


def made(method: str, language: str, texts: Sequence[str], parser: str | None) -> list[Case]:
    """The cases of a method with its defaults."""
    seeds = [Seed(str(n), Input(text, language=language)) for n, text in enumerate(texts, 1)]
    parser = parser or (None if choose(language) else language_of(language).parser.tagger or None)
    tools = Toolbox(languages=(language, None), parser=parser, corpus=seeds)
    return list(make_method(method).mutate(seeds, tools))


def read() -> dict[str, float]:
    """What the reader said: share of cases that are natural, share of issues that are real."""
    figures: dict[str, float] = {}
    for name, good in (("languages", "natural"), ("issues", "real")):
        called: dict[str, Counter[str]] = defaultdict(Counter)
        with (READINGS / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                called[row["of"]][row["label"]] += 1
        for of, labels in called.items():
            figures[f"{of} {good}"] = labels[good] / labels.total()
            figures[f"{of} read"] = labels.total()
    return figures


def main() -> None:
    """Print coverage by language, set and method, and what reading said."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--language", action="append", choices=LANGUAGES)
    options.add_argument("--method", action="append", choices=METHODS)
    options.add_argument("--set", action="append", choices=tuple(SETS), dest="sets")
    options.add_argument("--parser", help="such as spacy:FOLDER")
    options.add_argument("--limit", type=int, help="sentences of each set")
    options.add_argument("--show", action="store_true")
    chosen = options.parse_args()
    figures: dict[str, float] = {}
    for language in chosen.language or LANGUAGES:
        for name in chosen.sets or SETS:
            texts = SETS[name](language)[: chosen.limit]
            for method in (chosen.method or METHODS) if texts else ():
                of = f"{language} {name} {method}"
                try:
                    cases = made(method, language, texts, chosen.parser)
                except PolyglitchError as error:
                    print(f"{of}: none, {error}")
                    continue
                figures[f"{of} cases a sentence"] = len(cases) / len(texts)
                without = 1 - len({case.seed_id for case in cases}) / len(texts)
                figures[f"{of} sentences without"] = without
                for case in cases if chosen.show else ():
                    edit = case.edit
                    told = f"{edit.start}\t{edit.old}\t{edit.new}" if edit else ""
                    print(f"{of}\t{case.seed_id}\t{told}\t{case.inputs[-1].text}")
    record("languages", figures | read())


if __name__ == "__main__":
    main()
