"""SIT: swapping a noun or an adjective must not change the structure of the translation.

He, Meister, Su: Structure-Invariant Testing for Machine Translation, ICSE 2020. The published code lets the model
propose the word that stands there already, drops a sentence at its first word outside BERT's vocabulary, and
parses Chinese only; none of that is in the paper's method, and none of it is here.
"""

from __future__ import annotations

from polyglitch.compare.structure import raw_distance
from polyglitch.issues.worst_first import worst_first
from polyglitch.method import Method
from polyglitch.mutate.swap import swap_words


def sit(
    proposer: str = "auto",
    top: int = 10,
    threshold: int = 1,
    report: int = 3,
    per_seed: int | None = None,
) -> Method:
    """Swap nouns and adjectives; report the translations furthest from the original's in structure."""
    return Method(
        name="sit",
        task="translation",
        mutate=swap_words(proposer, tags=("NN", "NNS", "JJ"), top=top, per_seed=per_seed),
        compare=raw_distance(above=threshold),
        issues=worst_first(report),
        needs=("parser", f"proposer:{proposer}"),
    )
