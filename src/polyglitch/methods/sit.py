"""SIT: swapping a noun or an adjective must not change the structure of the translation.

He, Meister, Su: Structure-Invariant Testing for Machine Translation, ICSE 2020. The published code lets the model
propose the word that stands there already, drops a sentence at its first word outside BERT's vocabulary, and
parses Chinese only; none of that is in the paper's method, and none of it is here.
"""

from __future__ import annotations

from typing import Literal

from polyglitch.compare.oracles.two_outputs import label_count_distance, raw_distance
from polyglitch.issues.groups import worst_first
from polyglitch.mutate.swap import NATURALNESS, swap_words
from polyglitch.protocols import Oracle
from polyglitch.registry import PUBLISHED, Method, choose_oracle, named_oracle, oracle_needs
from polyglitch.represent.structures import constituents, dependencies

Structure = Literal["raw", "constituents", "dependencies"]
REPRESENTATIONS = {"constituents": constituents, "dependencies": dependencies}
# Any change of structure is suspicious, as in the published code (`> 0`). Raw text always changes, by the swapped
# word at least: up to 15 characters, the paper's second setting, that word alone can account for the difference.
ABOVE = {"raw": 15, "constituents": 0, "dependencies": 0}
# What the paper swaps, and what is swapped in a sentence that has no case of these: a verb is better than none.
PARTS, LAST_PARTS = ("NOUN", "ADJ"), ("VERB", "ADV")


def sit(
    proposer: str = "auto",
    top: int = 10,
    structure: Structure | None = None,
    threshold: int | None = None,
    report: int = 3,
    per_seed: int | None = None,
    oracle: str | None = None,
    pos: tuple[str, ...] = PARTS,
    naturalness: float = NATURALNESS,
) -> Method:
    """Swap nouns and adjectives (`pos`); report the translations that changed most beside the swap.

    A sentence without a noun or adjective that can be swapped gives a verb or an adverb, which the paper leaves alone.
    `naturalness` (0 to 1) is the least probability that a reader takes a swap; with 0 the ten likeliest words of a slot
    are tried, as published.
    As published, the change is one of structure: `oracle=published`, or a `structure` or `threshold` of it.
    """
    oracle = choose_oracle(oracle, structure=structure, threshold=threshold)
    structure = structure or "dependencies"
    above = ABOVE[structure] if threshold is None else threshold
    parsed = structure != "raw" and oracle == PUBLISHED
    return Method(
        name="sit",
        task="translation",
        mutate=swap_words(
            proposer,
            pos=pos,
            last_pos=LAST_PARTS if pos == PARTS else (),
            top=top,
            naturalness=naturalness,
            per_seed=per_seed,
        ),
        compare=structural(structure, above) if oracle == PUBLISHED else named_oracle(oracle),
        issues=worst_first(report),
        needs=(
            "parser",
            f"proposer:{proposer}",
            *(("parser:target",) if parsed else ()),
            *oracle_needs(oracle),
        ),
    )


def structural(structure: Structure, above: int) -> Oracle:
    """The distance in the chosen structure."""
    if structure == "raw":
        return raw_distance(above=above)
    return label_count_distance(REPRESENTATIONS[structure], above=above)
