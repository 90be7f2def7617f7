"""Text metrics of NLTK, difflib, Levenshtein, textdistance and scikit-learn on the pairs of TASK.json."""

from __future__ import annotations

import difflib
import json
import sys
import time
import warnings

import Levenshtein
import textdistance
from nltk.metrics.distance import edit_distance
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from sklearn.feature_extraction.text import TfidfVectorizer

Pairs = list


def timed(compute, pairs: Pairs) -> dict:
    """The values of one metric and the processor time they took."""
    start = time.process_time()
    values = compute(pairs)
    return {"values": [float(v) for v in values], "seconds": time.process_time() - start}


def tfidf(pairs: Pairs) -> list:
    """Cosines, the frequencies fitted on all texts; texts come cut into units."""
    vectors = TfidfVectorizer(analyzer=lambda units: units).fit_transform(
        [text for pair in pairs for text in pair]
    )
    return vectors[0::2].multiply(vectors[1::2]).sum(axis=1).A1.tolist()


def bleu(pairs: Pairs) -> list:
    """The mean of BLEU-1 to 4 over characters, the higher of both directions."""
    return [max(sentence_bleu([a], b), sentence_bleu([b], a)) for a, b in pairs]


def self_bleu(sentences: list) -> list:
    """BLEU-3 of each sentence against all others."""
    smooth = SmoothingFunction().method1
    return [
        sentence_bleu(sentences[:i] + sentences[i + 1 :], sentences[i], (1 / 3,) * 3, smooth)
        for i in range(len(sentences))
    ]


def lcs_textdistance(pairs: Pairs) -> list:
    """The length of the longest common subsequence of words."""
    measure = textdistance.LCSSeq(external=False)
    return [measure.similarity(a, b) for a, b in pairs]


def matched(pairs: Pairs) -> list:
    """Words in difflib's matching blocks, which need not be the most."""
    return [
        sum(
            block.size for block in difflib.SequenceMatcher(None, a, b, False).get_matching_blocks()
        )
        for a, b in pairs
    ]


def main() -> None:
    """Read the task, print the figures."""
    warnings.simplefilter("ignore")
    with open(sys.argv[1], encoding="utf-8") as file:
        task = json.load(file)
    texts, units = task["pairs"], task["units"]
    print(
        json.dumps(
            {
                "levenshtein: NLTK": timed(lambda p: [edit_distance(a, b) for a, b in p], texts),
                "levenshtein: Levenshtein": timed(
                    lambda p: [Levenshtein.distance(a, b) for a, b in p], texts
                ),
                "levenshtein: textdistance": timed(
                    lambda p: [textdistance.Levenshtein(external=False)(a, b) for a, b in p], texts
                ),
                "word edits: NLTK": timed(lambda p: [edit_distance(a, b) for a, b in p], units),
                "common words: difflib": timed(matched, units),
                "common words: textdistance": timed(lcs_textdistance, units[: task["few"]]),
                "tf-idf: scikit-learn": timed(tfidf, units),
                "bleu-char: NLTK": timed(bleu, texts),
                "self-BLEU: NLTK": timed(self_bleu, task["self_bleu"]),
            }
        )
    )


if __name__ == "__main__":
    main()
