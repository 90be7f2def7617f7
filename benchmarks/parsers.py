"""Taggers and parsers on the test sets of Universal Dependencies: words, tags, heads and labels.

    python -m benchmarks.parsers [LANGUAGE | LANGUAGE=PARSER ...] [--trees FOLDER]

Every parser is given the text, as in use. A word is right if it is cut where the treebank cuts it, its tag if its part
of speech is the treebank's too, its head if that stands in the same place, its label without the subtype: F1 over all
surface tokens, punctuation among them. A contraction is one token (the part of speech of its first word). `PARSER` is
a name as `--parser` takes it; without one, what would serve the language here.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.constituents import reference_data
from benchmarks.results import record
from polyglitch.nlp.parsers.choose import choose, open_parser
from polyglitch.nlp.parsers.conllu import TreebankWord, read_sentences
from polyglitch.nlp.parsers.treebanks import HELD_OUT, measure


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
