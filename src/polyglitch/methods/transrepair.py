"""TransRepair: with one word replaced by a similar one, the rest of the translation must stay as it was.

Sun, Zhang, Harman, Papadakis, Zhang: Automatic Testing and Improvement of Machine Translation, ICSE 2020. The
published code never reports a translation in which words were only added or only lost, and leaves out the paper's
filter by the parse of the mutant; this one has both.
"""

from __future__ import annotations

from polyglitch.compare.oracles.similarity import Vote, by_similarity
from polyglitch.issues.groups import worst_first
from polyglitch.mutate.swap import IN_PLACE, same_place, same_tag, swap_words
from polyglitch.registry import Method, oracle_needs

# Of natural words only those that say nearly the same: asking for more leaves sentences without a case.
NATURALNESS, SPARE = 0.65, 0.62
# A short order or note may have no noun or adjective with a substitute; the verb is better than no case.
PARTS, LAST_PARTS = ("NOUN", "ADJ"), ("VERB", "ADV")


def transrepair(
    proposer: str = "auto:alike",
    top: int = 5,
    metrics: tuple[str, ...] | None = None,
    thresholds: tuple[float, ...] = (),
    vote: Vote | None = None,
    weights: tuple[float, ...] = (),
    threshold: float | None = None,
    report: int = 3,
    per_seed: int | None = None,
    faithful: bool = False,
    oracle: str | None = None,
    pos: tuple[str, ...] = PARTS,
    naturalness: float = NATURALNESS,
) -> Method:
    """Swap similar words (`pos`); report the translations that differ elsewhere too.

    A sentence without a noun or adjective that can be swapped gives a verb or an adverb, which the paper leaves alone.
    `naturalness` (0 to 1) is the least probability that a reader takes a swap for one that says nearly the same. As
    published, whatever the sentence says: `proposer=dictionary`, `pos=NOUN,ADJ,NUM`.
    As published, by four similarities: `oracle=published`, or any of its settings. `metrics` takes any that
    `list metrics` shows, `thresholds` one for each of them, `threshold` one for their mean.
    """
    oracle, compare = by_similarity(
        oracle, metrics, vote, weights, threshold, faithful, thresholds=thresholds
    )
    return Method(
        name="transrepair",
        task="translation",
        mutate=swap_words(
            proposer,
            pos=pos,
            last_pos=LAST_PARTS if pos == PARTS else (),
            top=top,
            naturalness=naturalness,
            spare=SPARE,
            per_seed=per_seed,
            edges=True,
            keep=(same_tag, same_place, *IN_PLACE),
        ),
        compare=compare,
        issues=worst_first(report),
        needs=("parser", f"proposer:{proposer}", *oracle_needs(oracle)),
    )
