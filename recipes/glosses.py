"""Make `languages/pt/glosses.txt`: the English of common Portuguese words, one word at a time.

    python -m recipes.glosses TREES [--least 1] [--frequent 30000] [--more]

TREES is a folder with `ud_pt_gsd_train.conllu.gz` (UD Portuguese-GSD, CC BY-SA 4.0), whose words are counted by what
the oracle compares them by. To these come what Firefox's English to Portuguese model says for the words that swaps put
into sentences (`languages/en/near_words.txt`, in all their forms): a campaign meets them most; and the most frequent
words of wordfreq's Portuguese list (CC BY-SA 4.0), so that few words of anybody's text are left to be asked. Each is
put to the model of the other direction (MPL 2.0), as `Pivot` would. With `--more` what the list has stays as it is.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

from lemminflect import getAllInflections
from wordfreq import top_n_list

from polyglitch.compare.oracles.aligned.links import read_parse
from polyglitch.languages import language
from polyglitch.nlp.lexicons.words import Pivot, translator
from polyglitch.nlp.lexicons.words import common_glosses as listed
from polyglitch.nlp.parsers.conllu import read_parses
from polyglitch.tools import Toolbox

OUT = Path(str(files("polyglitch"))) / "languages" / "pt" / "glosses.txt"
HEAD = """\
# The English of common Portuguese words; a word without one, or with several, stands alone. The words are those of
# UD Portuguese-GSD and the frequent ones of wordfreq (both CC BY-SA 4.0), and those for English words that swaps use;
# what is said in the other language is by Firefox's models (MPL 2.0): recipes/glosses.py.
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


def of_swaps() -> list[str]:
    """The keys of what the translator says for each form of a word that swaps use."""
    english = sorted(
        {
            form
            for line in language("en").lines("near_words")
            if not line.startswith("[")
            for word in line.removeprefix("~").split()
            for forms in getAllInflections(word).values()
            for form in (word, *forms)
        }
    )
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        said = list(threads.map(translator("en-pt"), english))
    parses = Toolbox().parser("pt").parse(said)
    words = (word for parse in parses for word in read_parse(parse, "pt").words)
    return [word.key for word in words if word.key.isalpha() and word.kind != "name"]


def frequent(count: int) -> list[str]:
    """The keys of so many most frequent words, and the words as they stand: a key is told from a sentence."""
    words = [word for word in top_n_list("pt", count) if word.isalpha() and len(word) > 2]
    parses = Toolbox().parser("pt").parse(words)
    keys = (word.key for parse in parses for word in read_parse(parse, "pt").words)
    return [key for key in (*words, *keys) if key.isalpha()]


def main() -> None:
    """Write the list and say how long it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", type=Path)
    parser.add_argument("--least", type=int, default=1)
    parser.add_argument("--frequent", type=int, default=30_000, help="words of wordfreq's list")
    parser.add_argument("--more", action="store_true", help="keep the list and add to it")
    chosen = parser.parse_args()
    known = listed("pt") if chosen.more else {}
    counted = [] if chosen.more else [*common(chosen.trees, chosen.least), *of_swaps()]
    words = list(dict.fromkeys([*known, *counted, *frequent(chosen.frequent)]))
    pivot = Pivot(translator("pt-en"), "recipe", Toolbox(), "en", known)
    pivot.learn(words)
    lines = sorted(f"{word} {pivot.gloss(word)}".strip() for word in words)
    OUT.write_text(HEAD + "\n".join(lines) + "\n", "utf-8")
    print(f"{len(lines):,} words, {sum(' ' in line for line in lines):,} with their English")


if __name__ == "__main__":
    main()
