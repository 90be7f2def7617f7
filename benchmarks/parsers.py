"""Taggers and parsers on the test sets of Universal Dependencies: words, tags, heads and labels.

    python -m benchmarks.parsers [LANGUAGE | LANGUAGE=PARSER ...] [--trees FOLDER]

Every parser is given the text, as in use. A word is right if it is cut where the treebank cuts it, its tag if its part
of speech is the treebank's too, its head if that stands in the same place, its label without the subtype: F1 over all
surface tokens, punctuation among them. A contraction is one token (the part of speech of its first word). `PARSER` is
a name as `--parser` takes it; without one, what would serve the language here.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from benchmarks.constituents import reference_data
from benchmarks.results import record
from polyglitch.nlp.parsers.choose import choose, open_parser
from polyglitch.nlp.parsers.conllu import TreebankWord, read_sentences
from polyglitch.protocols import Parse, Parser

Arc = tuple[int, int, int, int, str, str]  # place of the token, place of its head, relation, tag
HELD_OUT = (
    150  # the last sentences of a treebank without a test set, which the recipe does not train on
)


def plain(relation: str) -> str:
    """A relation without its subtype."""
    return relation.lower().split(":")[0]


def gold_arcs(sentence: list[TreebankWord]) -> tuple[str, list[Arc]]:
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


def measure(parser: Parser, sentences: Iterable[list[TreebankWord]]) -> dict[str, float]:
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


def test_sets(language: str, trees: Path) -> dict[str, list[list[TreebankWord]]]:
    """The test sets of a language; where there is none, the end of PUD, which the recipe leaves out."""
    found = sorted(trees.glob(f"ud_{language}_*_test.conllu.gz"))
    if found:
        return {path.name.split(".")[0]: list(read_sentences(path)) for path in found}
    pud = trees / f"ud_{language}_pud_first700.conllu.gz"
    return (
        {f"ud_{language}_pud, held out": list(read_sentences(pud))[-HELD_OUT:]}
        if pud.is_file()
        else {}
    )


def main() -> None:
    """Print the figures of every language, parser and set."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("asked", nargs="*", metavar="LANGUAGE[=PARSER]")
    options.add_argument("--trees", type=Path, default=reference_data() / "trees")
    given = options.parse_args()
    if not given.trees.is_dir():
        print(f"skipped: no reference data at {given.trees}; set POLYGLITCH_SHARED")
        return
    known = sorted({path.name.split("_")[1] for path in given.trees.glob("ud_*.conllu.gz")})
    told = {}
    for asked in given.asked or known:
        language, _, name = asked.partition("=")
        if not name and choose(language) is None:
            print(f"{language}: no parser is installed here")
            continue
        parser = open_parser(language, name or None)
        for test, sentences in test_sets(language, given.trees).items():
            figures = measure(parser, sentences)
            told[f"{test}, {parser.signature}"] = figures
            shown = "  ".join(f"{key} {value:.1f}" for key, value in figures.items())
            print(
                f"{test:<22} {parser.signature:<40} {len(sentences)} sentences  {shown}", flush=True
            )
    record("parsers", told)


if __name__ == "__main__":
    main()
