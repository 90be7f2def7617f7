"""CAT: with any one word replaced by one that means nearly the same here, the translation must stay alike.

Sun, Zhang, Xiong, Harman, Papadakis, Zhang: Improving Machine Translation Systems via Isotopic Replacement, ICSE 2022.
The published code compares the vector of the token left of the replaced one, lets word pieces replace words, and
translates a rebuilt original instead of the seed; here it is the word itself, whole words, and the seed.
"""

from __future__ import annotations

from polyglitch.compare.oracles.similarity import Vote, by_similarity
from polyglitch.issues.groups import worst_first
from polyglitch.mutate.swap import IN_PLACE, same_place, same_tag, swap_words
from polyglitch.registry import Method, oracle_needs

# Every open class: the paper replaces words of any part of speech, and closed classes have no natural substitute.
OPEN = ("NOUN", "ADJ", "VERB", "ADV")
# As for TransRepair: how natural a word must be by itself is the proposer's limit.
NATURALNESS, SPARE = 0.65, 0.62


def cat(
    proposer: str = "auto:in-context",
    top: int = 10,
    metrics: tuple[str, ...] | None = None,
    thresholds: tuple[float, ...] = (),
    vote: Vote | None = None,
    weights: tuple[float, ...] = (),
    threshold: float | None = None,
    report: int = 3,
    per_seed: int | None = 5,
    faithful: bool = False,
    oracle: str | None = None,
    pos: tuple[str, ...] = OPEN,
    naturalness: float = NATURALNESS,
) -> Method:
    """Replace any word by its nearest in context, five a seed; report the translations that differ elsewhere.

    `naturalness` (0 to 1) is the least probability that a reader takes a swap for one that says nearly the same.
    As published, by four similarities: `oracle=published`, or any of its settings. `metrics` takes any that
    `list metrics` shows, `thresholds` one for each of them, `threshold` one for their mean.
    """
    oracle, compare = by_similarity(
        oracle, metrics, vote, weights, threshold, faithful, reverse=faithful, thresholds=thresholds
    )
    return Method(
        name="cat",
        task="translation",
        mutate=swap_words(
            proposer,
            pos=pos,
            compared=True,
            top=top,
            naturalness=naturalness,
            spare=SPARE,
            per_seed=per_seed,
            edges=True,
            order="score",
            keep=(same_tag, same_place, *IN_PLACE),
        ),
        compare=compare,
        issues=worst_first(report),
        needs=("parser", f"proposer:{proposer}", *oracle_needs(oracle)),
    )
