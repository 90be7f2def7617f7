"""Makes `languages/en/grammar.tsv.gz`: how often English phrases have which parts.

    python -m recipes.grammar TEXTS_FOLDER

The sentences are Brown's (`brown.zip` as NLTK distributes it), parsed by spaCy and projected to constituents, so that
table and seeds come from the same parser. Only counts leave this script, none of the text.
"""

from __future__ import annotations

import random
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from polyglitch.nlp.parsers.choose import open_spacy
from polyglitch.nlp.parsers.constituents import count_productions, project, write_grammar
from polyglitch.nlp.sentences import detokenize
from polyglitch.records import Tree

OUT = Path(__file__).parents[1] / "src/polyglitch/languages/en/grammar.tsv.gz"
SENTENCES, SEEN = 12000, 3


def sentences(folder: Path) -> Iterator[str]:
    """The sentences of Brown as running text."""
    with zipfile.ZipFile(folder / "brown.zip") as archive:
        for member in archive.namelist():
            if len(member) != len("brown/ca01"):
                continue
            for line in archive.read(member).decode("utf-8", "replace").splitlines():
                words = [token.rpartition("/")[0] for token in line.split()]
                if 4 <= len(words) <= 40:
                    yield detokenize(" ".join(words))


def main(folder: Path) -> None:
    """Parse a sample, count, write."""
    chosen = random.Random(0).sample(list(sentences(folder)), SENTENCES)
    parser = open_spacy("en")

    def trees() -> Iterator[Tree]:
        for start in range(0, len(chosen), 500):
            for parse in parser.parse(chosen[start : start + 500]):
                tree = project(parse).tree
                if tree is not None:
                    yield tree

    source = (
        f"{SENTENCES} sentences of Brown, {parser.signature}, projected; seen {SEEN} times or more"
    )
    grammar = count_productions(trees(), source)
    print(write_grammar(grammar, OUT, SEEN), "productions,", OUT.stat().st_size, "bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
