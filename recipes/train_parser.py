"""A small tagger and parser of a language, trained on its Universal Dependencies: the ones that ship, and others.

    python -m recipes.train_parser LANGUAGE [TREES] [--out FOLDER] [--steps N]

TREES is a folder with treebanks as UD names them (`de_gsd-ud-dev.conllu`) or as `ud_de_gsd_dev.conllu.gz`. It does what
`polyglitch get parser-LANGUAGE --treebank FILE ...` does (`nlp/models/train_parser.py`), which needs no sources of this
project. The pipeline goes to where `get` puts it, and is found there from then on. The hash is that of all its files.
The bundled ones were made with `pip install spacy-lookups-data==1.0.5 wordfreq==3.1.1`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.constituents import reference_data

from polyglitch.nlp.models.downloads import folder_digest, own_folder, packed
from polyglitch.nlp.models.train_parser import STEPS, train_parser


def main() -> None:
    """Part, train, measure, write."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("language")
    options.add_argument("trees", type=Path, nargs="?", default=reference_data() / "trees")
    options.add_argument("--out", type=Path, help="by default where polyglitch finds it")
    options.add_argument("--steps", type=int, default=STEPS)
    given = options.parse_args()
    out = given.out or own_folder(given.language)
    about = train_parser(given.language, list(given.trees.iterdir()), out, given.steps)
    print(f"{out}: {about['performance']}")
    print(f"{len(packed(out)) / 1e6:.1f} MB packed, sha256 {folder_digest(out)}")


if __name__ == "__main__":
    main()
