"""How varied generated tests are beside HateCheck's own, at equal sample sizes: Self-BLEU and distinct productions.

    python -m benchmarks.diversity CASES.jsonl HATECHECK.csv.gz

CASES are what `benchmarks.capabilities hate ... --keep` wrote. Prints a Markdown table.
"""

from __future__ import annotations

import random
import sys
from collections import Counter, defaultdict
from pathlib import Path

from polyglitch.corpus.suites import read_suite
from polyglitch.evaluate.diversity import lexical_diversity, syntactic_diversity
from polyglitch.language.spacy_parser import open_spacy
from polyglitch.records import Case, decode

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
MOST = 100


def main(cases: Path, hatecheck: Path) -> None:
    """Read both, draw samples of equal size, print."""
    ours: dict[str, set[str]] = defaultdict(set)
    with open(cases, encoding="utf-8") as lines:
        for line in lines:
            case = decode(line, Case)
            ours[case.data["capability"]].add(case.inputs[-1].text)
    theirs: dict[str, set[str]] = defaultdict(set)
    for row in read_suite(hatecheck, Counter()):
        theirs[row.capability].add(row.text)
    parser = open_spacy("en")
    print("| capability | sample | Self-BLEU: ours | HateCheck | productions: ours | HateCheck |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, functions in SAME.items():
        pair = [sorted(ours[name]), sorted(t for f in functions for t in theirs[f])]
        size = min(MOST, *map(len, pair))
        samples = [random.Random(0).sample(texts, size) for texts in pair]
        bleu = [lexical_diversity(texts, size) for texts in pair]
        rules = [syntactic_diversity(texts, parser, size) for texts in samples]
        print(
            f"| {name} | {size} | {bleu[0]:.3f} | {bleu[1]:.3f} | {rules[0]} | {rules[1]} |",
            flush=True,
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
