"""Self-BLEU against NLTK's: the same numbers, and how many times faster.

    python -m benchmarks.selfbleu [SENTENCES] [--nltk N]

NLTK is asked for the first N sentences (all with `--nltk 0`), each against all others; the time
for all is taken from that.
"""

from __future__ import annotations

import argparse
import random
import time
import warnings

from polyglitch.evaluate.diversity import each_self_bleu

WORDS = [
    *("the", "a", "film", "story", "is", "was", "not", "very", "good", "bad", "it"),
    *("they", "we", "see", "of", "in", "and", "with", "on", "by", "for"),
]


def made_sentences(count: int) -> list[list[str]]:
    """Sentences with Zipf's distribution over a small vocabulary, 4 to 30 words."""
    dice = random.Random(0)
    words = WORDS + [f"word{number}" for number in range(3000)]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    return [dice.choices(words, weights, k=dice.randint(4, 30)) for _ in range(count)]


def nltk_scores(sentences: list[list[str]], only: int) -> list[float]:
    """What NLTK says of the first sentences."""
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    smooth = SmoothingFunction().method1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            float(
                sentence_bleu(
                    sentences[:i] + sentences[i + 1 :], sentences[i], (1 / 3,) * 3, smooth
                )
            )
            for i in range(only)
        ]


def main(count: int, only: int) -> None:
    """NLTK on some of the sentences, ours on all; the ratio is for all."""
    sentences = made_sentences(count)
    start = time.process_time()
    ours = each_self_bleu(sentences)
    fast = time.process_time() - start
    start = time.process_time()
    theirs = nltk_scores(sentences, only)
    slow = (time.process_time() - start) * count / only
    gap = max(abs(one - other) for one, other in zip(theirs, ours, strict=False))
    how = "measured in full" if only == count else f"from {only} of them"
    print(
        f"{count} sentences, processor time: ours {fast:.3f} s, NLTK {slow:.1f} s ({how}), "
        f"{slow / fast:.0f} times"
    )
    print(f"largest difference over {only} sentences: {gap:.2e}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sentences", type=int, nargs="?", default=1000)
    parser.add_argument("--nltk", type=int, default=20, metavar="N")
    options = parser.parse_args()
    main(options.sentences, min(options.nltk or options.sentences, options.sentences))
