"""How varied generated tests are beside HateCheck's own, at equal sample sizes: Self-BLEU and distinct productions.

    python -m benchmarks.diversity [CASES.jsonl HATECHECK.csv.gz]

CASES are what `benchmarks.capabilities hate ... --keep` wrote; without arguments they are made from Davidson's tweets,
where the reference data is there. ALiCT's paper has its tests 190% more diverse than others' by Self-BLEU and 2213% by
productions (Lee et al., TOSEM 2024, abstract), over samples of up to 50,000; ours are of 100, and HateCheck alone is
beside them.
"""

from __future__ import annotations

import csv
import gzip
import json
import random
import sys
import tempfile
from collections import Counter, defaultdict
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.capabilities import CHUNK
from benchmarks.results import record, shared_data
from polyglitch.corpus.read import open_corpus
from polyglitch.corpus.suites import read_suite
from polyglitch.evaluate.diversity import lexical_diversity, syntactic_diversity
from polyglitch.language.spacy_parser import open_spacy
from polyglitch.mutate.capabilities.cases import capability_cases
from polyglitch.records import Case, decode
from polyglitch.tools import Toolbox

SAME = {
    "01-slur": ("slur_h",),
    "02-slur-not-hateful": ("slur_homonym_nh", "slur_reclaimed_nh"),
    "03-profanity": ("profanity_h",),
    "04-profanity-not-hateful": ("profanity_nh",),
    "05-reference-clause": ("ref_subs_clause_h",),
    "06-reference-sentence": ("ref_subs_sent_h",),
    "07-negated-positive": ("negate_pos_h",),
    "08-negated-hate": ("negate_neg_nh",),
    "09-question": ("phrase_question_h",),
    "10-opinion": ("phrase_opinion_h",),
    "11-identity-neutral": ("ident_neutral_nh",),
    "12-identity-positive": ("ident_pos_nh",),
    "13-denounce-quote": ("counter_quote_nh",),
    "14-denounce-reference": ("counter_ref_nh",),
}
MOST, LEAST = 100, 20  # sentences in a sample; of fewer nothing is said
TWEETS, GROWN = 6000, 300  # read, and of these expanded
CLASSES = ("hate", "offensive", "non-hate")
PAPER = {"self_bleu_more_diverse": 1.90, "productions_more_diverse": 22.13}
Texts = dict[str, set[str]]


def read_cases(path: Path) -> Texts:
    """The tests of each capability that were kept in a file."""
    ours: Texts = defaultdict(set)
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            case = decode(line, Case)
            ours[case.data["capability"]].add(case.inputs[-1].text)
    return ours


def make_cases(data: Path, folder: Path) -> Texts:
    """Tests from the first of Davidson's tweets, the first of these expanded."""
    corpus = folder / "tweets.jsonl"
    with gzip.open(data / "hate" / "davidson_labelled.csv.gz", "rt", encoding="utf-8") as lines:
        rows = [(row["tweet"], CLASSES[int(row["class"])]) for row in csv.DictReader(lines)]
    random.Random(1).shuffle(rows)
    told = [json.dumps({"text": text, "label": label}) for text, label in rows[:TWEETS]]
    corpus.write_text("\n".join(told), "utf-8")
    seeds, tools, ours = iter(open_corpus(str(corpus), language="en")), Toolbox(), defaultdict(set)
    grown, plain = capability_cases("hate", expansions=3), capability_cases("hate", expansions=0)
    read = 0
    while some := list(islice(seeds, CHUNK)):
        for case in (grown if read < GROWN else plain)(some, tools):
            ours[case.data["capability"]].add(case.inputs[-1].text)
        read += len(some)
    return ours


def beside(ours: Texts, hatecheck: Path) -> dict[str, Any]:
    """Both measures of both, capability by capability, and by how much ours are more diverse on average."""
    theirs: Texts = defaultdict(set)
    for row in read_suite(hatecheck, Counter()):
        theirs[row.capability].add(row.text)
    parser = open_spacy("en")
    print("| capability | sample | Self-BLEU: ours | HateCheck | productions: ours | HateCheck |")
    print("|---|---:|---:|---:|---:|---:|")
    figures: dict[str, Any] = {}
    for name, functions in SAME.items():
        pair = [sorted(ours[name]), sorted(t for f in functions for t in theirs[f])]
        size = min(MOST, *map(len, pair))
        if size < LEAST:
            print(f"| {name} | {size} | too few | | | |")
            continue
        samples = [random.Random(0).sample(texts, size) for texts in pair]
        bleu = [lexical_diversity(texts, size) for texts in pair]
        rules = [syntactic_diversity(texts, parser, size) for texts in samples]
        print(
            f"| {name} | {size} | {bleu[0]:.3f} | {bleu[1]:.3f} | {rules[0]} | {rules[1]} |",
            flush=True,
        )
        figures[name] = {"sample": size, "self_bleu": bleu, "productions": rules}
    rows = list(figures.values())
    figures["self_bleu_more_diverse"] = mean(b / a for a, b in (r["self_bleu"] for r in rows)) - 1
    figures["productions_more_diverse"] = (
        mean(a / b for a, b in (r["productions"] for r in rows)) - 1
    )
    return figures | {"paper": PAPER}


def main() -> None:
    """The files named, or the reference data."""
    if len(sys.argv) == 3:
        record("diversity", beside(read_cases(Path(sys.argv[1])), Path(sys.argv[2])))
        return
    data = shared_data()
    if data is None:
        print("skipped: no reference data; set POLYGLITCH_SHARED")
        return
    with tempfile.TemporaryDirectory() as folder:
        ours = make_cases(data, Path(folder))
    record("diversity", beside(ours, data / "hate" / "hatecheck_cases.csv.gz"))


if __name__ == "__main__":
    main()
