"""Labelled bracket F1 of the projected constituents on the Penn Treebank sample, in the manner of evalb.

    python -m benchmarks.constituents [ptb_sample_nltk.zip] [--labels] [--show N]

Gold words, so that only structure is measured; traces, function tags, punctuation and the top bracket are left out;
ADVP and PRT count as one, as evalb has it.
"""

from __future__ import annotations

import argparse
import os
import random
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.results import record
from polyglitch.nlp.parsers.choose import open_spacy
from polyglitch.nlp.parsers.constituents import project
from polyglitch.nlp.parsers.trees import Bracketing, read_brackets
from polyglitch.nlp.parsers.word_kinds import parse_of
from polyglitch.records import Tree

PUNCTUATION = {",", ".", ":", "``", "''", "-LRB-", "-RRB-", "#none#"}
SIGNS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"'}
Bracket = tuple[str, int, int]


def reference_data() -> Path:
    """Data that is not part of the project: beside it, or where POLYGLITCH_SHARED says."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    return Path(os.environ.get("POLYGLITCH_SHARED", beside)) / "data"


def gold_trees(path: Path, dialect: str = "combined") -> list[Bracketing]:
    """The trees of the sample, in the order of its files."""
    with zipfile.ZipFile(path) as archive:
        names = sorted(n for n in archive.namelist() if n.endswith(".mrg") and dialect in n)
        return [tree for name in names for tree in read_brackets(archive.read(name).decode())]


def brackets(tree: Tree, places: list[int]) -> Counter[Bracket]:
    """The labelled spans of a tree, over the words that are no punctuation."""
    found: Counter[Bracket] = Counter()

    def walk(node: Tree) -> None:
        if not node.children:
            return
        start, end = places[node.start], places[node.end]
        if end > start and node.label not in ("TOP", "ROOT", ""):
            found["ADVP" if node.label == "PRT" else node.label, start, end] += 1
        for child in node.children:
            walk(child)

    walk(tree)
    return found


def places_of(gold: Bracketing) -> list[int]:
    """For each word its number when punctuation is not counted."""
    tags = {leaf.start: leaf.label for leaf in leaves(gold.tree)}
    places = [0]
    for index in range(len(gold.words)):
        places.append(places[-1] + (tags[index] not in PUNCTUATION))
    return places


def leaves(tree: Tree) -> Iterator[Tree]:
    """The parts of speech of a tree."""
    if not tree.children:
        yield tree
    for child in tree.children:
        yield from leaves(child)


def projected(golds: list[Bracketing]) -> Iterator[Tree]:
    """The tree that polyglitch gives for the words of each gold tree."""
    from spacy.tokens import Doc

    pipeline = open_spacy("en")._pipeline
    documents = (
        Doc(
            pipeline.vocab, words=[SIGNS.get(word, word.replace("\\/", "/")) for word in gold.words]
        )
        for gold in golds
    )
    for doc in pipeline.pipe(documents):
        yield project(parse_of(doc))


def f1(right: int, gold: int, found: int) -> str:
    """Precision, recall and their harmonic mean, in percent."""
    p, r = right / max(found, 1), right / max(gold, 1)
    return f"P {100 * p:5.1f}  R {100 * r:5.1f}  F1 {200 * p * r / max(p + r, 1e-9):5.1f}"


def f1_of(total: Counter[str]) -> float:
    """The harmonic mean of precision and recall."""
    return 2 * total["right"] / max(total["gold"] + total["found"], 1)


def brackets_text(tree: Tree, words: tuple[str, ...]) -> str:
    """A tree on one line."""
    if not tree.children:
        return words[tree.start]
    return f"({tree.label} {' '.join(brackets_text(child, words) for child in tree.children)})"


def main() -> None:
    """Measure, and show where the trees differ."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    sample = reference_data() / "trees" / "ptb_sample_nltk.zip"
    options.add_argument("sample", nargs="?", type=Path, default=sample)
    options.add_argument("--part", choices=("all", "odd", "even"), default="all")
    options.add_argument("--labels", action="store_true", help="figures for each label")
    options.add_argument("--show", type=int, default=0, help="so many pairs of trees that differ")
    given = options.parse_args()
    if not given.sample.is_file():
        print(f"skipped: no reference data at {given.sample}; set POLYGLITCH_SHARED")
        return
    golds = gold_trees(given.sample)
    if given.part != "all":
        golds = golds[given.part == "odd" :: 2]
    total: Counter[str] = Counter()
    by_label: dict[str, Counter[str]] = {"right": Counter(), "gold": Counter(), "found": Counter()}
    differ = []
    for gold, tree in zip(golds, projected(golds), strict=True):
        places = places_of(gold)
        want, have = brackets(gold.tree, places), brackets(tree, places)
        for name, counts in (("right", want & have), ("gold", want), ("found", have)):
            total[name] += counts.total()
            for (label, _, _), count in counts.items():
                by_label[name][label] += count
        if want != have:
            differ.append((gold, tree))
    print(f"{len(golds)} sentences, {len(golds) - len(differ)} without a fault")
    print(f"all      {f1(total['right'], total['gold'], total['found'])}")
    record("constituents", {"sentences": len(golds), "F1": f1_of(total)})
    if given.labels:
        for label, count in by_label["gold"].most_common(20):
            figures = f1(by_label["right"][label], count, by_label["found"][label])
            print(f"{label:<8} {figures}  {count} in the treebank")
    for gold, tree in random.Random(0).sample(differ, min(given.show, len(differ))):
        print(f"\ngold  {brackets_text(gold.tree, gold.words)}")
        print(f"found {brackets_text(tree, gold.words)}")


if __name__ == "__main__":
    main()
