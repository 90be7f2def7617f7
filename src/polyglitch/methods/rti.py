"""RTI (Purity): a noun phrase must be translated alone as it is inside a sentence.

He, Meister, Su: Testing Machine Translation via Referential Transparency, ICSE 2021. The published code compares
characters of Chinese only, and drops whatever keeps a Latin letter, so it finds nothing in a language written with
them; here the target's script decides. Distances are as published, in units, not relative to the phrase's length.
"""

from __future__ import annotations

from polyglitch.compare.oracles.two_outputs import contained_in
from polyglitch.issues.groups import worst_first
from polyglitch.mutate.phrases import noun_phrases
from polyglitch.registry import Method, choose_oracle, named_oracle, oracle_needs


def rti(
    threshold: int | None = None,
    shorter: int = 10,
    content: int = 3,
    least: int = 1,
    report: int = 3,
    oracle: str | None = None,
    pos: tuple[str, ...] = (),
) -> Method:
    """Take noun phrases out of sentences; report those whose translation the sentence's lacks.

    A phrase has `content` words that are no stop words; a sentence without one gives those of fewer, down to `least`.
    `pos` keeps the phrases that have a word of one of these parts of speech: PROPN those with a name.
    As published, by the bag of words: `oracle=published`, or a `threshold` of it.
    """
    oracle = choose_oracle(oracle, threshold=threshold)
    return Method(
        name="rti",
        task="translation",
        mutate=noun_phrases(shorter=shorter, content=content, least=least, pos=pos),
        compare=named_oracle(oracle, contained_in(above=threshold or 0)),
        issues=worst_first(report),
        needs=("parser", *oracle_needs(oracle)),
    )
