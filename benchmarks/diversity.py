"""How varied generated tests are beside HateCheck's or CheckList's own, at equal sample sizes.

    python -m benchmarks.diversity CASES.jsonl HATECHECK.csv.gz
    python -m benchmarks.diversity CASES.jsonl CHECKLIST.json

CASES are what `benchmarks.capabilities ... --keep` wrote. CHECKLIST is CheckList's sentiment suite as JSON: an object
of tests by their names there, each with `data` and `labels`. Self-BLEU is the median of 5 samples, productions are of
one. Prints a Markdown table of the capabilities that both have.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from pathlib import Path

from polyglitch.corpus.suites import read_suite
from polyglitch.evaluate.diversity import lexical_diversity, syntactic_diversity
from polyglitch.language.spacy_parser import open_spacy
from polyglitch.records import Case, decode

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
MOST = 100


def our_texts(path: Path) -> dict[str, set[str]]:
    """For each seed of a capability itself or one of its expansions, drawn evenly (the paper's +EXP sample)."""
    groups: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            case = decode(line, Case)
            inputs = case.inputs[-1:] if case.expected else case.inputs  # of fairness, all variants
            for number, item in enumerate(inputs):
                group = f"{case.data.get('parent', case.id)}:{number}"
                groups[case.data["capability"]][group].append(item.text)
    dice = random.Random(0)
    return {name: {dice.choice(some) for some in rows.values()} for name, rows in groups.items()}


def their_texts(path: Path) -> dict[str, set[str]]:
    """The texts of a suite by the name of the test."""
    found: dict[str, set[str]] = defaultdict(set)
    for row in read_suite(path, Counter()):
        found[row.capability].add(row.text)
    return found


def main(cases: Path, suite: Path, most: int) -> None:
    """Read both, draw samples of equal size, print."""
    ours, theirs = our_texts(cases), their_texts(suite)
    name, same = ("CheckList", CHECKLIST) if ".json" in suite.name else ("HateCheck", HATECHECK)
    parser = open_spacy("en")
    print(f"| capability | sample | Self-BLEU: ours | {name} | productions: ours | {name} |")
    print("|---|---:|---:|---:|---:|---:|")
    for capability, tests in same.items():
        pair = [sorted(ours[capability]), sorted(t for test in tests for t in theirs[test])]
        size = min(most, *map(len, pair))
        if size < 2:
            print(f"| {capability} | {size} | | | | |")
            continue
        samples = [random.Random(0).sample(texts, size) for texts in pair]
        bleu = [lexical_diversity(texts, size) for texts in pair]
        rules = [syntactic_diversity(texts, parser, size) for texts in samples]
        print(
            f"| {capability} | {size} | {bleu[0]:.3f} | {bleu[1]:.3f} | {rules[0]} | {rules[1]} |",
            flush=True,
        )


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("cases", type=Path)
    options.add_argument("suite", type=Path)
    options.add_argument("--most", type=int, default=MOST, help="the largest sample")
    given = options.parse_args()
    main(given.cases, given.suite, given.most)
