"""Expansions of sentences drawn from a corpus, to be read; and what was read of them.

    python -m benchmarks.expansions sst5_train.txt.gz --first 1000 --count 60 --proposer smollm [-o drawn.tsv]
    python -m benchmarks.expansions --readings benchmarks/readings/expansions_within.tsv

The corpus is shuffled with a fixed seed, so that `--first` and `--count` name sentences. A drawn row has the line of
its sentence (from 1), whether it grew within or around, the production or the tags, the words that went in, and the
text; readers fill in the rest. How many there are of each kind is told beside it. `--readings` prints the shares with
their 95% intervals, by set and by what was added, and the kinds of the last set.
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from polyglitch.corpus.read import open_corpus
from polyglitch.mutate.capabilities.expanded import Expanded
from polyglitch.mutate.capabilities.expansion import Seen, expand
from polyglitch.nlp.lexicons.terms import INDEPENDENT, open_lexicon
from polyglitch.nlp.parsers.constituents import open_grammar
from polyglitch.nlp.sentences import readable
from polyglitch.results.tables import wilson
from polyglitch.tools import Toolbox

SEED = 9
CLAUSES = frozenset({"SBAR", "S", "PRN"})  # what is added that has a verb of its own
ADVERB = "RB"
COLUMNS = ("line", "label", "where", "tags", "added", "natural", "label_kept", "text")


def draw(corpus: str, first: int, count: int, proposer: str, most: int, out: TextIO) -> None:
    """The expansions of some sentences as rows to be read."""
    seeds = list(open_corpus(corpus, language="en"))
    order = list(range(len(seeds)))
    random.Random(SEED).shuffle(order)
    drawn = order[first : first + count]
    tools = Toolbox(seed=0)
    parser, words = tools.parser("en"), tools.proposer(proposer, "en")
    parses = parser.parse([readable(seeds[place].input.text) for place in drawn])
    lexicon = open_lexicon("en", INDEPENDENT)
    grown = expand(parses, parser, words, open_grammar("en"), lexicon, most, Seen(words))
    rows = csv.writer(out, delimiter="\t", lineterminator="\n")
    rows.writerow(COLUMNS)
    for place, some in zip(drawn, grown, strict=True):
        for one in some:
            where = "around" if one.around else "within"
            added = (
                kind_of(one),
                " ".join(one.words),
                "",
                "",
                one.parse.text,
            )
            rows.writerow((place + 1, seeds[place].label, where, *added))
    within = sum(not one.around for some in grown for one in some)
    every = sum(map(len, grown))
    twice = sum(len(some) > 1 for some in grown)
    print(
        f"{every} of {len(drawn)} sentences, {every / len(drawn):.2f} each; {within} within; "
        f"{sum(map(bool, grown))} sentences grow, {twice} in two ways or more",
        file=sys.stderr,
    )
    kinds = [(kind_of(one), not one.around) for some in grown for one in some]
    print(variety(kinds), file=sys.stderr)


def kind_of(one: Expanded) -> str:
    """What an expansion is by: its production, with what that adds, or its tags."""
    return f"{one.production} + {' '.join(one.tags)}" if one.production else " ".join(one.tags)


def variety(kinds: Sequence[tuple[str, bool]]) -> str:
    """How many are one adverb, how many have a clause, and how many there are of each kind."""
    if not kinds:
        return "nothing grew"
    clauses = [within for kind, within in kinds if kind.split(" + ")[-1] in CLAUSES]
    adverbs = sum(kind == ADVERB for kind, _ in kinds)
    told = [
        f"one adverb: {adverbs} of {len(kinds)} ({adverbs / len(kinds):.1%})",
        f"with a clause: {len(clauses)} ({len(clauses) / len(kinds):.1%}), {sum(clauses)} within",
    ]
    counts = Counter((kind, within) for kind, within in kinds).most_common()
    told += [
        f"{count:4} {'within' if within else 'around'}: {kind}" for (kind, within), count in counts
    ]
    return "\n".join(told)


def figures(path: Path) -> None:
    """How many were natural and kept their label, by set, place and tags."""
    lines = [line for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]
    counts: dict[tuple[str, str], Counter[str]] = {}
    rows = list(csv.DictReader(lines, delimiter="\t"))
    for row in rows:
        for kind in ("all", row["where"], f"{row['where']}: {row['tags']}"):
            count = counts.setdefault((row["set"], kind), Counter())
            count["read"] += 1
            count["natural"] += row["natural"] == "yes"
            count["kept"] += row["label_kept"] == "yes"
    for (name, kind), count in counts.items():
        told = [f"{name}, {kind}: {count['read']} read"]
        for what in ("natural", "kept"):
            low, high = wilson(count[what], count["read"])
            share = count[what] / count["read"]
            told.append(f"{what} {count[what]} ({share:.1%}, {low * 100:.1f} to {high * 100:.1f})")
        print("; ".join(told))
    last = rows[-1]["set"]
    kinds = [(row["tags"], row["where"] == "within") for row in rows if row["set"] == last]
    print(f"{last}: {variety(kinds)}")


def main() -> None:
    """Draw, or tell what was read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", nargs="?")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--most", type=int, default=3)
    parser.add_argument("--proposer", default="ngrams")
    parser.add_argument("--readings", type=Path)
    parser.add_argument("-o", "--out", type=Path)
    options = parser.parse_args()
    if options.readings:
        figures(options.readings)
    elif options.corpus is None:
        print("skipped: name a corpus of sentences, or --readings FILE")
    else:
        out = options.out.open("w", encoding="utf-8") if options.out else sys.stdout
        draw(options.corpus, options.first, options.count, options.proposer, options.most, out)


if __name__ == "__main__":
    main()
