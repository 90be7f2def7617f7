"""Expansion beside plain fuzzing, and suites made elsewhere before and after expansion (ALiCT, tables 5, 6, figure 5).

    python -m benchmarks.fuzzers [SENTENCES [--seeds 100]]
    python -m benchmarks.fuzzers --suite HATECHECK.csv.gz [--each 40]

Of the same sentences: what expansion makes, what changing words for people makes (as MT-NLP does), what synonyms make
(as attacks by substitution do, without their search for a failure), and what slips of the keyboard make. Self-BLEU
(lower is more varied) and distinct productions (higher is) are means of five samples with their deviation, all of one
size, since both grow with it, and once more of all that was made, as the paper has them. With `--suite`, every
capability of a suite as it is and with one expansion in the place of each test that has any.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from statistics import mean, median, pstdev
from typing import Any

from benchmarks.results import record, shared_data
from polyglitch.corpus.read import open_corpus
from polyglitch.corpus.suites import read_suite
from polyglitch.evaluate.diversity import WORD, self_bleu, syntactic_diversity
from polyglitch.mutate.capabilities.predicates import grown_texts
from polyglitch.mutate.relations import change
from polyglitch.nlp.parsers.choose import open_spacy
from polyglitch.tools import Toolbox

TRIALS = 5
MOST = 5  # texts of one sentence, as the method has it
LEAST = 5  # of fewer nothing is said
FUZZERS = {
    "people (as MT-NLP)": ("other_name", "other_gender", "other_group", "pronoun_to_group"),
    "synonyms (as attacks)": ("synonym", "hypernym"),
    "slips": ("swap_letters", "drop_letter", "double_letter", "keyboard_slip"),
}
PAPER = {
    "table 5, sentiment": "ALiCT 606 of 100: 0.75, 338.8; MT-NLP 23: 0.91, 96.0",
    "table 6": "ALiCT 323 of 50: 0.435, 262.0; Alzantot 20: 0.373, 170.0; BERT-attack 25: 0.438, 178.0; "
    "SememePSO 25: 0.411, 178.0",
}


def fuzzed(texts: Sequence[str], changes: Sequence[str], tools: Toolbox) -> list[str]:
    """What the changes make of the texts, each result once."""
    made: dict[str, None] = {}
    for parse in open_spacy("en").parse(list(texts)):
        every = (t for name in changes for t in change(name, parse, tools, {"most": MOST}))
        made |= dict.fromkeys(islice(every, MOST))
    return list(made)


def spread(texts: Sequence[str], size: int, trials: int = TRIALS) -> dict[str, Any]:
    """Both measures over samples: mean and deviation."""
    parser, bleu, rules = open_spacy("en"), [], []
    for trial in range(trials):
        sample = random.Random(trial).sample(list(texts), size)
        bleu.append(self_bleu([WORD.findall(text) for text in sample]))
        rules.append(syntactic_diversity(sample, parser, size))
    return {
        "self_bleu": [mean(bleu), pstdev(bleu)],
        "productions": [mean(rules), pstdev(rules)],
    }


def beside_fuzzers(texts: Sequence[str], proposer: str) -> dict[str, Any]:
    """The table: how many each makes, and how varied they are at the size of the smallest."""
    tools = Toolbox()
    made = {
        "expansion": [t for row in grown_texts(texts, "en", MOST, proposer, tools) for t in row]
    }
    made |= {name: fuzzed(texts, changes, tools) for name, changes in FUZZERS.items()}
    enough = {name: rows for name, rows in made.items() if len(rows) >= LEAST}
    size = min(len(texts), *map(len, enough.values()))
    print(
        f"| of {len(texts)} sentences | made | Self-BLEU, {size} | productions, {size} | Self-BLEU, all | all |"
    )
    print("|---|---:|---:|---:|---:|---:|")
    figures: dict[str, Any] = {}
    for name, rows in {"the sentences": list(texts), **made}.items():
        if len(rows) < LEAST:
            print(f"| {name} | {len(rows)} | too few | | | |")
            continue
        told, every = spread(rows, size), spread(rows, len(rows), 1)
        bleu, rules = told["self_bleu"], told["productions"]
        cells = f"{bleu[0]:.3f} ± {bleu[1]:.3f} | {rules[0]:.1f} ± {rules[1]:.1f}"
        whole = f"{every['self_bleu'][0]:.3f} | {every['productions'][0]:.0f}"
        print(f"| {name} | {len(rows):,} | {cells} | {whole} |", flush=True)
        figures[name] = {"made": len(rows), "sample": size, **told, "all": every}
    for name, told_there in PAPER.items():
        print(f"published, {name}: {told_there}")
    return figures | {"paper": PAPER}


def before_and_after(suite: Path, each: int, proposer: str) -> dict[str, Any]:
    """Figure 5: the tests of every capability as they are, and with expansions in their place."""
    tests: dict[str, dict[str, None]] = defaultdict(dict)
    for row in read_suite(suite, Counter()):
        tests[row.capability][row.text] = None
    tools, parser, figures = Toolbox(), open_spacy("en"), {}
    print("| capability | sample | grew | Self-BLEU | expanded | productions | expanded |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name in sorted(tests):
        texts = list(tests[name])
        texts = random.Random(0).sample(texts, min(each, len(texts)))
        if len(texts) < LEAST:
            continue
        grown = grown_texts(texts, "en", 1, proposer, tools)
        after = [more[0] if more else text for text, more in zip(texts, grown, strict=True)]
        bleu = [self_bleu([WORD.findall(t) for t in some]) for some in (texts, after)]
        rules = [syntactic_diversity(some, parser, len(some)) for some in (texts, after)]
        count = sum(map(bool, grown))
        figures[name] = {"sample": len(texts), "grew": count, "bleu": bleu, "rules": rules}
        print(
            f"| {name} | {len(texts)} | {count} | {bleu[0]:.3f} | {bleu[1]:.3f} | {rules[0]} | {rules[1]} |",
            flush=True,
        )
    print(summary(list(figures.values())))
    return figures


def summary(rows: Sequence[dict[str, Any]]) -> str:
    """The medians over capabilities, and in how many both measures got better."""
    lower = sum(row["bleu"][1] < row["bleu"][0] for row in rows)
    richer = sum(row["rules"][1] > row["rules"][0] for row in rows)
    bleu = [median(row["bleu"][at] for row in rows) for at in (0, 1)]
    rules = [median(row["rules"][at] for row in rows) for at in (0, 1)]
    return (
        f"median Self-BLEU {bleu[0]:.3f} to {bleu[1]:.3f} (lower in {lower} of {len(rows)}), "
        f"median productions {rules[0]:g} to {rules[1]:g} (more in {richer})"
    )


def main() -> None:
    """The files named, or the reference data."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sentences", nargs="?")
    parser.add_argument("--suite", type=Path)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--each", type=int, default=40)
    parser.add_argument("--proposer", default="ngrams")
    options = parser.parse_args()
    if options.suite:
        record("expanded_suite", before_and_after(options.suite, options.each, options.proposer))
        return
    data = shared_data()
    if options.sentences is None and data is None:
        print("skipped: no reference data; set POLYGLITCH_SHARED, or name a file of sentences")
        return
    file = options.sentences or str((data or Path()) / "sentiment" / "sst5_dev.txt.gz")
    texts = list(dict.fromkeys(seed.input.text for seed in open_corpus(file, language="en")))
    drawn = random.Random(0).sample(texts, min(options.seeds, len(texts)))
    record("fuzzers", beside_fuzzers(drawn, options.proposer))


if __name__ == "__main__":
    main()
