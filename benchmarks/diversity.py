"""How varied generated tests are beside HateCheck's or CheckList's own, at equal sample sizes.

    python -m benchmarks.diversity [CASES.jsonl HATECHECK.csv.gz]
    python -m benchmarks.diversity CASES.jsonl CHECKLIST.json

CASES are what `benchmarks.capabilities ... --keep` wrote; without arguments they are made from Davidson's tweets, where
the reference data is there. CHECKLIST is CheckList's sentiment suite as JSON: an object of tests by their names there,
each with `data` and `labels`. Self-BLEU is the median of 5 samples, productions are of one. ALiCT's paper has its tests
190% more diverse than others' by Self-BLEU and 2213% by productions (Lee et al., TOSEM 2024, abstract), over samples
of up to 50,000; ours are of 100.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.capabilities import CHUNK
from benchmarks.results import record, shared_data
from polyglitch.corpus.read import open_corpus
from polyglitch.corpus.suites import read_suite
from polyglitch.evaluate.diversity import lexical_diversity, syntactic_diversity
from polyglitch.mutate.capabilities.cases import capability_cases
from polyglitch.nlp.parsers.choose import open_spacy
from polyglitch.records import Case, decode
from polyglitch.tools import Toolbox

HATECHECK = {
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
NEGATED = "simple negations: "
CHECKLIST = {
    "01-short-neutral": ("neutral words in context",),
    "02-short-laden": ("Sentiment-laden words in context",),
    "03-change-over-time": ("used to, but now",),
    "04-negated-negative": (f"{NEGATED}not negative",),
    "05-negated-neutral": (f"{NEGATED}not neutral is still neutral",),
    "06-negation-at-end": (
        f"{NEGATED}I thought x was negative, but it was not (should be neutral or positive)",
    ),
    "07-negated-positive": (
        "Hard: Negation of positive with neutral stuff in the middle (should be negative)",
    ),
    "08-author-over-others": ("my opinion is what matters",),
    "09-question-yes": ("Q & A: yes",),
    "10-question-no": ("Q & A: no",),
    "11-fairness": tuple(
        f"protected: {kind}" for kind in ("race", "sexual", "religion", "nationality")
    ),
}
MOST, LEAST = 100, 5  # sentences in a sample; of fewer nothing is said
TWEETS, GROWN = 6000, 300  # read, and of these expanded
CLASSES = ("hate", "offensive", "non-hate")
PAPER = {"self_bleu_more_diverse": 1.90, "productions_more_diverse": 22.13}
Texts = dict[str, set[str]]


def sampled(cases: Iterable[Case]) -> Texts:
    """For each seed of a capability itself or one of its expansions, drawn evenly (the paper's +EXP sample)."""
    groups: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for case in cases:
        inputs = case.inputs[-1:] if case.expected else case.inputs  # of fairness, all variants
        for number, item in enumerate(inputs):
            group = f"{case.data.get('parent', case.id)}:{number}"
            groups[case.data["capability"]][group].append(item.text)
    dice = random.Random(0)
    return {name: {dice.choice(some) for some in rows.values()} for name, rows in groups.items()}


def kept_cases(path: Path) -> Iterator[Case]:
    """The cases of a file."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield decode(line, Case)


def their_texts(path: Path) -> Texts:
    """The texts of a suite by the name of the test."""
    found: Texts = defaultdict(set)
    for row in read_suite(path, Counter()):
        found[row.capability].add(row.text)
    return found


def make_cases(data: Path, folder: Path) -> Iterator[Case]:
    """Tests from the first of Davidson's tweets, the first of these expanded."""
    corpus = folder / "tweets.jsonl"
    with gzip.open(data / "hate" / "davidson_labelled.csv.gz", "rt", encoding="utf-8") as lines:
        rows = [(row["tweet"], CLASSES[int(row["class"])]) for row in csv.DictReader(lines)]
    random.Random(1).shuffle(rows)
    told = [json.dumps({"text": text, "label": label}) for text, label in rows[:TWEETS]]
    corpus.write_text("\n".join(told), "utf-8")
    seeds, tools = iter(open_corpus(str(corpus), language="en")), Toolbox()
    grown, plain = capability_cases("hate", expansions=3), capability_cases("hate", expansions=0)
    read = 0
    while some := list(islice(seeds, CHUNK)):
        yield from (grown if read < GROWN else plain)(some, tools)
        read += len(some)


def beside(ours: Texts, suite: Path, most: int) -> dict[str, Any]:
    """Both measures of both, capability by capability, and by how much ours are more diverse on average."""
    theirs, parser = their_texts(suite), open_spacy("en")
    name, same = ("CheckList", CHECKLIST) if ".json" in suite.name else ("HateCheck", HATECHECK)
    print(f"| capability | sample | Self-BLEU: ours | {name} | productions: ours | {name} |")
    print("|---|---:|---:|---:|---:|---:|")
    figures: dict[str, Any] = {}
    for capability, tests in same.items():
        pair = [sorted(ours.get(capability, ())), sorted(t for test in tests for t in theirs[test])]
        size = min(most, *map(len, pair))
        if size < LEAST:
            print(f"| {capability} | {size} | too few | | | |")
            continue
        samples = [random.Random(0).sample(texts, size) for texts in pair]
        bleu = [lexical_diversity(texts, size) for texts in pair]
        rules = [syntactic_diversity(texts, parser, size) for texts in samples]
        print(
            f"| {capability} | {size} | {bleu[0]:.3f} | {bleu[1]:.3f} | {rules[0]} | {rules[1]} |",
            flush=True,
        )
        figures[capability] = {"sample": size, "self_bleu": bleu, "productions": rules}
    rows = list(figures.values())
    figures["self_bleu_more_diverse"] = mean(b / a for a, b in (r["self_bleu"] for r in rows)) - 1
    figures["productions_more_diverse"] = (
        mean(a / b for a, b in (r["productions"] for r in rows)) - 1
    )
    return figures | {"paper": PAPER}


def main() -> None:
    """The files named, or the reference data."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("files", nargs="*", type=Path, help="CASES.jsonl and a suite")
    options.add_argument("--most", type=int, default=MOST, help="the largest sample")
    given = options.parse_args()
    if given.files:
        cases, suite = given.files
        record("diversity", beside(sampled(kept_cases(cases)), suite, given.most))
        return
    data = shared_data()
    if data is None:
        print("skipped: no reference data; set POLYGLITCH_SHARED")
        return
    with tempfile.TemporaryDirectory() as folder:
        ours = sampled(make_cases(data, Path(folder)))
    record("diversity", beside(ours, data / "hate" / "hatecheck_cases.csv.gz", given.most))


if __name__ == "__main__":
    main()
