"""Make `languages/pt/glosses.txt`: the English of common Portuguese words, one word at a time.

    python -m recipes.glosses TREES [--least 1]

TREES is a folder with `ud_pt_gsd_train.conllu.gz` (UD Portuguese-GSD, CC BY-SA 4.0), whose words are counted by what
the oracle compares them by. Each is put to Firefox's Portuguese to English model (MPL 2.0), as `Pivot` would.
"""

from __future__ import annotations

import argparse
from collections import Counter
from importlib.resources import files
from pathlib import Path

from polyglitch.compare.oracles.aligned.links import read_parse
from polyglitch.nlp.lexicons.words import Pivot, translator
from polyglitch.nlp.parsers.conllu import read_parses
from polyglitch.tools import Toolbox

OUT = Path(str(files("polyglitch"))) / "languages" / "pt" / "glosses.txt"
HEAD = """\
# The English of common Portuguese words; a word without one, or with several, stands alone. The words are those of
# UD Portuguese-GSD (CC BY-SA 4.0), the English is what Firefox's pt-en model (MPL 2.0) says: recipes/glosses.py.
"""


def common(trees: Path, least: int) -> list[str]:
    """The keys of words that stand there so often, the commonest first."""
    texts = [parse.text for parse in read_parses(trees / "ud_pt_gsd_train.conllu.gz")]
    counts = Counter(
        word.key
        for parse in Toolbox().parser("pt").parse(texts)
        for word in read_parse(parse, "pt").words
        if word.key.isalpha() and word.kind != "name"
    )
    return [word for word, count in counts.most_common() if count >= least]


def main() -> None:
    """Write the list and say how long it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", type=Path)
    parser.add_argument("--least", type=int, default=1)
    chosen = parser.parse_args()
    words = common(chosen.trees, chosen.least)
    pivot = Pivot(translator("pt-en"), "recipe", Toolbox(), "en")
    pivot.learn(words)
    lines = sorted(f"{word} {pivot.gloss(word)}".strip() for word in words)
    OUT.write_text(HEAD + "\n".join(lines) + "\n", "utf-8")
    print(f"{len(lines):,} words, {sum(' ' in line for line in lines):,} with their English")


if __name__ == "__main__":
    main()
