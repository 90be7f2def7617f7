"""How varied a set of tests is: Self-BLEU over words, and distinct productions over trees."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from polyglitch.evaluate.selfbleu import self_bleu
from polyglitch.language.grammar import distinct_productions
from polyglitch.language.projection import tree_of
from polyglitch.protocols import Parser

WORD = re.compile(r"\w+|n't|'\w+|[^\w\s]")


def lexical_diversity(texts: Sequence[str], size: int, trials: int = 5) -> float:
    """The median Self-BLEU (3-gram) of samples; lower is more varied."""
    scores = []
    for trial in range(trials):
        sample = random.Random(trial).sample(list(texts), min(size, len(texts)))  # noqa: S311
        scores.append(self_bleu([WORD.findall(text) for text in sample]))
    return sorted(scores)[len(scores) // 2]


def syntactic_diversity(texts: Sequence[str], parser: Parser, size: int, trial: int = 0) -> int:
    """Distinct productions of a sample, each text parsed; higher is more varied."""
    sample = random.Random(trial).sample(list(texts), min(size, len(texts)))  # noqa: S311
    trees = [tree_of(parse) for parse in parser.parse(sample)]
    return distinct_productions([tree for tree in trees if tree is not None])
